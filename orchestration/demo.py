"""`chargeback demo`: a month of a real Slurm cluster's records, landed and billed on embedded defaults, in ./demo.

It lands through the same landing and bills through the same bill as everybody's data. Not here: how the month was made
from the dumps of a real Slurm (chargeback/simulation/).
"""

from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

import chargeback
from chargeback.simulation.demo_people import demo_ownership, demo_rate_card
from chargeback.simulation.spread_month import DUMP_FILES, demo_month
from orchestration.bill import open_workspace
from orchestration.bill_command import bill_and_report
from resources.landing import Landing
from resources.setting_kinds import SettingsRefused
from resources.settings import SETTINGS_FILE, demo_settings

MONTH = "2026-10"
CLUSTER = "gpuc"
LANDED_MARK = "settings/demo-landed"


def run_demo() -> int:
    """Land the month once, then bill it. Raises SettingsRefused beside a chargeback.toml: the demo is no one's data."""
    folder = Path.cwd()
    if (folder / SETTINGS_FILE).exists():
        raise SettingsRefused(f"{folder} has a {SETTINGS_FILE}: run the demo in another folder, or: chargeback bill")
    workspace = open_workspace(demo_settings(folder))
    console = Console(soft_wrap=True, highlight=False)
    if not workspace.store.exists(LANDED_MARK):
        console.print(f"landing {MONTH} of a real Slurm cluster ({CLUSTER}) in {workspace.settings.location.root}")
        _land(workspace.landing)
        workspace.store.put(LANDED_MARK, MONTH.encode())
    return bill_and_report(MONTH, clusters=[], workers=None, again=False, config=None)


def _land(landing: Landing) -> None:
    folder = Path(chargeback.__path__[0]) / "simulation" / "real_slurm"
    dump = {name: (folder / name).read_bytes() for name in DUMP_FILES}
    for made in demo_month(dump, month=MONTH):
        landing.land(
            made.content,
            source=made.source,
            cluster=CLUSTER,
            extracted_at=made.extracted_at,
            extension=made.extension,
        )
    by_people = {"ownership": (demo_ownership(CLUSTER), "csv"), "rate-cards": (demo_rate_card(MONTH), "yaml")}
    for source, (text, extension) in by_people.items():
        landing.land(
            text.encode(),
            source=source,
            cluster=None,
            extracted_at=datetime(2026, 9, 22, 8, tzinfo=UTC),
            extension=extension,
        )
