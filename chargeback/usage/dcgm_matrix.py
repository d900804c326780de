"""What the Prometheus HTTP API answers to an instant query: a matrix (a range selector) or a vector, as JSON.

Thanos, Mimir and VictoriaMetrics answer in the same shape. Not here: asking (resources/prometheus_api.py).
"""

from collections.abc import Mapping, Sequence

import orjson
import polars as pl

from chargeback.usage.dcgm_names import NAME_LABELS, first_of
from chargeback.usage.dcgm_rows import SeriesGathered, samples_of
from chargeback.usage.dcgm_scan import Scanned, scanned
from chargeback.usage.extract import ParsedExtract, UnreadableExtract

_NOT_PAIRS = "`{}` are not pairs of a number and a text"


def parse_answer(content: bytes, *, cluster: str) -> ParsedExtract:
    """Read one answer; a record is an element of its `result`, its line the number of that element.

    Raises:  UnreadableExtract for JSON that is cut off, for an error that was kept instead of an answer, and for
             results of another type (a scalar).
    """
    in_bulk = scanned(content)
    if in_bulk is not None:
        key, elements = _elements(in_bulk.skeleton, cluster)
        counts = [_part(each, key) for each in elements]
        if all(type(count) is int for count in counts) and sum(map(int, map(str, counts))) == len(in_bulk.samples):
            return _parsed_in_bulk(elements, in_bulk)
    key, elements = _elements(content, cluster)
    return _parsed_one_by_one(elements, key)


def _elements(content: bytes, cluster: str) -> tuple[str, list[object]]:
    """The key that samples stand under, and the elements of the result."""
    what = f"not a Prometheus answer of cluster {cluster}"
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise UnreadableExtract(f"{what}: no JSON ({error}); extract it again") from error
    if not isinstance(document, dict):
        raise UnreadableExtract(f"{what}: a JSON {type(document).__name__}, not an object with `data`")
    if document.get("status") == "error":
        raise UnreadableExtract(f"{what} but its error: {document.get('error')}; extract it again")
    answer = document.get("data")
    kind = answer.get("resultType") if isinstance(answer, dict) else None
    key = {"matrix": "values", "vector": "value"}.get(str(kind))
    elements = answer.get("result") if isinstance(answer, dict) else None
    if key is None or not isinstance(elements, list):
        raise UnreadableExtract(f"{what}: resultType is {kind!r}; a matrix or a vector is read: query METRIC[1h]")
    return key, elements


def _parsed_in_bulk(elements: list[object], found: Scanned) -> ParsedExtract:
    """Elements whose samples were cut out: where they stood, there is their number."""
    gathered = SeriesGathered()
    rows: list[int | None] = []
    counts: list[int] = []
    begin = 0
    for number, element in enumerate(elements, start=1):
        labels, count = _part(element, "metric"), int(str(_part(element, "values")))
        if isinstance(labels, Mapping):
            rows.append(_added(gathered, number, labels, first=found.samples["at"][begin]))
        else:
            gathered.refuse(number, "series without `metric` or `values`", str(element))
            rows.append(None)
        counts.append(count)
        begin += count
    return gathered.parsed(samples_of(rows, counts, found.samples["at"], found.samples["text"]))


def _parsed_one_by_one(elements: list[object], key: str) -> ParsedExtract:
    gathered = SeriesGathered()
    rows: list[int | None] = []
    counts: list[int] = []
    instants: list[float] = []
    texts: list[str] = []
    for number, element in enumerate(elements, start=1):
        labels, samples = _part(element, "metric"), _part(element, key)
        if not isinstance(labels, Mapping) or not isinstance(samples, Sequence) or isinstance(samples, str):
            gathered.refuse(number, f"series without `metric` or `{key}`", str(element))
            continue
        pairs = [samples] if key == "value" else samples
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            gathered.refuse(number, _NOT_PAIRS.format(key), str(labels))
            continue
        told = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        if not set(map(type, told[0])) <= {int, float} or not set(map(type, told[1])) <= {str}:
            gathered.refuse(number, _NOT_PAIRS.format(key), str(labels))
            continue
        rows.append(_added(gathered, number, labels, first=told[0][0] if pairs else None))
        counts.append(len(pairs))
        instants += told[0]
        texts += told[1]
    at = pl.Series(instants, dtype=pl.Float64, strict=False)
    return gathered.parsed(samples_of(rows, counts, at, pl.Series(texts, dtype=pl.String)))


def _part(element: object, key: str) -> object:
    return element.get(key) if isinstance(element, dict) else None


def _added(gathered: SeriesGathered, number: int, labels: Mapping[str, str], *, first: object) -> int | None:
    return gathered.add(first_of(labels, NAME_LABELS), labels, first=first, line=number, excerpt=str(labels))
