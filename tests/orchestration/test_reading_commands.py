"""`chargeback job` and `diff` on a lake of two billed days: what they show, and one sentence where they cannot."""

import json
from collections.abc import Callable
from decimal import Decimal

import polars as pl
import pytest

from chargeback.contracts.partition import Partition
from chargeback.contracts.published import PUBLISHED
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.runs import RUNS
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.charges import charge_lines
from orchestration.charge_states import charge_state
from resources.lake_records import Provenance
from tests.checks.judging import put, rows_of
from tests.estates import INPUTS, LATER, MONTH, Estate
from tests.orchestration.commands_here import done, refused

PARTITION = Partition.of_month(MONTH)


def rows_of_usage(estate: Estate) -> pl.DataFrame:
    return estate.workspace.lake.scan(RATED_USAGE, [PARTITION]).frame.collect()


def charged_otherwise(estate: Estate, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    """The month as its assets would write it, had its usage been another."""
    workspace = estate.workspace
    usage = change(rows_of_usage(estate))
    written = workspace.lake.replace(RATED_USAGE, PARTITION, usage, Provenance("r", "c", {"setting|x": "1"}))
    lines = charge_lines(usage, currency=workspace.settings.currency)
    made_from = Provenance("r", "c", {f"rated_usage|{MONTH}": written.content_hash})
    workspace.lake.replace(TEAM_CHARGES, PARTITION, lines, made_from)


def at_dearer_prices(usage: pl.DataFrame) -> pl.DataFrame:
    return usage.with_columns(price=pl.lit(Decimal(5), usage.schema["price"]))


def test_a_job_is_shown_with_its_owner_hosts_hours_cost_and_line(billed_estate: Estate) -> None:
    said = done("job", "1", "--config", str(billed_estate.config))

    assert 'slurm-a · job 1 "job1" who u1 · account vision-lab · team Vision' in said
    assert "H100 SXM5 80 GB on gpu01 · 10.00 GPU-hours" in said
    assert "10.00 GPU-h × 2.385 EUR = 23.85 EUR" in said
    assert f"line GPU-{MONTH}-vision-" in said


def test_a_job_that_took_its_hosts_memory_is_told_what_it_blocks_by_the_cards_node(estate: Estate) -> None:
    taken = pl.lit("cpu=8,gres/gpu:h100=1,gres/gpu=1,mem=2T,node=1")
    put(estate, RUNS, rows_of(estate, RUNS).with_columns(alloc_tres=taken))
    config = ("--config", str(estate.config))
    assert "blocks" not in done("job", "3", *config)  # the card does not say what belongs to a GPU

    h100 = "  h100-sxm5-80gb:\n"
    card = (INPUTS / "rate-card.yaml").read_text().replace('"2026.1"', '"2026.2"')
    node = "    node: {cpus_per_gpu: 16, memory_gib_per_gpu: 256}\n"
    estate.land("rate-cards", card.replace(h100, h100 + node).encode(), at=LATER, extension="yaml")

    said = done("job", "3", *config)
    assert (
        "as much memory of its host as belongs to 8.00 GPUs · 14.00 GPU-hours beyond what it held, not charged" in said
    )
    (run,) = json.loads(done("job", "3", "--format", "json", *config))["runs"]
    assert (run["gpu_equivalents"], run["blocked_by"], run["blocked_hours"]) == ("8.00", "memory", "14.00")


def test_a_run_over_two_days_is_one_run_in_json_and_csv(billed_estate: Estate) -> None:
    config = str(billed_estate.config)

    document = json.loads(done("job", "slurm-a/2", "--format", "json", "--config", config))
    sheet = done("job", "job2", "--format", "csv", "--config", config)

    (run,) = document["runs"]
    assert (run["did"]["held_hours"], run["cost"], document["unrated_months"]) == ("8.00", "19.080000", [])
    assert "slurm-a,2,2@2026-03-30T20:00:00Z,job2,u1,nlp-lab,NLP" in sheet


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (
            ("job", "7"),
            "no job 7 in slurm-a: looked at the 2 days that were computed, 2026-03-30 to 2026-03-31; nearest: 3",
        ),
        (("job", "jb1"), "nearest: job1"),
        (("job", "1", "--cluster", "nowhere"), "nowhere"),
        (("job", "1", "--format", "xml"), "--format is 'xml'"),
        (("diff", MONTH, "soon"), "'soon' is no state of 2026-03; write now, certified, published"),
        (("diff", MONTH, "abcdef0"), "there is no state abcdef0 of 2026-03; there are:"),
        (("diff", MONTH), "2026-02 has no charges yet"),
        (("diff", "2026-13"), "'2026-13' is not a month"),
        (("diff", "2025-01", "now"), "outside this lake"),
    ],
)
def test_what_cannot_be_shown_is_one_sentence(billed_estate: Estate, arguments: tuple[str, ...], why: str) -> None:
    assert why in refused(*arguments, "--config", str(billed_estate.config))


