"""A small month of two clusters, one of each scheduler: its landing objects, its settings, its days.

It is the last day of a month of the simulated estate; the lake's first day cuts off what came before. Not here: how it
is billed (attempts.py), and what befalls it (storm.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Self

from chargeback.simulation.estate_plan import BILLING_ZONE, CLUSTERS, KUBERNETES, MODELS, SLURM
from chargeback.simulation.made import Made
from chargeback.simulation.pod_run import TIERS as PRIORITY_TIERS
from chargeback.simulation.simulate import simulated_estate
from chargeback.simulation.slurm_run import TIERS as QOS_TIERS
from resources.settings import Settings, load_settings
from resources.storage_location import StorageLocation

MONTH, FIRST_DAY = "2026-10", "2026-10-31"
BEGINS = date(2026, 10, 29)
SCRAPE_SECONDS = 900
EARLIEST = datetime(2026, 10, 31, tzinfo=UTC)
LASTING = ("ownership", "rate-cards", "slurm/nodes", "slurm/devices", "kubernetes/nodes")
TIERS = {SLURM: QOS_TIERS, KUBERNETES: PRIORITY_TIERS}
NOW = datetime(2026, 11, 2, tzinfo=UTC)

TOML = """\
[lake]
root = "{root}"
endpoint_url = "{endpoint}"
allow_http = true
home = "{home}"

[billing]
timezone = "{zone}"
currency = "EUR"
first_day = {first_day}
"""

INSTANCE = """\
# As a lake has it, but for the output of steps, which two processes a run would copy and nobody read.
telemetry:
  enabled: false
event_log_storage:
  module: resources.event_log
  class: KeptOpenEventLog
compute_logs:
  module: dagster._core.storage.noop_compute_log_manager
  class: NoOpComputeLogManager
"""


@dataclass(frozen=True)
class SmallLake:
    """A chargeback.toml of a lake under one prefix, reached at one address, with an instance in a folder beside it."""

    config: Path

    @classmethod
    def written(cls, folder: Path, location: StorageLocation, clusters: Sequence[str]) -> Self:
        """Write the settings, of an estate of these clusters."""
        folder.mkdir(parents=True, exist_ok=True)
        config = folder / "chargeback.toml"
        config.write_text(
            TOML.format(
                root=location.root,
                endpoint=location.endpoint_url,
                home=folder / "home",
                first_day=FIRST_DAY,
                zone=BILLING_ZONE,
            )
            + _rest_of_settings(clusters)
        )
        lake = cls(config)
        lake.home.mkdir(exist_ok=True)
        lake.home.joinpath("dagster.yaml").write_text(INSTANCE)
        return lake

    @property
    def settings(self) -> Settings:
        """Its settings."""
        return load_settings(self.config)

    @property
    def home(self) -> Path:
        """The folder of its Dagster instance."""
        return self.settings.home


def landing_objects(seed: int, clusters: Sequence[str]) -> tuple[Made, ...]:
    """What people and these clusters landed, in order; of earlier days only what lasts into the billed one."""
    made = simulated_estate(gpus=16, days=3, seed=seed, first_day=BEGINS, scrape_seconds=SCRAPE_SECONDS)
    return tuple(
        each
        for each in made
        if each.cluster in (None, *clusters) and (each.extracted_at >= EARLIEST or each.source in LASTING)
    )


def _rest_of_settings(clusters: Sequence[str]) -> str:
    """The clusters, what their accelerators are called, and that one telemetry object is broken on purpose."""
    lines = []
    for cluster in clusters:
        tiers = TIERS[cluster]
        lines += [f"[clusters.{cluster}]", f'scheduler = "{CLUSTERS[cluster]}"', f"scrape_seconds = {SCRAPE_SECONDS}"]
        lines += [f'timezone = "{BILLING_ZONE}"'] if cluster == SLURM else []
        lines += [f"[clusters.{cluster}.tiers]"]
        lines += [f'{name} = "{tier}"' for name, tier in tiers.items() if tier != "standard"]
    lines += ["[accelerators]"]
    lines += [f'"{name}" = "{model.accelerator}"' for model in MODELS for name in (model.gres, model.node_label)]
    return "\n".join([*lines, "[policies]", "quarantine_limit = 1", ""])
