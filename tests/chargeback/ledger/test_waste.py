"""Waste: ranked by absolute GPU-hours, with name and owner, and one plain sentence of what to do first."""

from fractions import Fraction

import polars as pl
import pytest

from chargeback.ledger.usage_states import all_states, states_by
from chargeback.ledger.waste import WasteItem, never_active_items, unmeasured_items, waste_items
from chargeback.ledger.waste_parts import advice, waste_parts
from tests.chargeback.ledger.measured_usage import MONTH, measured_usage

HEAD = MONTH.strip().splitlines()[0]


def told(items: list[WasteItem]) -> list[tuple[str, str, int]]:
    return [(item.key["workload_name"], item.kind, int(item.lost / 3600)) for item in items]


def test_the_largest_loss_comes_first_whatever_its_percentage() -> None:
    assert told(waste_items(measured_usage(), limit=5)) == [
        ("sweep-a", "starved", 1000),
        ("Notebook/n9", "idle", 410),
        ("sweep-a", "idle", 40),
        ("RayJob/fit", "after_end", 24),
        ("Deploy/chat", "starved", 10),
    ]


def test_a_loss_names_its_owner_its_days_and_what_it_cost() -> None:
    first = waste_items(measured_usage(), limit=1)[0]

    assert (first.key["team"], first.key["user"], first.key["account"]) == ("Vision", "ana01", "vision-lab")
    assert (first.first_day, first.last_day) == ("2026-03-02", "2026-03-02")  # on the 3rd nothing was starved
    assert (first.cost, first.run_count, first.job_id) == (2000, 1, "t1")


def test_all_losses_together_are_what_was_lost() -> None:
    rated = measured_usage()

    items = waste_items(rated, limit=100)

    assert sum((item.lost for item in items), Fraction(0)) == all_states(states_by(rated, "team")).lost


def test_what_nobody_measured_stands_in_a_list_of_its_own() -> None:
    rated = measured_usage()

    assert told(unmeasured_items(rated, limit=2)) == [
        ("Deploy/chat", "unmeasured", 85), ("Job/dark", "unmeasured", 70),
    ]  # fmt: skip
    assert all(item.kind != "unmeasured" for item in waste_items(rated, limit=100))


def test_gpus_that_never_worked_are_counted_per_run_however_many_days_it_held_them() -> None:
    row = "r1  2026-03-0{day}  gpu03  RayJob/fit  batch  bo04  NLP  30  0  50  0  0  8  3"
    rated = measured_usage("\n".join([HEAD, *(row.format(day=day) for day in range(1, 5))]))

    (item,) = never_active_items(rated, limit=5)

    assert (item.gpus_never_active, item.gpus_measured, item.run_count) == (3, 8, 1)
    assert advice(item) == "3 of 8 GPUs never worked: ask for 5"


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        ("sweep-a", "the GPUs wait: feed them faster"),
        ("Notebook/n9", "stop it while nobody works with it"),
        ("RayJob/fit", "let it end with its job"),
        ("Job/pull", "never started: look at its image"),
    ],
)
def test_every_kind_of_loss_says_in_a_sentence_what_to_do_first(workload: str, said: str) -> None:
    items = [item for item in waste_items(measured_usage(), limit=20) if item.key["workload_name"] == workload]

    assert said in advice(items[0])


@pytest.mark.parametrize(
    ("states", "told"),
    [
        ("9  0", {"batch": "find out what it waits for", "service": "fewer replicas", "interactive": "stop it while"}),
        ("0  9", {"batch": "feed them faster", "service": "it has little to do", "interactive": "a share of a GPU"}),
    ],
)
def test_a_service_a_notebook_and_a_batch_job_are_told_different_things(states: str, told: dict[str, str]) -> None:
    rows = "\n".join(f"{name}  2026-03-02  gpu02  {name}  {name}  u  T  {states}  1  0  0  4  0" for name in told)

    items = waste_items(measured_usage(f"{HEAD}\n{rows}"), limit=3)

    assert len(items) == 3
    assert all(told[item.key["workload_class"]] in advice(item) for item in items)


def test_a_workload_that_has_no_name_is_told_by_its_jobs_name_else_its_id() -> None:
    rated = measured_usage()

    unnamed = rated.with_columns(workload=pl.lit(None, pl.String()))
    nameless = unnamed.with_columns(job_name=pl.lit("", pl.String()))

    assert waste_items(unnamed, limit=1)[0].key["workload_name"] == "job"
    assert waste_items(nameless, limit=1)[0].key["workload_name"] == "t1"


def test_two_owners_of_one_run_each_bear_their_part_of_the_loss() -> None:
    parts = [measured_usage(part="3/4"), measured_usage(part="1/4", team="NLP")]

    items = [item for item in waste_items(pl.concat(parts), limit=9) if item.key["workload_name"] == "Notebook/n9"]

    assert [(item.key["team"], item.lost / 3600, item.cost) for item in items] == [
        ("Vision", Fraction(615, 2), 615), ("NLP", Fraction(205, 2), 205),
    ]  # fmt: skip


def test_a_loss_on_shared_devices_is_marked_as_an_estimate() -> None:
    (item,) = waste_items(measured_usage(is_estimate=True), limit=1)

    assert item.is_estimate


def test_order_of_rows_changes_nothing() -> None:
    rated = measured_usage()

    assert waste_items(rated.reverse(), limit=5) == waste_items(rated, limit=5)


def test_the_parts_of_a_document_hold_texts_and_sums_of_everything() -> None:
    parts = waste_parts(measured_usage(), limit=2, cost_decimals=2)

    assert (parts["hours"], parts["unmeasured_hours"]) == ("1500.00", "157.00")
    assert [(row["what"], row["hours"], row["about"]) for row in parts["rows"]] == [
        ("starved", "1000.00", "2000.00"), ("held and idle", "410.00", "820.00"),
    ]  # fmt: skip
    assert (parts["gpus_never_active"], parts["gpus_measured"]) == (6, 79)


def test_without_any_telemetry_no_single_workload_is_blamed_for_being_dark() -> None:
    dark = measured_usage(f"{HEAD}\nu1  2026-03-07  gpu04  Job/dark  batch  cy05  NLP  0  0  0  70  0  0  0")

    parts = waste_parts(dark, limit=5, cost_decimals=2)

    assert (parts["rows"], parts["unmeasured"], parts["hours"]) == ([], [], "0.00")
