"""Late and repeated data: the same facts change nothing, a late record its days and the month, order nothing."""

from pathlib import Path

from orchestration.jobs import MONTH_JOB
from orchestration.touched import touched_partitions
from orchestration.workers import run_partitions
from tests.estates import (
    BUSY,
    EXTRACTED_AT,
    INPUTS,
    LAST_DAY,
    LATER,
    MONTH,
    OVERNIGHT,
    Estate,
    in_this_process,
    job,
    sacct,
)

LATE = job(5, "2026-03-31T12:00:00", "2026-03-31T14:00:00")
MONTH_TABLES_OF_PEOPLE = {f"ownership|{MONTH}", f"rate_card|{MONTH}"}


def test_an_object_landed_twice_changes_nothing(estate: Estate) -> None:
    before = estate.tree()
    estate.land("slurm/sacct", sacct(BUSY, OVERNIGHT, LAST_DAY), at=LATER)

    outcome = estate.bill()

    assert not outcome.changed
    assert outcome.month_run is None
    assert estate.tree() == before


def test_an_overlapping_extract_with_the_same_facts_changes_no_table_of_usage_or_money(estate: Estate) -> None:
    before = estate.contents()
    published = estate.published()
    estate.land("slurm/sacct", sacct(OVERNIGHT, LAST_DAY), at=LATER)

    outcome = estate.bill()

    after = estate.contents()
    changed = {key.partition("|")[0] for key in after if after[key] != before[key]}
    assert (outcome.refused, outcome.failures) == ((), ())
    assert changed <= {"landed_objects", "statements", "certificate", "published", "postings"}
    assert published.items() <= estate.published().items()


def test_what_is_published_is_the_same_whether_sensors_ran_the_touched_days_or_a_bill_all_overlapped_ones(
    estate: Estate, tmp_path: Path
) -> None:
    key = estate.land("slurm/sacct", sacct(OVERNIGHT, LAST_DAY), at=LATER)
    moved = estate.copied_to(tmp_path / "moved")
    workspace = moved.workspace
    (arrived,) = [each for each in workspace.landing.objects("slurm/sacct", "slurm-a") if each.key == key]
    assert touched_partitions([arrived], workspace=workspace, now=LATER).days == {}

    billed = estate.bill()
    with in_this_process(moved.config, 1) as pool:
        (by_itself,) = run_partitions(pool, MONTH_JOB, [MONTH], ended=lambda _: None)

    assert {run.partition for run in billed.days_run} == {"slurm-a|2026-03-30", "slurm-a|2026-03-31"}
    assert by_itself.succeeded, by_itself
    assert contents_of_month(moved) == contents_of_month(estate)
    assert documents(moved) == documents(estate)


def contents_of_month(estate: Estate) -> dict[str, str]:
    """Content hashes of what the month is charged and told by."""
    tables = ("rated_usage", "team_charges", "statements", "journal_entries")
    return {key: content for key, content in estate.contents().items() if key.partition("|")[0] in tables}


def documents(estate: Estate) -> dict[str, str]:
    """Published files and their bytes."""
    return estate.published()


def test_a_late_record_rewrites_its_own_day_and_the_month_only(estate: Estate) -> None:
    before = estate.states()
    estate.land("slurm/sacct", sacct(LATE), at=LATER)

    outcome = estate.bill()

    after = estate.states()
    rewritten = {key for key in after if after[key].version != before[key].version}
    assert outcome.refused == ()
    assert [run.partition for run in outcome.days_run] == ["slurm-a|2026-03-31"]
    assert not [key for key in rewritten if key.endswith("2026-03-30")]
    assert {f"{table}|slurm-a|2026-03-31" for table in ("raw_sacct", "runs", "holds", "attribution")} <= rewritten
    assert {f"{table}|{MONTH}" for table in ("rated_usage", "team_charges", "certificate")} <= rewritten
    assert not MONTH_TABLES_OF_PEOPLE & rewritten


def test_the_order_in_which_objects_arrive_does_not_matter(tmp_path: Path) -> None:
    objects = [(EXTRACTED_AT, sacct(BUSY)), (EXTRACTED_AT, sacct(LAST_DAY, OVERNIGHT)), (LATER, sacct(LATE))]
    backwards, once = Estate.begun_in(tmp_path / "backwards"), Estate.begun_in(tmp_path / "once")
    for at, content in objects:
        once.land("slurm/sacct", content, at=at)
    assert once.bill().refused == ()

    for at, content in reversed(objects):
        backwards.land("slurm/sacct", content, at=at)
        if at == LATER:
            backwards.bill()  # what was billed on the way leaves no trace
    assert backwards.bill().refused == ()

    assert backwards.contents() == once.contents()
    assert once.published().items() <= backwards.published().items()


def test_a_new_ownership_file_rewrites_the_month_and_no_day(estate: Estate) -> None:
    before = estate.states()
    moved = (INPUTS / "ownership.csv").read_bytes().replace(b"Vision,4711", b"Vision,4799")
    estate.land("ownership", moved, at=LATER, extension="csv")

    outcome = estate.bill()

    after = estate.states()
    rewritten = {key for key in after if after[key].version != before[key].version}
    assert (outcome.refused, outcome.days_run) == ((), ())
    assert {key.rpartition("|")[2] for key in rewritten} == {MONTH}
    assert f"team_charges|{MONTH}" in rewritten
