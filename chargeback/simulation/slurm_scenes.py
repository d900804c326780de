"""What single Slurm jobs are there to show: one small scene for each thing that happens on real clusters.

Every run carries the name of its scene, so that what was shown can be counted. Not here: what befalls whole hosts
(slurm_host_scenes.py), the ordinary work around the scenes (slurm_arrivals.py).
"""

from chargeback.simulation.calendar_days import HOUR, MINUTE
from chargeback.simulation.estate_plan import SHARED_ACCOUNT, TEAMS, UNMAPPED_ACCOUNT
from chargeback.simulation.slurm_run import limit_minutes_of
from chargeback.simulation.slurm_stage import SlurmStage

CPU_HOST = "sa-cpu-01"

GENOMICS, NLP = (next(team for team in TEAMS if team.name == name) for name in ("Genomics", "NLP"))


def place_job_scenes(stage: SlurmStage) -> None:
    """Place all of them, in a fixed order; one for which no devices are free is left out."""
    scenes = (
        _across_hosts, _whole_host, _slices, _array, _heterogeneous, _requeued, _preempted, _ends, _suspended, _habits,
        _owners, _never_started, _without_gpus,
    )  # fmt: skip
    for scene in scenes:
        scene(stage)


def place_edge_scenes(stage: SlurmStage) -> None:
    """Place what crosses the edges of days, of the month and of all days, and the change of the clock."""
    days, last = stage.days, stage.days.count - 1
    stage.run("crosses the first day's start", -1, 19, 12, count=2)
    stage.run("crosses midnight", 0, 20, 8)
    for day in range(1, days.count):
        if days.names[day].endswith("-01"):
            stage.run("crosses the month's end", day - 1, 18, 13)
    if days.clock_change is not None:
        stage.run("crosses the change of the clock", days.day_of(days.clock_change), -4, 11, behaviour="steady")
    stage.run("still running at the end", last, 5, None, gres="h100")
    stage.run("still running at the end", last - 1, 15, None, behaviour="starved")


def _across_hosts(stage: SlurmStage) -> None:
    hosts = stage.desk.hosts_of("a100")
    even = min(2, *(len(host.of_kind("whole")) for host in hosts))
    for scene, counts, hours in (("several hosts", (even, even), 3), ("several hosts unevenly", (2, 1), 6)):
        seconds = hours * HOUR + 41
        found = stage.desk.on_several_hosts(
            hosts, counts, earliest=stage.days.at(0, 8), seconds=seconds, within=50 * HOUR
        )
        if found is not None:
            stage.add(scene, *found, found[1] + seconds)


def _whole_host(stage: SlurmStage) -> None:
    hosts = stage.desk.hosts_of("a100")[1:]
    stage.run("whole node", 1, 0.5, 3, count=0, hosts=hosts, within=30 * HOUR, is_exclusive=True)


def _slices(stage: SlurmStage) -> None:
    for profile, hour, hours in (("3g.40gb", 9, 5), ("2g.20gb", 8, 6), ("1g.10gb", 10, 3), ("1g.10gb", 22, 5)):
        stage.run("MIG slice", 0, hour, hours, kind="mig", profile=profile)
    stage.run("MIG slice", 1, 9, 7, kind="mig", profile="3g.40gb", behaviour="idle", is_interactive=True)


def _array(stage: SlurmStage) -> None:
    """Slurm gives the array's own number to its last task."""
    first = stage.desk.number()
    account, user = stage.desk.person(GENOMICS)
    placed = [
        stage.run("job array", 0, 9, 0.4 + 0.2 * task, account=account, user=user, waited=20 * MINUTE)
        for task in range(4)
    ]
    for task, run in enumerate(placed):
        if run is not None:
            raw = first if task == 3 else run.job_id_raw
            state = "FAILED" if task == 2 else "COMPLETED"
            stage.also(run, job_id_raw=raw, job_id=f"{first}_{task}", job_name="array", state=state)


