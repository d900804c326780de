"""The stage on which Slurm's scenes are placed: it books devices and keeps what was placed.

Not here: the scenes (slurm_scenes.py, slurm_host_scenes.py).
"""

from collections.abc import Callable
from dataclasses import replace

from chargeback.simulation.bookings import Grant
from chargeback.simulation.calendar_days import HOUR
from chargeback.simulation.estate_plan import Host
from chargeback.simulation.slurm_desk import SlurmDesk
from chargeback.simulation.slurm_run import HostSpell, SlurmRun


class SlurmStage:
    """Runs and spells of hosts that scenes have placed so far; every run bears the name of its scene."""

    def __init__(self, desk: SlurmDesk) -> None:
        self.desk = desk
        self.days = desk.days
        self.runs: list[SlurmRun] = []
        self.spells: list[HostSpell] = []

    def run(
        self, scene: str, day: int, hour: float, hours: float | None, *, gres: str = "a100", count: int = 1,
        kind: str = "whole", profile: str = "", hosts: tuple[Host, ...] = (), within: int = 20 * HOUR, waited: int = 0,
        **fields: object,
    ) -> SlurmRun | None:  # fmt: skip
        """A run on one host from about that hour on; None if there is no room. `count` 0 is the whole host."""
        desk = self.desk
        seconds = None if hours is None else int(hours * HOUR) + desk.random.randrange(50)
        found = desk.on_one_host(
            hosts or desk.hosts_of(gres), count, earliest=self.days.at(day, hour), seconds=seconds, kind=kind,
            profile=profile, within=within,
        )  # fmt: skip
        if found is None:
            return None
        grants, at = found
        return self.add(scene, grants, at, None if seconds is None else at + seconds, waited=waited, **fields)

    def add(
        self, scene: str, grants: tuple[Grant, ...], at: int, ends: int | None, *, waited: int = 0, **fields: object
    ) -> SlurmRun:
        """A run on devices that are its own; `fields` are those of SlurmRun."""
        account, user = self.desk.person()
        number = self.desk.number()
        given: dict[str, object] = {
            "job_id_raw": number, "job_id": str(number), "account": account, "user": user,
            "job_name": scene.replace(" ", "-"), "seed": self.desk.random.getrandbits(48),
            "submitted": at - (waited or self.desk.random.randrange(2, 300)),
            "partition": "mig" if any(grant.device.profile for grant in grants) else "gpu",
        }  # fmt: skip
        make: Callable[..., SlurmRun] = SlurmRun
        run = make(**{**given, **fields}, grants=grants, started=at, ended=ends, scenes=(scene,))
        self.runs.append(run)
        return run

    def also(self, run: SlurmRun | None, **changes: object) -> None:
        """Change a run that was placed."""
        if run is not None:
            changed: Callable[..., SlurmRun] = replace
            self.runs[self.runs.index(run)] = changed(run, **changes)
