"""The worked Kubernetes day with telemetry: every figure that was computed by hand, to the second."""

import json
from dataclasses import dataclass
from fractions import Fraction

import polars as pl
import pytest

from chargeback.attribution.conservation import (
    attribution_against_bindings,
    attribution_against_holds,
    gpus_held_twice,
    states_add_up,
)
from chargeback.attribution.hourly import attribute_hours
from chargeback.attribution.unallocated import unallocated_activity_of_day
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.contracts.unallocated_activity import UNALLOCATED_ACTIVITY
from chargeback.usage.bindings import bindings_of_day
from chargeback.usage.kubernetes_holds import kubernetes_holds_of_day
from chargeback.usage.kubernetes_inventory import kubernetes_inventory_of
from chargeback.usage.kubernetes_nodes import parse_kubernetes_nodes
from chargeback.usage.kubernetes_runs import kubernetes_runs_of_day
from chargeback.usage.label_agreement import labels_against_holds
from chargeback.usage.node_observations import raw_kubernetes_nodes_of_day
from chargeback.usage.set_members import members_of
from tests.chargeback.usage.landed_kubernetes import rows_of_day
from tests.chargeback.usage.telemetry import INTERVAL, observed, telemetry_said
from tests.tables import shared_file

COMMON = {"cluster": "k8s-b", "day": "2026-07-08", "interval": INTERVAL}
LIMITS = {"active_above_ppm": 200_000, "staleness_seconds": 180}
LANDED = "+1 01:00"


@dataclass(frozen=True)
class WorkedDay:
    """Its tables, from the files on."""

    runs: pl.DataFrame
    holds: pl.DataFrame
    devices: pl.DataFrame
    samples: pl.DataFrame
    bindings: pl.DataFrame
    inventory: pl.DataFrame
    hours: pl.DataFrame

    def of_pods(self, name: str) -> dict[str, Fraction]:
        """The sum of a column by pod's uid."""
        sums = self.hours.group_by("run").agg(pl.col(name).sum())
        return {run: Fraction(total) for run, total in sums.rows()}


@pytest.fixture(scope="module")
def day() -> WorkedDay:
    """What the rules make of pods.json, nodes.json and sm_active.json."""
    pods_json, nodes_json, sm_active = (
        shared_file("worked-day", name).read_bytes() for name in ("pods.json", "nodes.json", "sm_active.json")
    )
    pods = rows_of_day([(LANDED, pods_json)])
    nodes = rows_of_day([(LANDED, nodes_json)], parse=parse_kubernetes_nodes, fold=raw_kubernetes_nodes_of_day)
    of_claims = (RAW_CLAIMS.empty(), RAW_SLICES.empty())
    runs = kubernetes_runs_of_day(
        pods, RAW_WORKLOADS.empty(), *of_claims, nodes, **COMMON, tiers={}, classes={}, approvals=()
    )
    holds = kubernetes_holds_of_day(runs, pods, *of_claims, nodes, **COMMON, aliases={})
    telemetry = telemetry_said(observed(sm_active), staleness=180)
    inventory = kubernetes_inventory_of(nodes, aliases={})
    bindings = bindings_of_day(
        holds, runs, RAW_BINDINGS.empty(), RAW_DEVICE_MAPS.empty(), pods, *of_claims, telemetry.devices, inventory,
        **COMMON,
    )  # fmt: skip
    hours = attribute_hours(holds, bindings, runs, telemetry.samples, **COMMON, **LIMITS)
    return WorkedDay(runs, holds, telemetry.devices, telemetry.samples, bindings, inventory, hours)


@pytest.fixture(scope="module")
def expected() -> dict[str, object]:
    """The figures that were computed by hand."""
    return json.loads(shared_file("worked-day", "expected.json").read_text())


def test_every_pod_held_did_and_consumed_what_was_computed_by_hand(
    day: WorkedDay, expected: dict[str, dict[str, dict[str, object]]]
) -> None:
    columns = {
        "held": ("held_seconds", 1),
        "observed": ("observed_milliseconds", 1000),
        "active": ("active_milliseconds", 1000),
        "consumed": ("consumed_ppm_milliseconds", 1_000_000_000),
        "unmeasured": ("unmeasured_milliseconds", 1000),
    }

    found = {name: day.of_pods(column) for name, (column, _) in columns.items()}

    for pod in expected["pods"].values():
        for name, (_, unit) in columns.items():
            assert found[name][str(pod["uid"])] / unit == Fraction(str(pod[name])), (pod["uid"], name)
    assert set(found["held"]) == {pod["uid"] for pod in expected["pods"].values()}


def test_what_was_held_and_what_was_not_add_up_to_the_capacity_of_the_node(
    day: WorkedDay, expected: dict[str, int]
) -> None:
    gpus = int(day.inventory.select(pl.col("capacity_units") // pl.col("units_per_gpu")).sum().item())
    held = int(day.hours["held_seconds"].sum())

    assert gpus * INTERVAL.seconds == expected["capacity"]
    assert held == expected["held"]
    assert gpus * INTERVAL.seconds - held == expected["unallocated"]


def test_a_gpu_that_worked_while_nobody_held_it_is_an_exception_to_the_second(
    day: WorkedDay, expected: dict[str, str]
) -> None:
    unheld = unallocated_activity_of_day(
        day.holds, day.bindings, day.samples, day.devices, inventory=day.inventory,
        members=members_of(day.holds["host"]), **COMMON, **LIMITS,
    )  # fmt: skip

    assert UNALLOCATED_ACTIVITY.breaches(unheld) == []
    assert Fraction(unheld["active_milliseconds"].sum(), 1000) == Fraction(expected["unallocated_but_busy"])
    assert set(unheld["accelerator"]) == {"a100-sxm4-80gb"}


def test_every_gpu_of_every_pod_is_bound_by_its_label_and_labels_that_stayed_on_are_told(day: WorkedDay) -> None:
    told = labels_against_holds(day.devices, day.runs, day.bindings, tolerance_seconds=180)

    assert sorted(day.bindings.group_by("run").len().rows()) == [("p-1", 2), ("p-2", 1), ("p-3", 1), ("p-4", 2)]
    assert set(day.bindings["evidence"]) == {"pod labels"}
    assert told["key"].str.contains("labelled vision/train-0").all()
    assert len(told) > 0


def test_the_day_keeps_its_contract_and_conserves(day: WorkedDay) -> None:
    assert ATTRIBUTION.breaches(day.hours) == []
    assert attribution_against_holds(day.hours, day.holds).is_empty()
    assert attribution_against_bindings(day.hours, day.bindings).is_empty()
    assert states_add_up(day.hours).is_empty()
    assert gpus_held_twice(day.hours, interval=INTERVAL).is_empty()