def test_a_job_id_that_two_people_had_lists_both_and_what_to_type(estate: Estate) -> None:
    day = Partition.of_day("slurm-a", "2026-03-31")
    rows = estate.workspace.lake.scan(RUNS, [day]).frame.collect()
    twice = rows.with_columns(
        job_id=pl.when(pl.col("job_id") == "3").then(pl.lit("2")).otherwise("job_id"),
        user=pl.when(pl.col("job_id") == "3").then(pl.lit("eve")).otherwise("user"),
    )
    estate.workspace.lake.replace(RUNS, day, twice, Provenance("r", "c", {}))

    said = refused("job", "2", "--config", str(estate.config))

    assert "2 may be any of 2 jobs" in said
    assert "chargeback job 3@2026-03-31T08:00:00Z" in said


def test_a_month_as_certified_and_as_published_is_what_stands(billed_estate: Estate) -> None:
    config = str(billed_estate.config)

    assert "no line differs" in done("diff", MONTH, "certified", "--config", config)
    assert "no line differs" in done("diff", MONTH, "published", "now", "--config", config)


def test_what_changed_since_the_certificate_is_told_by_line_and_cause_and_adds_up(estate: Estate) -> None:
    before = json.loads(done("diff", MONTH, "certified", "--format", "json", "--config", str(estate.config)))
    charged_otherwise(estate, at_dearer_prices)

    document = json.loads(done("diff", MONTH, "certified", "--format", "json", "--config", str(estate.config)))
    table = done("diff", MONTH, "certified", "now", "--config", str(estate.config))

    assert document["total_before"] == before["total_after"]
    difference = Decimal(document["total_after"]) - Decimal(document["total_before"])
    assert Decimal(document["difference"]) == Decimal(document["causes"]["rate"]) == difference > 0
    assert sum(Decimal(row["because_of_rate"]) for row in document["rows"]) == difference
    assert "because of rate +" in table


def test_a_state_is_found_by_its_hash_its_version_its_certificate_and_its_published_folder(estate: Estate) -> None:
    workspace = estate.workspace
    first = charge_state("now", MONTH, workspace)
    rows = workspace.lake.scan(PUBLISHED, [PARTITION]).frame.collect()
    folder, certificate = rows["object"][0].split("/")[2], rows["certificate_hash"][0]
    charged_otherwise(estate, at_dearer_prices)

    called = [first.content_hash[:8], f"v{first.version}", certificate[:10], folder, "certified", "published"]

    assert {charge_state(name, MONTH, workspace).content_hash for name in called} == {first.content_hash}
    assert charge_state("now", MONTH, workspace).content_hash != first.content_hash
    assert charge_state(first.content_hash[:8], MONTH, workspace).rated.equals(first.rated)


def test_the_month_before_is_compared_where_no_state_is_named(estate: Estate) -> None:
    workspace = estate.workspace
    april = rows_of_usage(estate).with_columns(month=pl.lit("2026-04"), day=pl.col("day").str.replace("03", "04"))
    written = workspace.lake.replace(RATED_USAGE, Partition.of_month("2026-04"), april, Provenance("r", "c", {}))
    lines = charge_lines(april.filter(pl.col("team") != "NLP"), currency=workspace.settings.currency)
    made_from = Provenance("r", "c", {"rated_usage|2026-04": written.content_hash})
    workspace.lake.replace(TEAM_CHARGES, Partition.of_month("2026-04"), lines, made_from)

    document = json.loads(done("diff", "2026-04", "--format", "json", "--config", str(estate.config)))

    assert [(row["team"], row["line_after"]) for row in document["rows"]] == [
        ("NLP", ""),
        ("NLP", ""),
    ]  # its own, and of shared-lab
    assert (document["before"]["month"], document["after"]["month"]) == (MONTH, "2026-04")
