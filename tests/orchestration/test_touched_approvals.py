"""An approval of a GPU count touches the days on which the run that it names stands unsettled, and no others."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assets.materialisation import Inputs
from chargeback.contracts.partition import Partition
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.runs import RUNS
from orchestration.touched import Touched
from resources.landing import LandedObject
from tests.raw_estate import RawEstate
from tests.tables import a_table_of

NOW = datetime(2026, 10, 5, tzinfo=UTC)


def approval(run: str, gpus: object = 2, *, cluster: str = "slurm-a", reason: str = "prolog log") -> str:
    """One entry of an approvals file."""
    return f"- {{cluster: {cluster}, run: {run!r}, gpus: {gpus}, by: platform lead, reason: {reason}}}\n"


def land(estate: RawEstate, *entries: str, day: int = 5) -> LandedObject:
    """Land approvals on a day of October."""
    return estate.land("approvals", "".join(entries).encode(), at=datetime(2026, 10, day, tzinfo=UTC), extension="yaml")


def make_runs(estate: RawEstate, *, basis_of_4711: str = "unknown") -> None:
    """Runs of three days: 4711 of two days, 4712 whose count is recorded, 4713 of which nobody knows it either."""
    workspace = estate.workspace
    approved = {each.key: each.sha256 for each in workspace.landing.objects("approvals", None)}
    for day, jobs in {"01": ("4711", "4712"), "02": ("4711", "4713"), "03": ("4712",)}.items():
        bases = {"4711": basis_of_4711, "4712": "recorded", "4713": "unknown"}
        lines = "\n".join(
            f"slurm-a  2026-10-{day}  {job}@2026-10-01  slurm  batch  standard  {job}  {job}  {bases[job]}"
            for job in jobs
        )
        header = "cluster  day  run  scheduler  workload_class  tier  job_id  job_id_raw  gpu_count_basis"
        partition = Partition.of_day("slurm-a", f"2026-10-{day}")
        inputs = Inputs.of(objects=approved).provenance("made by a test")
        workspace.lake.replace(RUNS, partition, a_table_of(RUNS, f"{header}\n{lines}"), inputs)


@pytest.fixture
def estate(tmp_path: Path) -> RawEstate:
    """Three days of runs, on two of which a count is unknown."""
    estate = RawEstate.begun_in(tmp_path, first_day="2026-10-01")
    make_runs(estate)
    return estate


def nothing(landed: LandedObject) -> Touched:
    return Touched({}, {}, frozenset({landed.key}), {})


@pytest.mark.parametrize("name", ["4711", "4711@2026-10-01"])
def test_an_approval_touches_the_days_on_which_the_run_that_it_names_stands_with_an_unknown_count(
    estate: RawEstate, name: str
) -> None:
    landed = land(estate, approval(name))

    days = dict.fromkeys(("slurm-a|2026-10-01", "slurm-a|2026-10-02"), frozenset({landed.key}))
    assert estate.touched(landed, now=NOW) == Touched(days, {}, frozenset(), {})


@pytest.mark.parametrize(
    "entry", [approval("9999"), approval("4712"), approval("4711", cluster="k8s-b"), approval("4711", cluster="lost")]
)
def test_an_approval_of_a_run_that_is_not_there_or_is_not_unknown_touches_nothing(
    estate: RawEstate, entry: str
) -> None:
    landed = land(estate, entry)

    assert estate.touched(landed, now=NOW) == nothing(landed)


def test_a_settled_run_is_not_touched_by_the_same_decision_with_another_reason(estate: RawEstate) -> None:
    land(estate, approval("4711"))
    make_runs(estate, basis_of_4711="approved")
    again = land(estate, approval("4711", reason="its owner says so too"), day=6)

    assert estate.touched(again, now=NOW) == nothing(again)


def test_another_decision_touches_the_days_that_the_first_one_settled(estate: RawEstate) -> None:
    land(estate, approval("4711"))
    make_runs(estate, basis_of_4711="approved")
    other = land(estate, approval("4711", 4), day=6)

    assert list(estate.touched(other, now=NOW).days) == ["slurm-a|2026-10-01", "slurm-a|2026-10-02"]


def test_an_earlier_decision_that_lands_late_does_not_undo_a_later_one(estate: RawEstate) -> None:
    land(estate, approval("4711"))
    make_runs(estate, basis_of_4711="approved")
    late = land(estate, approval("4711", 4), day=3)

    assert estate.touched(late, now=NOW) == nothing(late)


def test_an_approval_touches_nothing_once_its_days_were_made_from_it_though_the_count_stays_unknown(
    estate: RawEstate,
) -> None:
    of_unknown_hosts = land(estate, approval("4711", "node count"))
    make_runs(estate)

    assert estate.touched(of_unknown_hosts, now=NOW) == nothing(of_unknown_hosts)


def test_an_unreadable_file_of_approvals_is_refused_with_its_reason_and_no_entry_of_it_counts(
    estate: RawEstate,
) -> None:
    broken = land(estate, approval("4711"), "- {cluster: slurm-a, run: 4713}\n")

    touched = estate.touched(broken, now=NOW)

    assert touched == Touched({}, {}, frozenset(), touched.refused)
    assert "approval 2: gpus, by, reason missing" in touched.refused[broken.key]


def test_days_of_a_closed_month_and_days_to_come_are_touched_by_no_approval(estate: RawEstate) -> None:
    landed = land(estate, approval("4711"))
    only_the_first_day = estate.touched(landed, now=NOW - timedelta(days=3, hours=1)).days

    estate.workspace.lake.close_month("2026-10", by="finance", certificate_hash="c" * 64, contracts=[RATED_USAGE])

    assert list(only_the_first_day) == ["slurm-a|2026-10-01"]
    assert estate.touched(landed, now=NOW) == nothing(landed)
