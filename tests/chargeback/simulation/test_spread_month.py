"""The demo month: a real Slurm's records stretched over a month, nothing lost, nothing doubled, nothing invented."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl
import pytest

import chargeback.simulation
from chargeback.attribution.conservation import capacity_states_add_up, double_booked
from chargeback.billing_period import BillingPeriod
from chargeback.simulation.demo_people import DEMO_ACCELERATORS, DEMO_TIERS
from chargeback.simulation.replay import FACTOR
from chargeback.simulation.spread_month import DUMP_FILES, SACCT, DemoObject, demo_month, replays_of
from chargeback.simulation.stretched_jobs import job_records, origin_of
from tests.slurm_estate import ALIASES, DayTables, SlurmEstate

MONTH = "2026-10"
UTC_ZONE = ZoneInfo("UTC")
PERIOD = BillingPeriod(MONTH, UTC_ZONE)
REAL_SLURM = Path(chargeback.simulation.__file__).parent / "real_slurm"


@pytest.fixture(scope="module")
def dump() -> dict[str, bytes]:
    """The shipped records."""
    return {name: (REAL_SLURM / name).read_bytes() for name in DUMP_FILES}


@pytest.fixture(scope="module")
def objects(dump: dict[str, bytes]) -> list[DemoObject]:
    """The month's objects."""
    return demo_month(dump, month=MONTH)


@pytest.fixture(scope="module")
def estate(objects: list[DemoObject]) -> SlurmEstate:
    """The estate that has landed them."""
    landed = [(found.source, found.extracted_at, found.content) for found in objects]
    return SlurmEstate(landed, UTC_ZONE, UTC_ZONE, DEMO_TIERS, "gpuc")


@pytest.fixture(scope="module")
def days(estate: SlurmEstate) -> dict[str, DayTables]:
    """The tables of the first eight days, so of every weekday, and of the last two."""
    looked_at = [*PERIOD.days[:8], *PERIOD.days[-2:]]
    return {day: estate.day(day, look_around=timedelta(days=2)) for day in looked_at}


def test_the_month_is_the_same_whenever_it_is_made(dump: dict[str, bytes], objects: list[DemoObject]) -> None:
    assert demo_month(dump, month=MONTH) == objects


def test_every_record_is_read_and_none_is_quarantined(estate: SlurmEstate) -> None:
    for source, _, extract in estate.parsed:
        assert extract.quarantined == ()
        assert source == "slurm/bindings" or extract.records == len(extract.frame)


def test_each_replay_holds_the_dump_times_the_factor_for_every_account(
    dump: dict[str, bytes], estate: SlurmEstate
) -> None:
    records = job_records(dump[SACCT])
    replays = replays_of([datetime(2026, 10, 7, tzinfo=UTC).date()], origin=origin_of(records))
    seen = pl.concat(
        extract.frame for source, at, extract in estate.parsed if source == "slurm/sacct" and 8 <= at.day <= 10
    )

    found: Counter[str] = Counter()
    final = seen.filter(pl.col("End").is_not_null(), pl.col("Start").is_not_null()).unique(["JobIDRaw", "Start"])
    numbers = {replay.renumbered(record["JobIDRaw"]) for replay in replays for record in records}
    for row in final.filter(pl.col("JobIDRaw").is_in(numbers)).iter_rows(named=True):
        found[row["Account"]] += int((row["End"] - row["Start"]).total_seconds()) * _gpus(row["AllocTRES"])

    of_dump: Counter[str] = Counter()
    for record in records:
        if record["Start"] != "None":
            held = datetime.fromisoformat(record["End"]) - datetime.fromisoformat(record["Start"])
            of_dump[record["Account"]] += int(held.total_seconds()) * _gpus(record["AllocTRES"])
    assert +found == Counter({account: FACTOR * 4 * seconds for account, seconds in (+of_dump).items()})


def _gpus(tres: str) -> int:
    return next((int(entry.split("=")[1]) for entry in tres.split(",") if entry.startswith("gres/gpu=")), 0)


def test_nothing_is_overcommitted_and_every_day_conserves(days: dict[str, DayTables]) -> None:
    for tables in days.values():
        assert double_booked(tables.capacity, tables.holds).is_empty()
        assert capacity_states_add_up(tables.capacity).is_empty()
        assert tables.capacity["inventory"].unique().to_list() == ["node record"]


def test_no_gpu_count_of_the_month_is_unknown_and_the_cpu_jobs_are_known_to_have_none(
    days: dict[str, DayTables],
) -> None:
    bases = Counter(basis for tables in days.values() for basis in tables.runs["gpu_count_basis"])

    assert bases["unknown"] == 0
    assert bases["no GPUs"] > 0


def test_every_team_has_hundreds_of_gpu_hours_in_ten_days_and_they_show_what_happens_on_a_cluster(
    days: dict[str, DayTables],
) -> None:
    runs = pl.concat(tables.runs for tables in days.values()).select("run", "account", "end_cause").unique("run")
    holds = pl.concat(tables.holds for tables in days.values())
    gpu_seconds = (
        pl.col("device_count")
        * (pl.col("held_until") - pl.col("held_from")).dt.total_seconds()
        * pl.col("share_units")
        / pl.col("units_per_gpu")
    )
    hours = dict(
        holds.join(runs, on="run", validate="m:1").group_by("account").agg((gpu_seconds.sum() / 3600).round()).rows()
    )

    assert min(hours["vision"], hours["nlp"], hours["platform"]) > 200
    assert 0 < hours["research"] < 50
    assert {"completed", "failed", "cancelled", "timeout", "preempted", "platform fault"} <= set(runs["end_cause"])
    assert set(holds["sharing"]) == {"whole", "mig"}
    assert set(holds["split"]) == {"one host", "assumed", "not split"}


def test_jobs_cross_midnight_and_both_ends_of_the_month(days: dict[str, DayTables]) -> None:
    first, last = days[PERIOD.days[0]], days[PERIOD.days[-1]]

    assert first.runs.filter(pl.col("started") < PERIOD.interval.start).height > 0
    assert last.runs.filter(pl.col("observed_until") >= PERIOD.interval.end).height > 0
    assert sum(tables.holds["is_running"].sum() for tables in days.values()) == 0


def test_weekends_are_quieter(days: dict[str, DayTables]) -> None:
    assert days["2026-10-04"].runs.height < days["2026-10-07"].runs.height


def test_the_demo_prices_the_accelerators_that_its_hosts_have() -> None:
    assert DEMO_ACCELERATORS == ALIASES
