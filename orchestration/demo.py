"""`chargeback demo`: a month of a real Slurm cluster's records beside a simulated estate of Slurm and Kubernetes with
telemetry, landed and billed on embedded defaults, in ./demo.

It lands through the same landing and bills through the same bill as everybody's data. Not here: how the month was made
from the dumps of a real Slurm, and the estate from a seed (chargeback/simulation/).
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from rich.console import Console

import chargeback
from chargeback.simulation.demo_people import demo_ownership, demo_rate_card
from chargeback.simulation.estate_plan import CLUSTERS
from chargeback.simulation.made import Made
from chargeback.simulation.people_writer import ownership_csv
from chargeback.simulation.simulate import simulated_estate
from chargeback.simulation.spread_month import DUMP_FILES, demo_month
from orchestration.bill_command import bill_and_report
from orchestration.workspace import open_workspace
from resources.landing import PEOPLE_SOURCES
from resources.setting_kinds import SettingsRefused
from resources.settings import SETTINGS_FILE, demo_settings

MONTH = "2026-10"
CLUSTER = "gpuc"
SIMULATED_GPUS, SIMULATED_DAYS, SEED = 32, 31, 7
LANDED_MARK = "settings/demo-landed"
HANDED_IN = datetime(2026, 9, 22, 8, tzinfo=UTC)


def run_demo() -> int:
    """Land the month once, then bill it. Raises SettingsRefused beside a chargeback.toml: the demo is no one's data."""
    folder = Path.cwd()
    if (folder / SETTINGS_FILE).exists():
        raise SettingsRefused(f"{folder} has a {SETTINGS_FILE}: run the demo in another folder, or: chargeback bill")
    workspace = open_workspace(demo_settings(folder))
    console = Console(soft_wrap=True, highlight=False)
    if not workspace.store.exists(LANDED_MARK):
        console.print(
            f"landing {MONTH} in {workspace.settings.location.root}: a real Slurm cluster ({CLUSTER}), "
            f"{SIMULATED_GPUS} simulated GPUs ({' and '.join(CLUSTERS)})"
        )
        for made in chain(_of_people(), _real_records(), _simulated_records()):
            workspace.landing.land(
                made.content,
                source=made.source,
                cluster=made.cluster,
                extracted_at=made.extracted_at,
                extension=made.extension,
            )
        workspace.store.put(LANDED_MARK, MONTH.encode())
    return bill_and_report(MONTH, clusters=[], workers=None, again=False, config=None)


def _of_people() -> Iterator[Made]:
    simulated = ownership_csv().partition("\n")[2]
    yield Made("ownership", None, (demo_ownership(CLUSTER) + simulated).encode(), HANDED_IN, "csv")
    yield Made("rate-cards", None, demo_rate_card(MONTH).encode(), HANDED_IN, "yaml")


def _real_records() -> Iterator[Made]:
    folder = Path(chargeback.__path__[0]) / "simulation" / "real_slurm"
    dump = {name: (folder / name).read_bytes() for name in DUMP_FILES}
    for made in demo_month(dump, month=MONTH):
        yield Made(made.source, CLUSTER, made.content, made.extracted_at, made.extension)


def _simulated_records() -> Iterator[Made]:
    estate = simulated_estate(gpus=SIMULATED_GPUS, days=SIMULATED_DAYS, seed=SEED)
    return (made for made in estate if made.source not in PEOPLE_SOURCES)
