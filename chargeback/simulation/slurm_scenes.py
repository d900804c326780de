"""What the Slurm cluster is there to show: one small scene for each thing that happens on real clusters.

Every run carries the name of its scene, so that what was shown can be counted. Not here: the ordinary work around them
(slurm_arrivals.py).
"""

from collections.abc import Callable
from dataclasses import replace

from chargeback.simulation.bookings import Grant
from chargeback.simulation.calendar_days import HOUR, MINUTE
from chargeback.simulation.estate_plan import SHARED_ACCOUNT, TEAMS, UNMAPPED_ACCOUNT, Host
from chargeback.simulation.slurm_desk import SlurmDesk
from chargeback.simulation.slurm_run import HostSpell, SlurmRun, limit_minutes_of

CPU_HOST = "sa-cpu-01"

VISION, SPEECH, NLP, ROBOTICS, GENOMICS, CLIMATE = TEAMS


class SlurmScenes:
    """Places the scenes on an empty cluster, in a fixed order."""

    def __init__(self, desk: SlurmDesk) -> None:
        self._desk = desk
        self._days = desk.days
        self.runs: list[SlurmRun] = []
        self.spells: list[HostSpell] = []

    def place(self) -> None:
        """Fill `runs` and `spells`; a scene for which no devices are free is left out."""
        scenes: tuple[Callable[[], None], ...] = (
            self._across_the_edges, self._node_failure, self._drained, self._maintenance, self._reserved,
            self._across_hosts, self._whole_host, self._slices, self._array, self._heterogeneous, self._requeued,
            self._preempted, self._ends, self._suspended, self._habits, self._owners, self._never_started, self._without_gpus,
        )  # fmt: skip
        for scene in scenes:
            scene()

    def _run(
        self, scene: str, day: int, hour: float, hours: float | None, *, gres: str = "a100", count: int = 1,
        kind: str = "whole", profile: str = "", hosts: tuple[Host, ...] = (), within: int = 20 * HOUR, **fields: object,
    ) -> SlurmRun | None:  # fmt: skip
        """A run on one host from about that hour on; None if there is no room."""
        desk = self._desk
        seconds = None if hours is None else int(hours * HOUR) + desk.random.randrange(50)
        found = desk.on_one_host(
            hosts or desk.hosts_of(gres), count, earliest=self._days.at(day, hour), seconds=seconds, kind=kind,
            profile=profile, within=within,
        )  # fmt: skip
        if found is None:
            return None
        grants, at = found
        return self._add(scene, grants, at, None if seconds is None else at + seconds, **fields)

    def _add(
        self,
        scene: str,
        grants: tuple[Grant, ...],
        at: int | None,
        ends: int | None,
        *,
        waited: int = 0,
        **fields: object,
    ) -> SlurmRun:
        account, user = self._desk.person()
        number = self._desk.number()
        begun = self._days.start if at is None else at
        given: dict[str, object] = {
            "job_id": str(number), "account": account, "user": user, "job_name": scene.replace(" ", "-"),
            "seed": self._desk.random.getrandbits(48),
            "submitted": begun - (waited or self._desk.random.randrange(2, 300)),
            "partition": "mig" if any(grant.device.profile for grant in grants) else "gpu",
        }  # fmt: skip
        make: Callable[..., SlurmRun] = SlurmRun
        run = make(
            **{
                "job_id_raw": number,
                **given,
                **fields,
                "grants": grants,
                "started": at,
                "ended": ends,
                "scenes": (scene,),
            }
        )
        self.runs.append(run)
        return run

    def _also(self, run: SlurmRun | None, **changes: object) -> None:
        """Change a run that was placed."""
        if run is not None:
            changed: Callable[..., SlurmRun] = replace
            self.runs[self.runs.index(run)] = changed(run, **changes)

    def _across_the_edges(self) -> None:
        days, last = self._days, self._days.count - 1
        self._run("crosses the first day's start", -1, 19, 12, count=2)
        self._run("crosses midnight", 0, 20, 8)
        for day in range(1, days.count):
            if days.names[day].endswith("-01"):
                self._run("crosses the month's end", day - 1, 18, 13)
        if days.clock_change is not None:
            self._run("crosses the change of the clock", days.day_of(days.clock_change), -4, 11, behaviour="steady")
        self._run("still running at the end", last, 5, None, gres="h100")
        self._run("still running at the end", last - 1, 15, None, behaviour="starved")

    def _node_failure(self) -> None:
        found = self._desk.whole_host(self._desk.hosts_of("h100"), earliest=self._days.at(0, 13), seconds=100 * MINUTE)
        if found is None:
            return
        host, at = found
        fails, up = at + 60 * MINUTE, at + 100 * MINUTE
        grants = (Grant(host.devices[0]),)
        self._desk.bookings.book(grants, at, fails)
        self._desk.bookings.close(host.devices, fails, up)
        self._add("node failed", grants, at, fails, state="NODE_FAIL", reason="NodeDown")
        self.spells.append(HostSpell(host.name, "down", fails, up, "DOWN*", "Not responding"))

    def _drained(self) -> None:
        """A run that was there before goes on for a while: held comes before out of service."""
        hosts = self._desk.hosts_of("a100")[1:]
        found = self._desk.whole_host(hosts, earliest=self._days.at(1, 17), seconds=6 * HOUR, within=40 * HOUR)
        if found is None:
            return
        host, at = found
        drained, back = at + HOUR, at + 6 * HOUR
        grants = (Grant(host.devices[0]),)
        self._desk.bookings.book(grants, at, drained + 55 * MINUTE)
        self._desk.bookings.close(host.devices, drained, back)
        self._add("on a draining node", grants, at, drained + 55 * MINUTE)
        self.spells.append(HostSpell(host.name, "drain", drained, back, "DRAIN", "xid 79 gpu fell off the bus"))

    def _maintenance(self) -> None:
        found = self._desk.whole_host(self._desk.hosts_of("h100"), earliest=self._days.at(1, 15), seconds=2 * HOUR)
        if found is not None:
            host, at = found
            self._desk.bookings.close(host.devices, at, at + 2 * HOUR)
            self.spells.append(HostSpell(host.name, "planned", at, at + 2 * HOUR, "firmware", "MAINT,IGNORE_JOBS"))

    def _reserved(self) -> None:
        """Part of a reservation is used by a run inside it; the rest nobody uses."""
        found = self._desk.whole_host(self._desk.hosts_of("h100"), earliest=self._days.at(1, 7), seconds=6 * HOUR)
        if found is None:
            return
        host, at = found
        self._desk.bookings.close(host.devices, at, at + 6 * HOUR)
        account, user = self._desk.person(ROBOTICS)
        self._add(
            "inside a reservation", (Grant(host.devices[0]),), at + HOUR, at + 3 * HOUR, account=account, user=user,
            reservation="deadline", qos="committed",
        )  # fmt: skip
        self.spells.append(HostSpell(host.name, "reserved", at, at + 6 * HOUR, "deadline", "SPEC_NODES", account))

    def _across_hosts(self) -> None:
        hosts = self._desk.hosts_of("a100")
        even = min(2, *(len(host.of_kind("whole")) for host in hosts))
        for scene, counts, hours in (("several hosts", (even, even), 3), ("several hosts unevenly", (2, 1), 6)):
            seconds = hours * HOUR + 41
            found = self._desk.on_several_hosts(
                hosts, counts, earliest=self._days.at(0, 8), seconds=seconds, within=50 * HOUR
            )
            if found is not None:
                self._add(scene, *found, found[1] + seconds)

    def _whole_host(self) -> None:
        hosts = self._desk.hosts_of("a100")[1:]
        self._run("whole node", 1, 0.5, 3, count=0, hosts=hosts, within=30 * HOUR, is_exclusive=True)

    def _slices(self) -> None:
        for profile, hour, hours in (("3g.40gb", 9, 5), ("2g.20gb", 8, 6), ("1g.10gb", 10, 3), ("1g.10gb", 22, 5)):
            self._run("MIG slice", 0, hour, hours, kind="mig", profile=profile)
        self._run("MIG slice", 1, 9, 7, kind="mig", profile="3g.40gb", behaviour="idle", is_interactive=True)

    def _array(self) -> None:
        """Slurm gives the array's own number to its last task."""
        first = self._desk.number()
        account, user = self._desk.person(GENOMICS)
        placed = [
            self._run("job array", 0, 9, 0.4 + 0.2 * task, account=account, user=user, waited=20 * MINUTE)
            for task in range(4)
        ]
        for task, run in enumerate(placed):
            if run is not None:
                raw = first if task == 3 else run.job_id_raw
                state = "FAILED" if task == 2 else "COMPLETED"
                self._also(run, job_id_raw=raw, job_id=f"{first}_{task}", job_name="array", state=state)

    def _heterogeneous(self) -> None:
        hosts = (self._desk.hosts_of("h100")[0], self._desk.hosts_of("a100")[0])
        found = self._desk.on_several_hosts(
            hosts, (1, 1), earliest=self._days.at(0, 10), seconds=2 * HOUR, within=60 * HOUR
        )
        if found is None:
            return
        grants, at = found
        account, user = self._desk.person(NLP)
        parts = [
            self._add("heterogeneous job", (grant,), at, at + 2 * HOUR, account=account, user=user, waited=200)
            for grant in grants
        ]
        for part, run in enumerate(parts):
            self._also(run, job_id=f"{parts[0].job_id_raw}+{part}", job_name="het")

    def _requeued(self) -> None:
        first = self._run("requeued", 1, 8, 1.2, count=2, state="REQUEUED")
        if first is None or first.ended is None:
            return
        again = self._desk.on_one_host(
            self._desk.hosts_of("a100"), 2, earliest=first.ended + 2 * MINUTE, seconds=2 * HOUR + 7
        )
        if again is not None:
            grants, at = again
            run = self._add("requeued", grants, at, at + 2 * HOUR + 7, waited=at - first.ended, reason="BeginTime")
            self._also(run, job_id_raw=first.job_id_raw, job_id=first.job_id, account=first.account, user=first.user)

    def _preempted(self) -> None:
        low = self._run("preempted", 1, 11, 2.6, count=2, qos="low")
        if low is not None and low.ended is not None:
            taken = low.ended - HOUR
            self._also(low, ended=taken, state="PREEMPTED")
            self._add("preempts", low.grants, taken + 2, low.ended, qos="high", waited=40)

    def _ends(self) -> None:
        timeout = self._run("ran into its limit", 1, 9, 1.01, state="TIMEOUT")
        if timeout is not None and timeout.ended is not None and timeout.started is not None:
            self._also(timeout, limit_minutes=limit_minutes_of(timeout.ended - timeout.started))
        self._run("out of memory", 0, 11, 0.7, state="OUT_OF_MEMORY")
        self._run("failed", 0, 15, 0.3, state="FAILED")
        self._run("cancelled", 1, 15, 1.7, state="CANCELLED")
        self._run("a few seconds", 0, 16, 0.01, state="FAILED")
        nothing = self._run("held for no time", 1, 16, 0, state="FAILED")
        if nothing is not None:
            self._also(nothing, ended=nothing.started)

    def _suspended(self) -> None:
        run = self._run("suspended", 0, 12, 3.5)
        if run is not None and run.started is not None:
            self._also(run, pauses=((run.started + HOUR, run.started + 2 * HOUR + 11),))

    def _habits(self) -> None:
        self._run("idle holder", 0, 8.5, 9.5, is_interactive=True, behaviour="idle")
        self._run("idle holder", 1, 18, 20, gres="h100", behaviour="idle", within=30 * HOUR)
        self._run("starved", 1, 1, 5, behaviour="starved", count=2)
        self._run("poker", 0, 15, 13, gres="h100", is_interactive=True, behaviour="poker")

    def _owners(self) -> None:
        self._run("unmapped account", 0, 13, 3, account=UNMAPPED_ACCOUNT, user="root")
        self._run("shared account", 0, 18, 2.5, account=SHARED_ACCOUNT, user="ada")

    def _never_started(self) -> None:
        for day, hour, ended in ((0, 9.1, 14), (1, 10.2, None)):
            at = self._days.at(day, hour) + 13
            ends = None if ended is None else self._days.at(day, ended)
            run = self._add("never started", (), at, ends, asked=("h100", 8))
            self._also(
                run, started=None, submitted=at, reason="Resources" if ends is None else "Dependency",
                state="PENDING" if ends is None else "CANCELLED",
            )  # fmt: skip

    def _without_gpus(self) -> None:
        for day in (0, 1):
            at = self._days.at(day, 6) + 31
            self._add("without GPUs", (), at, at + 2 * HOUR, cpu_host=CPU_HOST, partition="cpu")
