"""Pods damaged anywhere: each parser answers with rows, reasons and quarantine that add up, and never with a crash."""

import copy
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.usage.extract import ParsedExtract, UnreadableExtract
from chargeback.usage.kubernetes_claims import parse_claims
from chargeback.usage.kubernetes_nodes import parse_kubernetes_nodes
from chargeback.usage.kubernetes_pods import parse_pods
from chargeback.usage.kubernetes_workloads import parse_workloads
from resources.parsers import Parser
from tests.chargeback.usage.landed_kubernetes import events, kubectl_list, pod, pod_list, rows_of_day, time

FULL: dict[str, Any] = pod(
    "full",
    started="09:05",
    labels={"team": "vision"},
    ownerReferences=[{"kind": "Job", "name": "j", "uid": "o-1", "controller": True}],
    deletionTimestamp=time("12:00"),
)
FULL["spec"] |= {
    "initContainers": [{"name": "load", "restartPolicy": "Always"}],
    "resourceClaims": [{"name": "gpu", "resourceClaimName": "team-gpu"}],
    "activeDeadlineSeconds": 3600,
    "schedulingGroup": {"podGroupName": "gang"},
}
PARSERS: list[Parser] = [parse_pods, parse_kubernetes_nodes, parse_workloads, parse_claims]

TIMES = (time("10:00"), "2026-07-08T10:00:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-23:00")

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from((*TIMES, "True", "Failed", "Running", "Evicted")),
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value inside."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    return [path, *(place for key, each in inner for place in places(each, (*path, key)))]


PLACES = [place for place in places(FULL) if place]


def damaged(place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """The full pod with another value at a place."""
    body = copy.deepcopy(FULL)
    holder: Any = body
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    return body


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(place=st.sampled_from(PLACES), value=values)
def test_a_pod_with_any_value_anywhere_is_a_row_or_ignored_or_quarantined(place: tuple[Any, ...], value: Any) -> None:
    content = pod_list(pod("good"), damaged(place, value))

    parsed = parse_pods(content, cluster="k8s-b")
    rows = rows_of_day([("10:00", content), ("+1 00:10", content)])

    assert parsed.records == 2
    assert parsed.records == len(parsed.frame) + parsed.steps_ignored + len(parsed.quarantined)
    assert "good" in parsed.frame["uid"]
    assert all(record.line == 2 and record.reason for record in parsed.quarantined)
    assert RAW_PODS.breaches(rows) == []


def answer(parse: Parser, content: bytes) -> ParsedExtract | str:
    """What a parser says, or why it refuses."""
    try:
        return parse(content, cluster="k8s-b", zone=None)
    except UnreadableExtract as refused:
        return str(refused)


def adds_up(said: ParsedExtract | str) -> bool:
    """Whether every record is a row, ignored or quarantined; a refusal is one line."""
    if isinstance(said, str):
        return "\n" not in said
    return said.records == len(said.frame) + said.steps_ignored + len(said.quarantined)


CONTENTS = (pod_list(FULL), kubectl_list(FULL), 2 * events(("ADDED", FULL)))


@settings(max_examples=100, deadline=None)
@given(cut=st.integers(0, 3000), content=st.sampled_from(CONTENTS))
def test_an_extract_that_breaks_off_anywhere_is_refused_or_adds_up_and_proves_no_absence(
    cut: int, content: bytes
) -> None:
    answers = [answer(parse, content[:cut]) for parse in PARSERS]

    assert all(adds_up(said) for said in answers)
    if cut < len(content):
        assert all(isinstance(said, str) or said.full_listings_of == frozenset() for said in answers)


@settings(max_examples=100, deadline=None)
@given(content=st.one_of(st.binary(max_size=200), values.map(lambda value: json.dumps(value).encode())))
def test_any_bytes_are_refused_or_add_up(content: bytes) -> None:
    assert all(adds_up(answer(parse, content)) for parse in PARSERS)
