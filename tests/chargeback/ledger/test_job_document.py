"""One job: what was asked for and held, what each GPU did, what it costs to the unrounded cent, and what to do."""

import io
import json
from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest
from rich.console import Console

from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.runs import RUNS
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.job_document import JobRecords, job_document, render_job_csv
from chargeback.ledger.job_match import Meant
from chargeback.ledger.statement_document import Document
from chargeback.money import Currency
from chargeback.pricing.credits import CreditPolicies
from orchestration.job_tables import print_job
from tests.chargeback.ledger.measured_usage import measured_usage
from tests.chargeback.worked_month import EUR, rated_usage
from tests.tables import a_table_of

HOUR = 3_600_000
RUN = "4711@2026-03-05T10:00:00Z"
NO_GPU = "''"


def attribution(*devices: tuple[str, int, int, int, int], run: str = RUN) -> pl.DataFrame:
    """Of (gpu, active hours, starved, idle, unmeasured) on gpu04, whole GPUs."""
    rows = [
        f"slurm-a  2026-03-05  2026-03-05T10:00Z  {run}  gpu04  h100-sxm5-80gb  whole  {gpu or NO_GPU}  1  1  "
        f"{(active + starved + idle + dark) * 3600}  {active * HOUR}  {active * HOUR}  {starved * HOUR}  "
        f"{idle * HOUR}  {dark * HOUR}  {'-' if dark else 3_600_000 * 10**6}"
        for gpu, active, starved, idle, dark in devices
    ]
    head = (
        "cluster  day  hour_start  run  host  accelerator  sharing  gpu  share_units  units_per_gpu  held_seconds  "
        "active_milliseconds  busy_milliseconds  starved_milliseconds  idle_milliseconds  unmeasured_milliseconds  "
        "energy_microjoules"
    )
    return a_table_of(ATTRIBUTION, "\n".join([head, *rows]), is_estimate=False)


def run_rows(*runs: str, gpus: int = 8, basis: str = "recorded", cause: str = "completed") -> pl.DataFrame:
    head = "cluster  day  run  job_id  user  account  job_name  started  ended  end_cause  declared_gpus  gpu_count"
    rows = [
        f"slurm-a  2026-03-05  {run}  4711  ana  vision-lab  sft  {run.partition('@')[2]}  2026-03-05T16:00Z  {cause}  "
        f"{gpus}  {gpus}"
        for run in runs
    ]
    return a_table_of(
        RUNS, "\n".join([head, *rows]), gpu_count_basis=basis, hosts="gpu04", tier="standard", scheduler="slurm"
    )


def document_of(
    held: pl.DataFrame,
    rated: pl.DataFrame | None = None,
    *,
    runs: tuple[str, ...] = (RUN,),
    currency: Currency = EUR,
    **about: str,
) -> Document:
    priced = rated if rated is not None else RATED_USAGE.empty()
    lines = charge_lines(priced, currency=currency)
    records = JobRecords(
        run_rows(*runs, **about),  # type: ignore[arg-type]
        held, priced, frozenset(lines["line_id"]), () if rated is not None else ("2026-03",),
    )  # fmt: skip
    return job_document(Meant("4711", "slurm-a", "ana", "vision-lab", "sft", runs), records, currency=currency)


def shown(document: Document) -> str:
    console = Console(file=io.StringIO(), record=True, width=200)
    print_job(document, console)
    return console.export_text()


def rated_run(*rows: str, price: str = "2.00", currency: Currency = EUR) -> pl.DataFrame:
    """Rated usage `idle starved busy unmeasured gpus never` of the run."""
    head = (
        "run  day  host  workload  workload_class  user  team  idle  starved  busy  unmeasured  after_end  gpus  never"
    )
    told = [
        f"{RUN}  2026-03-05  gpu04  Job/sft  batch  ana  Vision  {idle}  {starved}  {busy}  {dark}  0  {gpus}  {never}"
        for idle, starved, busy, dark, gpus, never in (row.split() for row in rows)
    ]
    return measured_usage("\n".join([head, *told]), price=price).with_columns(currency=pl.lit(currency.code))


EIGHT = (("GPU-0", 6, 0, 0, 0), *((f"GPU-{n}", 0, 0, 6, 0) for n in range(1, 8)))


def test_a_job_that_held_eight_and_used_one_is_told_so_with_the_hours() -> None:
    document = document_of(attribution(*EIGHT), rated_run("42 0 6 0 8 7"))

    assert document["notes"] == ["It held 8 GPUs and used 1: 42.00 GPU-hours never worked, ask for 1."]
    (run,) = document["runs"]
    assert (run["gpus_requested"], run["gpus_granted"]) == ("8", "8")
    assert {name: run["did"][f"{name}_hours"] for name in ("held", "active", "idle", "unmeasured")} == {
        "held": "48.00", "active": "6.00", "idle": "42.00", "unmeasured": "0.00",
    }  # fmt: skip
    assert run["did"]["energy_kwh"] == "8.000"
    assert [(device["gpu"], device["active_per_cent"]) for device in run["devices"]][:2] == [
        ("GPU-0", "100.0"), ("GPU-1", "0.0"),
    ]  # fmt: skip


def test_a_single_gpu_that_never_worked_is_named() -> None:
    document = document_of(attribution(("GPU-0", 6, 0, 0, 0), ("GPU-5", 0, 0, 6, 0)))

    assert document["notes"] == ["It held 2 GPUs and used 1: 6.00 GPU-hours (gpu04 GPU-5) never worked, ask for 1."]


