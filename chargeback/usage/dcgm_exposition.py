"""What an exporter prints under /metrics: the Prometheus text format, and OpenMetrics as `promtool` writes it.

Lines are read by prometheus-client's parser, one by one, so that a broken line costs only itself. Not here: names and
units.
"""

import re

import polars as pl
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from chargeback.usage.dcgm_rows import SeriesGathered, samples_of
from chargeback.usage.extract import ParsedExtract, UnreadableExtract

_SAMPLE = re.compile(r"\s*[a-zA-Z_:][a-zA-Z0-9_:]*(\s*\{|\s+[-+]?(\d|\.\d|NaN|Inf))")
_END_OF_OPENMETRICS = re.compile(r"^# EOF\s*$", re.M)
_MILLISECONDS = 1_000


def parse_exposition(content: bytes, *, cluster: str) -> ParsedExtract:
    """Read one scrape; a record is a line with a sample. Samples without a time are of the extraction.

    Raises:  UnreadableExtract if it has lines, and none of them looks like a sample.
    """
    text = content.decode("utf-8", errors="replace").removeprefix("\ufeff")
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if _is_said(line)]
    if not text.strip() or (lines and not any(_SAMPLE.match(line) for _, line in lines)):
        raise UnreadableExtract(
            f"no telemetry of cluster {cluster}: no line of it is a sample as an exporter prints it, NAME{{LABELS}} "
            "VALUE; known besides are answers of the Prometheus API (JSON) and Parquet"
        )
    # OpenMetrics counts in seconds what the older format counts in milliseconds; the parser knows the older one.
    seconds = _MILLISECONDS if _END_OF_OPENMETRICS.search(text) else 1
    gathered = SeriesGathered()
    rows: list[int | None] = []
    instants: list[float | None] = []
    texts: list[str] = []
    for number, line in lines:
        sample = _sample_of(line.strip())
        if sample is None:
            gathered.refuse(number, "no sample: a name, labels and a number are needed, NAME{LABELS} VALUE", line)
            continue
        at = None if sample.timestamp is None else float(sample.timestamp) * seconds
        rows.append(gathered.add(sample.name, sample.labels, first=at, line=number, excerpt=line))
        instants.append(at)
        texts.append(repr(sample.value))
    at_instants = pl.Series(instants, dtype=pl.Float64)
    return gathered.parsed(samples_of(rows, [1] * len(rows), at_instants, pl.Series(texts, dtype=pl.String)))


def _is_said(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _sample_of(line: str) -> Sample | None:
    try:
        samples = [sample for family in text_string_to_metric_families(line) for sample in family.samples]
    except ValueError:
        return None
    return samples[0] if len(samples) == 1 else None
