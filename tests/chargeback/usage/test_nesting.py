"""Objects that nest without end, and YAML that repeats itself, cost nobody more than a reason."""

from contextlib import suppress
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from chargeback.pricing.ownership import read_ownership
from chargeback.pricing.rate_card import CardRefused, read_rate_card
from chargeback.usage import nesting
from chargeback.usage.extract import UnreadableExtract
from chargeback.usage.extract_kinds import kind_of
from chargeback.usage.gpu_approvals import parse_approvals
from chargeback.usage.inspect_extract import inspect_extract
from resources.parsers import _PARSERS, parser_of

LEVELS = (100_000, 1_000, 600, 260)
"""Beyond every limit; within the JSON library's, beyond Python's; within Python's once, not twice; beyond dumping."""

READERS = [(source, extension) for source in _PARSERS for extension in ("json", "txt")]


def deep_json(levels: int) -> str:
    return "[" * levels + "]" * levels


def deep_object(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


def wrapped(deep: str) -> dict[str, str]:
    """Documents of every shape that a parser looks into, with something deep where it looks."""
    return {
        "bare": deep,
        "jobs": f'{{"meta":{{"plugin":{{"type":"openapi/dbv0.0.38"}}}},"jobs":[{{"job_id":1,"time":{deep}}}]}}',
        "nodes": f'{{"nodes":[{{"name":"a","state":{deep}}}]}}',
        "sinfo": f'{{"sinfo":[{deep}]}}',
        "pod": f'{{"kind":"Pod","metadata":{{"name":"a","uid":"u","labels":{deep}}},"spec":{deep},"status":{deep}}}',
        "list": f'{{"apiVersion":"v1","kind":"PodList","items":{deep}}}',
        "items": f'{{"kind":"List","items":{deep}}}',
        "event": f'{{"type":"ADDED","object":{deep}}}',
        "claim": f'{{"kind":"ResourceClaim","metadata":{{"name":"a"}},"spec":{deep},"status":{deep}}}',
        "node": f'{{"kind":"Node","metadata":{{"name":"a","annotations":{deep}}},"status":{{"capacity":{deep}}}}}',
        "workload": f'{{"kind":"Job","metadata":{{"name":"a","ownerReferences":{deep}}},"spec":{deep}}}',
        "podresources": f'{{"podResources":{deep}}}',
        "answer": f'{{"status":"success","data":{{"resultType":"matrix","result":[{deep}]}}}}',
    }


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("source, extension", READERS)
def test_no_parser_breaks_on_json_that_nests_without_end(source: str, extension: str, levels: int) -> None:
    read = parser_of(source, extension)

    for deep in (deep_json(levels), deep_object(levels)):
        for content in list(wrapped(deep).values())[: 3 if levels > 10_000 else None]:
            reads_or_refuses(read, content.encode())


@pytest.mark.parametrize("source, extension", READERS)
def test_no_parser_breaks_on_yaml_that_nests_without_end(source: str, extension: str) -> None:
    read = parser_of(source, extension)
    head = "apiVersion: v1\nkind: Pod\nmetadata: "

    for levels in LEVELS:
        for deep in (deep_json(levels), "{a: " * levels, "- " * levels + "x", "\n" + "- " * levels + "x"):
            reads_or_refuses(read, (head + deep).encode())


@pytest.mark.parametrize("levels", LEVELS)
def test_what_nests_without_end_is_still_said_to_be_something_or_refused(levels: int) -> None:
    for deep in (deep_json(levels), deep_object(levels), "- " * levels):
        for content in wrapped(deep).values():
            try:
                kind = kind_of(content.encode())
            except UnreadableExtract as refused:
                kind = str(refused)
            assert kind


@pytest.mark.parametrize("source", ["kubernetes/pods", "kubernetes/nodes", "kubernetes/workloads", "kubernetes/claims"])
def test_a_billion_laughs_are_a_fault_of_one_document(source: str) -> None:
    names = "abcdefghijklmnop"
    lines = [
        'a: &a ["lol"]',
        *(f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]" for before, name in pairwise(names)),
    ]
    laughs = "\n".join(lines) + "\nmetadata: {name: x, labels: *p}\nspec: *p\nstatus: *p\n"
    text = f"apiVersion: v1\nkind: Pod\n{laughs}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: b}}\n"

    parsed = parser_of(source, "yaml")(text.encode(), cluster="k8s-b", zone=None)

    assert parsed.frame.is_empty()
    assert [nesting.ALIASES_NOT_READ in each.reason for each in parsed.quarantined] == [True]


def test_a_billion_laughs_among_approvals_are_one_finding() -> None:
    names = "abcdefghijklmnop"
    lines = ['- &a ["lol"]', *(f"- &{name} [{', '.join([f'*{before}'] * 9)}]" for before, name in pairwise(names))]

    parsed = parse_approvals("\n".join(lines).encode())

    assert parsed.approvals == ()
    assert parsed.findings == (f"approvals: {nesting.ALIASES_NOT_READ}",)


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("beginning", ["[", "{a: ", "- ", "? "])
def test_what_people_write_may_not_nest_without_end(beginning: str, levels: int) -> None:
    content = (beginning * levels).encode()

    assert parse_approvals(content).approvals == ()
    assert parse_approvals(content).findings
    assert isinstance(read_rate_card(content, object_key="card.yaml"), CardRefused)
    assert read_ownership(content, object_key="owners.csv")[1]


def test_approvals_of_a_megabyte_and_more_are_not_read() -> None:
    content = b"- {cluster: a, run: 1, gpus: 1, by: x, reason: y}\n" * 30_000

    assert parse_approvals(content).approvals == ()
    assert "1500000 bytes long" in parse_approvals(content).findings[0]


def test_lines_that_each_begin_a_document_cost_time_in_proportion_to_their_number() -> None:
    content = b"[\n" * 50_000

    with pytest.raises(UnreadableExtract, match="line 1"):
        parser_of("kubernetes/pods", "json")(content, cluster="k8s-b", zone=None)


@pytest.mark.parametrize("levels", LEVELS)
def test_inspection_says_that_an_object_nests_too_deep(levels: int) -> None:
    content = wrapped(deep_json(levels))["jobs"].encode()

    seen = inspect_extract(content, name="x", cluster="a", zone=None, billing_zone=ZoneInfo("UTC"))

    assert seen.problem


def test_a_fault_of_our_own_is_not_taken_for_a_fault_of_the_object() -> None:
    @nesting.refusing_endless_nesting
    def broken(content: bytes) -> int:
        return len(content) + "1"  # type: ignore[operator]

    with pytest.raises(TypeError, match="unsupported operand"):
        broken(b"x")


def test_text_with_ampersands_and_stars_has_no_aliases() -> None:
    assert not nesting.has_aliases("command: 'a && b * c'\nother: a&b*c\n")
    assert nesting.has_aliases("a: &x 1\nb: *x\n")


def reads_or_refuses(read: object, content: bytes) -> None:
    with suppress(UnreadableExtract):
        assert read(content, cluster="a", zone=None).records >= 0  # type: ignore[operator]
