"""`chargeback assess`: days billed and no month, owners or accounts, a page in the lake, one line for every refusal."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.partition import Partition
from orchestration.assess import Assessed, assess, assess_and_report
from orchestration.bill import read_landing
from resources.setting_kinds import SettingsRefused
from tests.estates import (
    BUSY,
    EXTRACTED_AT,
    INPUTS,
    LAST_DAY,
    LATER,
    MONTH,
    OVERNIGHT,
    Estate,
    NoProgress,
    in_this_process,
    job,
    prepared,
    sacct,
)


def landed(folder: Path) -> None:
    """Three small jobs and node records, and nothing of people: no card, no ownership."""
    estate = Estate.begun_in(folder, people=False)
    estate.land("slurm/sacct", sacct(BUSY, OVERNIGHT, LAST_DAY))


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Estate:
    return prepared(tmp_path_factory, "to-assess", landed)


def assessed(estate: Estate, **changes: object) -> Assessed:
    asked = {"days": 14, "until": "2026-03-31", "price": None, "cluster": None, "now": LATER,
             "pool_of": in_this_process, **changes}  # fmt: skip
    return assess(
        workspace=estate.workspace, settings_file=estate.config, progress=NoProgress(), **asked,
    )  # type: ignore[arg-type]  # fmt: skip


def test_days_that_were_never_billed_are_billed_first_and_no_month_is(estate: Estate, tmp_path: Path) -> None:
    fresh = estate.copied_to(tmp_path / "fresh")

    outcome = assessed(fresh)

    lake = fresh.workspace.lake
    days = [Partition.of_day("slurm-a", day) for day in ("2026-03-30", "2026-03-31")]
    assert outcome.failures == ()
    assert len(lake.states(ATTRIBUTION, days)) == 2
    assert lake.state(CERTIFICATE, Partition.of_month(MONTH)) is None
    assert (outcome.document["first_day"], outcome.document["last_day"]) == ("2026-03-30", "2026-03-31")
    assert outcome.document["days_missing"] == 0


def test_without_ownership_accounts_stand_for_teams_and_no_card_is_needed(estate: Estate, tmp_path: Path) -> None:
    document = assessed(estate.copied_to(tmp_path / "accounts")).document

    assert document["grouped_by"] == "account"
    assert {row["name"]: row["hours"] for row in document["owners"]} == {
        "vision-lab": "10.00", "nlp-lab": "8.00", "shared-lab": "2.00",
    }  # fmt: skip
    assert document["verdict"]["title"] == "You do not need this: 0.4 GPUs were held on average."  # 20 hours in 47


def test_with_ownership_teams_are_told_with_what_a_point_is_worth(estate: Estate, tmp_path: Path) -> None:
    owned = estate.copied_to(tmp_path / "owned")
    owned.land("ownership", (INPUTS / "ownership.csv").read_bytes(), extension="csv")

    document = assessed(owned, price=Decimal("2.50")).document

    assert document["grouped_by"] == "team"
    assert {row["name"] for row in document["owners"]} == {"Vision", "NLP"}
    assert document["point"]["worth"] == "0.50"  # 20.0003 GPU-hours


def test_a_busy_estate_without_telemetry_gets_no_verdict_about_its_use(tmp_path: Path) -> None:
    estate = Estate.begun_in(tmp_path / "dark", people=False)
    whole = "gres/gpu:h100=8,gres/gpu=8,node=1"
    hours = [(day, host) for day in ("30", "31") for host in ("gpu01", "gpu02")]
    jobs = [
        job(n, f"2026-03-{day}T00:00:00", f"2026-03-{day}T22:00:00", tres=whole, host=host)
        for n, (day, host) in enumerate(hours, start=1)
    ]
    estate.land("slurm/sacct", sacct(*jobs))

    document = assessed(estate).document

    assert document["verdict"]["answer"] == "not known"
    assert document["held"]["unmeasured_hours"] == document["held"]["hours"] == "704.00"
    assert document["held"]["node_hours"] == "88.00"


def test_the_last_day_is_the_last_one_that_was_over_when_records_were_extracted(estate: Estate, tmp_path: Path) -> None:
    document = assessed(estate.copied_to(tmp_path / "until"), until=None, days=1).document

    assert EXTRACTED_AT.date().isoformat() == "2026-04-02"
    assert (document["first_day"], document["last_day"]) == ("2026-04-01", "2026-04-01")
    assert document["verdict"]["title"] == "You do not need this: nothing was held."


def test_days_of_two_months_are_assessed_together(estate: Estate, tmp_path: Path) -> None:
    document = assessed(estate.copied_to(tmp_path / "two-months"), until="2026-04-01").document

    assert (document["day_count"], document["held"]["hours"]) == (3, "20.00")


def test_the_page_is_kept_in_the_lake_and_its_path_is_printed(
    estate: Estate, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    copied = estate.copied_to(tmp_path / "page")

    done = copied.command("assess", "--until", "2026-03-31", "--price-per-gpu-hour", "2.40")

    assert done.returncode == 0, done.stderr
    assert "You do not need this: 0.4 GPUs were held on average." in done.stdout
    assert "one point of utilisation is 0.20 GPU-hours = 0.48 EUR in these days" in done.stdout
    (page,) = (copied.folder / "lake" / "published" / "assessments").iterdir()
    assert page.name.startswith("2026-03-30--2026-03-31-")
    assert f"page           {page}" in done.stdout
    assert b"<svg" in page.read_bytes()


def test_the_page_can_be_written_elsewhere_and_is_the_same_the_next_time(estate: Estate, tmp_path: Path) -> None:
    copied = estate.copied_to(tmp_path / "again")
    first = assessed(copied)

    assess_and_report(
        days=14, until="2026-03-31", price=None, cluster="slurm-a", to=tmp_path / "page.html", config=copied.config
    )

    assert (tmp_path / "page.html").read_bytes() == first.page
    assert not (copied.folder / "lake" / "published").exists()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"days": 0}, "--days 0: must be from 1 to 366"),
        ({"until": "yesterday"}, "--until 'yesterday' is no day; write it as 2026-10-14"),
        ({"until": "2026-03-29"}, "day 2026-03-29 is outside this lake: its first is 2026-03-30"),
        ({"until": "2026-05-01"}, "day 2026-05-01 is outside this lake"),
        ({"cluster": "k8s-x"}, "cluster 'k8s-x' is not in chargeback.toml; known: slurm-a"),
    ],
)
def test_what_cannot_be_assessed_is_refused_in_one_line(estate: Estate, changes: dict[str, object], told: str) -> None:
    with pytest.raises(SettingsRefused) as refused:
        assessed(estate, **changes)

    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("price", "told"),
    [("cheap", "'cheap' is no number; write it as 2.40"), ("-1", "must be above 0"), ("NaN", "above 0")],
)
def test_an_impossible_price_is_refused(estate: Estate, price: str, told: str) -> None:
    with pytest.raises(SettingsRefused, match=told):
        assess_and_report(days=1, until=None, price=price, cluster=None, to=None, config=estate.config)


def test_an_empty_landing_says_what_to_land(tmp_path: Path) -> None:
    estate = Estate.begun_in(tmp_path / "empty", people=False)

    with pytest.raises(
        SettingsRefused, match="nothing was landed for slurm-a: chargeback land FILE --source slurm/sac"
    ):
        assessed(estate, until=None)


def test_a_day_that_cannot_be_computed_is_said_and_missing_in_the_figures(estate: Estate, tmp_path: Path) -> None:
    copied = estate.copied_to(tmp_path / "failing")
    read_landing(copied.workspace, ["slurm-a"], NoProgress(), begin_work=lambda: None)

    outcome = assessed(copied, pool_of=no_worker_lives)

    assert [failure.partition(": ")[0] for failure in outcome.failures] == ["slurm-a|2026-03-30", "slurm-a|2026-03-31"]
    assert "a worker process died" in outcome.failures[0]
    assert outcome.document["days_missing"] == 2


class _Dead(Executor):
    """A pool whose processes are gone."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        raise BrokenProcessPool("gone")


@contextmanager
def no_worker_lives(settings_file: Path | None, count: int) -> Iterator[Executor]:
    """A pool in which nothing can be run."""
    yield _Dead()
