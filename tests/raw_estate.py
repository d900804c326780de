"""An estate of raw tables only, for tests of what objects touch: extracts land, days are made, and nothing is priced.

The raw tables are made as their assets make them, without Dagster. Not here: what is expected.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assets.landed_records import Told, day_called
from assets.landed_telemetry import telemetry_inputs, telemetry_objects, telemetry_tables
from assets.materialisation import Day
from assets.quarantine import quarantine_told
from assets.raw_tables import TELLERS
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.usage.observations import PLACE
from orchestration.open_partitions import open_partitions
from orchestration.touched import Touched, touched_partitions
from orchestration.workspace import Workspace, open_workspace
from resources.content_hash import in_contract_order
from resources.landing import PEOPLE_SOURCES, LandedObject
from resources.observations import Observations
from resources.parsers import daily_sources_of
from resources.settings import load_settings

TOML = """\
[lake]
root = "lake"
[billing]
timezone = "{zone}"
currency = "EUR"
first_day = {first_day}
[clusters.slurm-a]
timezone = "UTC"
[clusters.k8s-b]
scheduler = "kubernetes"
"""


@dataclass(frozen=True)
class RawEstate:
    """A folder with a chargeback.toml of a Slurm and a Kubernetes cluster, and the lake beside it."""

    folder: Path

    @classmethod
    def begun_in(cls, folder: Path, *, first_day: str, zone: str = "UTC") -> "RawEstate":
        """A new one, with nothing in it."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "chargeback.toml").write_text(TOML.format(first_day=first_day, zone=zone))
        return cls(folder)

    @property
    def workspace(self) -> Workspace:
        """Its adapters, opened anew."""
        return open_workspace(load_settings(self.folder / "chargeback.toml"))

    def land(self, source: str, content: bytes, *, at: datetime, extension: str = "psv") -> LandedObject:
        """Land one extract."""
        scheduler = {"slurm": "slurm-a", "dcgm": "slurm-a", "kubernetes": "k8s-b"}
        cluster = None if source in PEOPLE_SOURCES else scheduler[source.partition("/")[0]]
        landing = self.workspace.landing
        return landing.land(content, source=source, cluster=cluster, extracted_at=at, extension=extension)

    def touched(self, *arrived: LandedObject, now: datetime) -> Touched:
        """What landed objects touch."""
        return touched_partitions(arrived, workspace=self.workspace, now=now)

    def make(self, *, now: datetime, only: Iterable[str] | None = None, source: str = "") -> None:
        """Make the raw tables of all open days, or of those partitions only, or those of one source."""
        workspace = self.workspace
        for told in self._told(workspace, now, source):
            if only is None or told.day.partition.key in only:
                workspace.lake.replace(
                    told.contract, told.day.partition, told.rows(), told.inputs.provenance("made by a test")
                )

    def differing(self, *, now: datetime, source: str = "") -> set[str]:
        """The slow definition: every (cluster, day) of which all that landed says other facts than stand there."""
        workspace = self.workspace
        return {told.day.partition.key for told in self._told(workspace, now, source) if _differs(told, workspace)}

    def _told(self, workspace: Workspace, now: datetime, source: str) -> Iterable[Told]:
        days, _ = open_partitions(workspace, now)
        observations = workspace.observations.as_listed_once()
        for cluster, known in workspace.settings.clusters.items():
            sources = [each for each in daily_sources_of(known.scheduler) if source in ("", each)]
            for day in [day_called(cluster, name, workspace.settings) for name in days]:
                for teller in (teller for each in sources for teller in TELLERS.get(each, ())):
                    yield teller(observations, day)
                if not source:
                    yield quarantine_told(observations, day)
                    yield _telemetry_told(observations, day, workspace)


def _telemetry_told(observations: Observations, day: Day, workspace: Workspace) -> Told:
    sampled, settings = telemetry_objects(observations, day), workspace.settings
    return Told(
        RAW_SAMPLES,
        day,
        telemetry_inputs(sampled, settings, day),
        lambda: telemetry_tables(observations, sampled, settings, day)[1],
    )


def _differs(told: Told, workspace: Workspace) -> bool:
    """A table that never was made differs if it would have a row."""
    stands = workspace.lake.scan(told.contract, [told.day.partition]).frame.collect()
    facts, stood = (in_contract_order(rows, told.contract).drop(PLACE, strict=False) for rows in (told.rows(), stands))
    return not facts.equals(stood) if len(stands) or len(facts) else False