def test_a_starved_job_is_told_to_feed_its_gpus_and_a_good_one_has_nothing_to_do() -> None:
    starved = document_of(attribution(("GPU-0", 2, 8, 0, 0)), rated_run("0 8 2 0 1 0"))
    good = document_of(attribution(("GPU-0", 10, 0, 0, 0)), rated_run("0 0 10 0 1 0"))

    assert starved["notes"][0].startswith("8.00 GPU-hours starved: it runs and the GPUs wait: feed them faster")
    assert good["notes"] == ["Nothing to do: its GPUs worked."]


def test_what_nobody_saw_is_not_called_idle() -> None:
    document = document_of(attribution(("", 0, 0, 0, 10)), rated_run("0 0 0 10 0 0"))

    assert "which is not idle" in document["notes"][0]
    assert document["runs"][0]["did"]["energy_kwh"] == ""
    assert "no data   10.00 GPU-h" in shown(document)
    assert "idle      ░" not in shown(document)


@pytest.mark.parametrize(
    ("basis", "note"),
    [("unknown", "Nobody recorded how many GPUs"), ("never started", "never started"), ("no GPUs", "held no GPU")],
)
def test_a_job_that_held_nothing_says_why(basis: str, note: str) -> None:
    document = document_of(ATTRIBUTION.empty(), RATED_USAGE.empty(), basis=basis)

    assert note in document["notes"][0]
    assert document["runs"][0]["costs"] == []
    assert note in shown(document)


def test_a_month_that_was_not_rated_has_no_cost_and_says_what_to_do() -> None:
    document = document_of(attribution(*EIGHT))

    assert document["unrated_months"] == ["2026-03"]
    assert document["runs"][0]["cost"] == ""
    assert "2026-03 was not rated yet, so its cost is not known: chargeback bill 2026-03" in shown(document)


def test_its_cost_is_unrounded_stands_on_its_line_and_credits_are_a_part_of_it() -> None:
    """Job 104 of the worked month: 96 A100 hours at 1.10, of whose 12 hours the last six are credited."""
    rated = rated_usage(credit_policies=CreditPolicies(platform_fault_cap_hours=6)).filter(pl.col("job_id") == "104")
    run = rated["run"][0]
    document = document_of(ATTRIBUTION.empty(), rated, runs=(run,))

    charge, credit = document["runs"][0]["costs"]
    assert (charge["hours"], charge["price"], charge["cost"]) == ("96.00", "1.10", "105.600000")
    assert (credit["kind_name"], credit["cost"]) == ("credit, platform fault", "-52.800000")
    assert document["cost"] == "52.800000"
    lines = charge_lines(rated, currency=EUR)
    assert {charge["line_id"], credit["line_id"]} == set(lines["line_id"])
    assert all(cost["on_statement"] for cost in document["runs"][0]["costs"])
    assert f"line {charge['line_id']}" in shown(document)


def test_the_jobs_of_a_line_add_up_to_its_unrounded_amount() -> None:
    rated = rated_usage()
    costs = [
        cost
        for run in sorted(set(rated["run"]))
        for cost in document_of(ATTRIBUTION.empty(), rated.filter(pl.col("run") == run), runs=(run,))["runs"][0][
            "costs"
        ]
    ]

    for line in charge_lines(rated, currency=EUR).iter_rows(named=True):
        own = [Fraction(cost["exact_cost"]) for cost in costs if cost["line_id"] == line["line_id"]]
        assert sum(own) == Fraction(line["exact_amount"])


def test_a_requeued_job_shows_every_run_and_all_together() -> None:
    again = "4711@2026-03-05T13:00:00Z"
    held = pl.concat([attribution(("GPU-0", 2, 0, 0, 0)), attribution(("GPU-0", 3, 0, 0, 0), run=again)])

    document = document_of(held, rated_run("0 0 2 0 1 0"), runs=(again, RUN))

    assert [run["run"] for run in document["runs"]] == [RUN, again]
    assert document["did"]["held_hours"] == "5.00"
    assert "run 1 of 2" in shown(document)
    assert "all runs together" in shown(document)


def test_usage_without_a_price_is_not_charged_and_says_so() -> None:
    rated = rated_run("0 0 10 0 1 0").with_columns(price=pl.lit(None, RATED_USAGE.schema["price"]))

    assert "the card has no price for H100 SXM5 80 GB · standard" in shown(document_of(attribution(*EIGHT), rated))


@pytest.mark.parametrize("code", ["JPY", "KWD", "EUR"])
def test_any_currency_is_shown_unrounded_and_its_csv_is_numbers_that_cannot_run(code: str) -> None:
    currency = Currency(code)
    document = document_of(
        attribution(("GPU-0", 10, 0, 0, 0)), rated_run("0 0 10 0 1 0", price="2.3455", currency=currency),
        currency=currency,
    )  # fmt: skip

    header, row = render_job_csv(document).decode().splitlines()
    cells = dict(zip(header.split(","), row.split(","), strict=True))
    assert (cells["currency"], Decimal(cells["cost"]), cells["held_gpu_hours"]) == (code, Decimal("23.455"), "10.00")
    assert f"× 2.3455 {code} = 23.455 {code}" in shown(document)
    assert json.loads(json.dumps(document)) == document
