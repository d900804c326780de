"""What the Prometheus HTTP API answers to an instant query: a matrix (a range selector) or a vector, as JSON.

Thanos, Mimir and VictoriaMetrics answer in the same shape. Not here: asking (resources/prometheus_api.py).
"""

from collections.abc import Mapping, Sequence

import orjson

from chargeback.usage.dcgm_names import NAME_LABELS, first_of
from chargeback.usage.dcgm_rows import SeriesGathered
from chargeback.usage.extract import ParsedExtract, UnreadableExtract


def parse_answer(content: bytes, *, cluster: str) -> ParsedExtract:
    """Read one answer; a record is an element of its `result`, its line the number of that element.

    Raises:  UnreadableExtract for JSON that is cut off, for an error that was kept instead of an answer, and for
             results of another type (a scalar).
    """
    gathered = SeriesGathered()
    for number, (key, element) in enumerate(_elements(content, cluster), start=1):
        _take(gathered, number, key, element)
    return gathered.parsed()


def _elements(content: bytes, cluster: str) -> list[tuple[str, object]]:
    """Each element of the result with the key that its samples stand under."""
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
    return [(key, element) for element in elements]


def _take(gathered: SeriesGathered, number: int, key: str, element: object) -> None:
    labels = element.get("metric") if isinstance(element, dict) else None
    samples = element.get(key) if isinstance(element, dict) else None
    if not isinstance(labels, Mapping) or not isinstance(samples, Sequence) or isinstance(samples, str):
        gathered.refuse(number, f"series without `metric` or `{key}`", str(element))
        return
    pairs = [samples] if key == "value" else samples
    try:
        instants = [at for at, _ in pairs]
        texts = [text for _, text in pairs]
    except (TypeError, ValueError):
        gathered.refuse(number, f"`{key}` are not pairs of time and value", str(labels))
        return
    if not set(map(type, instants)) <= {int, float} or not set(map(type, texts)) <= {str}:
        gathered.refuse(number, f"`{key}` are not pairs of a number and a text", str(labels))
        return
    gathered.add(first_of(labels, NAME_LABELS), labels, instants, texts, line=number, excerpt=str(labels))
