"""`chargeback top`: the list of a month at the terminal, for scripts and for a spreadsheet, or one line of refusal."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from chargeback.contracts.partition import Partition
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.unallocated_activity import UNALLOCATED_ACTIVITY
from chargeback.ledger.top_lists import top_workloads
from orchestration.top import show_top, top_document
from orchestration.top_tables import print_top
from orchestration.workspace import open_workspace
from resources.lake_records import Provenance
from resources.setting_kinds import SettingsRefused
from resources.settings import load_settings
from tests.chargeback.ledger.measured_usage import measured_usage
from tests.small_lake import small_lake
from tests.tables import a_table_of, instant

NOW = instant("2026-05-02T10:00Z")
MADE = Provenance(run_id="r", code_version="c", inputs={})


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Settings of a lake in which March 2026 has rated usage, and a GPU that worked while nobody held it."""
    lake = small_lake(tmp_path_factory.mktemp("top"))
    path = lake.folder / "chargeback.toml"
    opened = open_workspace(load_settings(path))
    opened.lake.replace(RATED_USAGE, Partition.of_month("2026-03"), measured_usage(), MADE)
    activity = a_table_of(
        UNALLOCATED_ACTIVITY,
        """
        cluster  day         hour_start         host   gpu    accelerator     active_milliseconds  labels
        slurm-a  2026-03-30  2026-03-30T10:00Z  gpu07  GPU-1  a100-sxm4-80gb  7200000              ml/run-1
        """,
    )
    opened.lake.replace(UNALLOCATED_ACTIVITY, Partition.of_day("slurm-a", "2026-03-30"), activity, MADE)
    return path


def shown(config: Path, capfd: pytest.CaptureFixture[str], **changes: object) -> str:
    asked = {"month": "2026-03", "team": None, "by": "workload", "limit": 10, "output": "table", **changes}
    show_top(config=config, **asked)  # type: ignore[arg-type]
    return capfd.readouterr().out


def test_the_largest_loss_stands_first_with_its_owner_and_what_to_do(
    config: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said = shown(config, capfd)

    assert "3,185.00 GPU-hours held · 1,530.00 active · 1,500.00 lost · telemetry saw 95.1 % of them" in said
    assert said.index("sweep-a   Vision · ana01 · vision-lab · slurm-a · 2 Mar") < said.index("Notebook/n9   Vision")
    assert "it runs and the GPUs wait: feed them faster" in said
    assert "GPUs never active: 6 of 79" in said
    assert "nobody knows what 157.00 GPU-hours did" in said


@pytest.mark.parametrize(
    ("by", "told"),
    [
        ("user", "ana01 · vision-lab"),
        ("team", "Vision"),
        ("class", "interactive"),
        ("accelerator", "H100 SXM5 80 GB"),
        ("cluster", "slurm-a"),
        ("exceptions", "1 GPU worked while nobody held them: 2.00 GPU-hours · 0 workloads had quota"),
    ],
)
def test_every_grouping_is_shown_as_table_json_and_csv(
    config: Path, capfd: pytest.CaptureFixture[str], by: str, told: str
) -> None:
    table, text, sheet = (shown(config, capfd, by=by, output=output) for output in ("table", "json", "csv"))

    assert told in table
    assert json.loads(text)["by"] == by
    assert "hours" in sheet.splitlines()[0]


def test_a_teams_list_holds_nothing_of_the_others(config: Path, capfd: pytest.CaptureFixture[str]) -> None:
    said = shown(config, capfd, team="nlp")

    assert "RayJob/fit" in said
    assert "sweep-a" not in said


def test_without_a_month_the_latest_billed_one_is_shown(config: Path) -> None:
    workspace = open_workspace(load_settings(config))

    document = top_document(None, team=None, by="workload", limit=1, workspace=workspace, now=NOW)

    assert document["month"] == "2026-03"


def test_without_telemetry_it_says_so_and_calls_nothing_idle(config: Path) -> None:
    head = (
        "run  day  host  workload  workload_class  user  team  idle  starved  busy  unmeasured  after_end  gpus  never"
    )
    dark = measured_usage(f"{head}\nu1  2026-03-07  gpu04  Job/dark  batch  cy05  NLP  0  0  0  70  0  0  0")
    console = Console(record=True, width=120, file=io.StringIO())
    document = {"month": "2026-03", "by": "workload", "team": "", "currency": "EUR",
                **top_workloads(dark, limit=5, cost_decimals=2)}  # fmt: skip
    print_top(document, console)

    said = console.export_text()
    assert "unmeasured, not idle" in said
    assert "Job/dark" not in said


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"by": "colour"}, "--by is 'colour'; it must be one of: workload, user, team"),
        ({"output": "xml"}, "--format is 'xml'; it must be one of: table, json, csv"),
        ({"limit": 0}, "--limit 0: must be 1 or more"),
        ({"team": "Sales"}, "team 'Sales' held nothing in 2026-03; there are: NLP, Vision"),
        ({"month": "2026-04"}, "2026-04 was not billed yet: chargeback bill 2026-04"),
        ({"team": "NLP", "by": "exceptions"}, "what nobody held belongs to no team"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_one_line(config: Path, changes: dict[str, object], told: str) -> None:
    asked = {"month": "2026-03", "team": None, "by": "workload", "limit": 10, "output": "table", **changes}

    with pytest.raises(SettingsRefused) as refused:
        show_top(config=config, **asked)  # type: ignore[arg-type]

    assert told in str(refused.value)


def test_a_lake_in_which_nothing_was_billed_says_what_to_do(tmp_path: Path) -> None:
    workspace = open_workspace(load_settings(small_lake(tmp_path).folder / "chargeback.toml"))

    with pytest.raises(SettingsRefused, match="no month was billed yet: chargeback bill 2026-03"):
        top_document(None, team=None, by="workload", limit=5, workspace=workspace, now=NOW)
