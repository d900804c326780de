"""raw_kubernetes_nodes of a day: from when until when each node's record says what."""

from datetime import datetime
from functools import partial
from itertools import permutations
from typing import Any

import polars as pl

from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.usage.kubernetes_nodes import parse_kubernetes_nodes
from chargeback.usage.node_observations import raw_kubernetes_nodes_of_day
from tests.chargeback.usage.landed_kubernetes import NEXT_DAY, api_list, at, events, kubectl_list, rows_of_day, time
from tests.tables import shared_file

nodes_of_day = partial(rows_of_day, parse=parse_kubernetes_nodes, fold=raw_kubernetes_nodes_of_day)


def node(
    name: str = "node-1",
    *,
    uid: str = "n-1",
    created: str = "-9 00:00",
    gpus: int = 4,
    ready: tuple[str, str] = ("True", "-9 00:01"),
    cordoned: str | None = None,
) -> dict[str, Any]:
    """A node with GPUs; `ready` since an instant; cordoned since another."""
    taints = [
        {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": time(cordoned or "00:00")}
    ]
    spec = {"unschedulable": True, "taints": taints} if cordoned else {}
    return {
        "metadata": {"name": name, "uid": uid, "creationTimestamp": time(created)},
        "spec": spec,
        "status": {
            "capacity": {"nvidia.com/gpu": str(gpus)},
            "conditions": [{"type": "Ready", "status": ready[0], "lastTransitionTime": time(ready[1])}],
        },
    }


def node_list(*nodes: Any) -> bytes:
    return api_list("Node", *nodes)


def stretches(rows: pl.DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    return rows.select("statedFrom", "statedUntil", *columns).rows()


def whole_day() -> tuple[datetime, datetime]:
    return at("00:00"), at("+1 00:00")


def test_the_first_listing_reaches_back_to_the_creation_of_the_node() -> None:
    rows = nodes_of_day([("12:00", node_list(node(), node("node-2", created="06:00")))])

    assert rows.select("name", "statedFrom", "statedUntil").rows() == [
        ("node-1", *whole_day()),
        ("node-2", at("06:00"), at("+1 00:00")),
    ]
    assert RAW_KUBERNETES_NODES.breaches(rows) == []


def test_a_listing_behind_the_day_reaches_back_into_it() -> None:
    rows = nodes_of_day([("+1 00:10", node_list(node()))])

    assert stretches(rows) == [whole_day()]


def test_a_node_that_is_listed_every_night_rewrites_no_old_day() -> None:
    nights = [(f"{night} 00:10", node_list(node())) for night in range(4)]

    rows = nodes_of_day(nights[:2])

    assert stretches(rows, "extracted_at") == [(*whole_day(), at("00:10"))]
    assert all(nodes_of_day(nights[:landed]).equals(rows) for landed in (1, 3, 4))


def test_another_statement_counts_from_its_extraction() -> None:
    rows = nodes_of_day([("00:10", node_list(node())), ("12:00", node_list(node(gpus=3)))])

    assert stretches(rows, "capacity") == [
        (at("00:00"), at("12:00"), '{"nvidia.com/gpu":"4"}'),
        (at("12:00"), at("+1 00:00"), '{"nvidia.com/gpu":"3"}'),
    ]


def test_a_statement_of_the_next_day_changes_nothing_of_the_day() -> None:
    landed = [("00:10", node_list(node())), ("+1 00:10", node_list(node(gpus=3)))]

    assert stretches(nodes_of_day(landed), "capacity") == [(*whole_day(), '{"nvidia.com/gpu":"4"}')]
    assert stretches(nodes_of_day(landed, NEXT_DAY), "capacity") == [
        (at("+1 00:00"), at("+1 00:10"), '{"nvidia.com/gpu":"4"}'),
        (at("+1 00:10"), at("+2 00:00"), '{"nvidia.com/gpu":"3"}'),
    ]


def test_readiness_and_cordon_count_from_when_they_changed() -> None:
    landed = [
        ("00:10", node_list(node())),
        ("12:00", node_list(node(ready=("Unknown", "10:30")))),
        ("+1 00:10", node_list(node(ready=("True", "13:00"), cordoned="15:00"))),
    ]

    rows = nodes_of_day(landed)

    assert stretches(rows, "ready", "unschedulable") == [
        (at("00:00"), at("10:30"), "True", False),
        (at("10:30"), at("13:00"), "Unknown", False),
        (at("13:00"), at("+1 00:00"), "True", True),
    ]
    assert rows["cordonedSince"].to_list() == [None, None, at("15:00")]


def test_a_node_ends_at_the_first_full_listing_without_it() -> None:
    rows = nodes_of_day([("00:10", node_list(node())), ("12:00", node_list()), ("18:00", node_list())])

    assert stretches(rows) == [(at("00:00"), at("12:00"))]


def test_a_node_that_kubectl_did_not_print_is_still_there() -> None:
    rows = nodes_of_day([("00:10", node_list(node())), ("12:00", kubectl_list())])

    assert stretches(rows) == [whole_day()]


def test_a_node_that_one_listing_missed_and_the_next_one_shows_was_there() -> None:
    rows = nodes_of_day([("00:10", node_list(node())), ("12:00", node_list()), ("12:15", node_list(node()))])

    assert stretches(rows) == [whole_day()]


def test_a_node_that_was_registered_anew_is_another_one_from_then_on() -> None:
    again = node(uid="n-2", created="11:00", gpus=8)

    rows = nodes_of_day([("00:10", node_list(node())), ("12:00", node_list(again))])

    assert stretches(rows, "uid") == [(at("00:00"), at("11:00"), "n-1"), (at("11:00"), at("+1 00:00"), "n-2")]


def test_a_node_that_was_gone_for_hours_has_two_stretches() -> None:
    landed = [
        ("00:10", node_list(node())),
        ("06:00", node_list()),
        ("12:00", node_list(node(uid="n-2", created="11:00"))),
    ]

    assert stretches(nodes_of_day(landed), "uid") == [
        (at("00:00"), at("06:00"), "n-1"),
        (at("11:00"), at("+1 00:00"), "n-2"),
    ]


def test_a_deleted_node_ends_when_the_event_landed() -> None:
    rows = nodes_of_day([("00:10", node_list(node())), ("12:00", events(("DELETED", node())))])

    assert stretches(rows) == [(at("00:00"), at("12:00"))]


def test_a_node_that_was_created_while_the_listing_was_taken_begins_then() -> None:
    rows = nodes_of_day([("09:00", node_list(node(created="09:00:02")))])

    assert stretches(rows) == [(at("09:00:02"), at("+1 00:00"))]


def test_stretches_of_a_node_never_overlap_whatever_order_landed() -> None:
    landed = [
        ("-1 12:00", node_list(node(), node("node-2", uid="n-2"))),
        ("09:00", events(("MODIFIED", node(ready=("False", "08:00"))), ("DELETED", node("node-2", uid="n-2")))),
        ("12:00", node_list(node(cordoned="10:00"))),
        ("+1 00:10", node_list(node(), node("node-2", uid="n-3", created="15:00"))),
    ]

    rows = nodes_of_day(landed)

    neighbours = rows.with_columns(next_from=pl.col("statedFrom").shift(-1).over("name"))
    assert neighbours.filter(pl.col("next_from") < pl.col("statedUntil")).is_empty()
    assert rows.filter(name="node-2")["uid"].to_list() == ["n-2", "n-3"]
    assert all(nodes_of_day(order).equals(rows) for order in permutations(landed))


def test_the_worked_day_has_one_node_with_four_gpus_all_day() -> None:
    content = shared_file("worked-day", "nodes.json").read_bytes()

    rows = nodes_of_day([("+1 00:10", content)])

    assert stretches(rows, "name", "ready") == [(*whole_day(), "node-1", None)]
    assert '"nvidia.com/gpu":"4"' in rows["capacity"][0]


def test_a_day_of_which_nothing_tells_has_no_nodes() -> None:
    assert nodes_of_day([("10:00", node_list())]).equals(RAW_KUBERNETES_NODES.empty())