def _heterogeneous(stage: SlurmStage) -> None:
    hosts = (stage.desk.hosts_of("h100")[0], stage.desk.hosts_of("a100")[0])
    found = stage.desk.on_several_hosts(
        hosts, (1, 1), earliest=stage.days.at(0, 10), seconds=2 * HOUR, within=60 * HOUR
    )
    if found is None:
        return
    grants, at = found
    account, user = stage.desk.person(NLP)
    parts = [
        stage.add("heterogeneous job", (grant,), at, at + 2 * HOUR, account=account, user=user, waited=200)
        for grant in grants
    ]
    for part, run in enumerate(parts):
        stage.also(run, job_id=f"{parts[0].job_id_raw}+{part}", job_name="het")


def _requeued(stage: SlurmStage) -> None:
    first = stage.run("requeued", 1, 8, 1.2, count=2, state="REQUEUED")
    if first is None or first.ended is None:
        return
    again = stage.desk.on_one_host(
        stage.desk.hosts_of("a100"), 2, earliest=first.ended + 2 * MINUTE, seconds=2 * HOUR + 7
    )
    if again is not None:
        grants, at = again
        run = stage.add("requeued", grants, at, at + 2 * HOUR + 7, waited=at - first.ended, reason="BeginTime")
        stage.also(run, job_id_raw=first.job_id_raw, job_id=first.job_id, account=first.account, user=first.user)


def _preempted(stage: SlurmStage) -> None:
    low = stage.run("preempted", 1, 11, 2.6, count=2, qos="low")
    if low is not None and low.ended is not None:
        taken = low.ended - HOUR
        stage.also(low, ended=taken, state="PREEMPTED")
        stage.add("preempts", low.grants, taken + 2, low.ended, qos="high", waited=40)


def _ends(stage: SlurmStage) -> None:
    timeout = stage.run("ran into its limit", 1, 9, 1.01, state="TIMEOUT")
    if timeout is not None and timeout.ended is not None and timeout.started is not None:
        stage.also(timeout, limit_minutes=limit_minutes_of(timeout.ended - timeout.started))
    stage.run("out of memory", 0, 11, 0.7, state="OUT_OF_MEMORY")
    stage.run("failed", 0, 15, 0.3, state="FAILED")
    stage.run("cancelled", 1, 15, 1.7, state="CANCELLED")
    stage.run("a few seconds", 0, 16, 0.01, state="FAILED")
    nothing = stage.run("held for no time", 1, 16, 0, state="FAILED")
    if nothing is not None:
        stage.also(nothing, ended=nothing.started)


def _suspended(stage: SlurmStage) -> None:
    run = stage.run("suspended", 0, 12, 3.5)
    if run is not None and run.started is not None:
        stage.also(run, pauses=((run.started + HOUR, run.started + 2 * HOUR + 11),))


def _habits(stage: SlurmStage) -> None:
    stage.run("idle holder", 0, 8.5, 9.5, is_interactive=True, behaviour="idle")
    stage.run("idle holder", 1, 18, 20, gres="h100", behaviour="idle", within=30 * HOUR)
    stage.run("starved", 1, 1, 5, behaviour="starved", count=2)
    stage.run("poker", 0, 15, 13, gres="h100", is_interactive=True, behaviour="poker")


def _owners(stage: SlurmStage) -> None:
    stage.run("unmapped account", 0, 13, 3, account=UNMAPPED_ACCOUNT, user="root")
    stage.run("shared account", 0, 18, 2.5, account=SHARED_ACCOUNT, user="ada")


def _never_started(stage: SlurmStage) -> None:
    for day, hour, ended in ((0, 9.1, 14), (1, 10.2, None)):
        at = stage.days.at(day, hour) + 13
        ends = None if ended is None else stage.days.at(day, ended)
        run = stage.add("never started", (), at, ends, asked=("h100", 8))
        stage.also(
            run, started=None, submitted=at, reason="Resources" if ends is None else "Dependency",
            state="PENDING" if ends is None else "CANCELLED",
        )  # fmt: skip


def _without_gpus(stage: SlurmStage) -> None:
    for day in (0, 1):
        at = stage.days.at(day, 6) + 31
        stage.add("without GPUs", (), at, at + 2 * HOUR, cpu_host=CPU_HOST, partition="cpu")
