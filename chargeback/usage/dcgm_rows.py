"""Telemetry as every format is read into: one row per series of an object, its samples in two lists.

A series is a metric under one set of labels. Labels stand once a series, not once a sample, so that a day of a large
cluster fits into memory. Not here: formats (dcgm_matrix.py, dcgm_exposition.py, dcgm_parquet.py), and what many objects
say together (telemetry_of_day.py).
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

import polars as pl

from chargeback.contracts.contract import INSTANT
from chargeback.usage import dcgm_names as names
from chargeback.usage.dcgm_values import exact_ties, fixed_point
from chargeback.usage.extract import EXCERPT_LENGTH, ParsedExtract, Quarantined

SERIES_COLUMNS = {
    "series": pl.String(),
    "copy": pl.Int64(),
    "metric": pl.String(),
    "host": pl.String(),
    "gpu": pl.String(),
    "gpu_instance": pl.String(),
    "slice_profile": pl.String(),
    "gpu_index": pl.String(),
    "minor": pl.Int64(),
    "model": pl.String(),
    "namespace": pl.String(),
    "pod": pl.String(),
    "container": pl.String(),
    "pod_uid": pl.String(),
    "hpc_job": pl.String(),
    "at": pl.List(pl.Int64()),
    "value": pl.List(pl.Int64()),
    "line": pl.Int64(),
    "overlaps_from": INSTANT,
    "overlaps_until": INSTANT,
}
"""`series` is the same for the same metric and labels; `copy` counts how often the object says a series at one instant.

`at` is in milliseconds since 1970, a null for a sample of the extraction; `value` is as in dcgm_values.py. In order of
`at`.
"""

NOT_READ = "metric is not read"

NO_UUID = "series without the UUID of a GPU: nothing says which device it is; keep the label UUID"
_MILLISECONDS = 1_000


@dataclass(slots=True)
class SeriesGathered:
    """What one object says, gathered series by series and made columns at the end."""

    rows: list[dict[str, object]] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    instants: list[int | float | None] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    quarantined: list[Quarantined] = field(default_factory=list)
    _copies: Counter[tuple[str, object]] = field(default_factory=Counter)

    def add(
        self,
        name: str,
        labels: Mapping[str, str],
        instants: Sequence[int | float | None],
        texts: Sequence[str],
        *,
        line: int,
        excerpt: str,
    ) -> None:
        """Take one series: its instants in seconds since 1970 (None: the time of extraction) and numbers as text."""
        metric = names.metric_called(name)
        gpu = names.first_of(labels, names.UUID_LABELS)
        if metric is None:
            self.ignored[NOT_READ] += 1
        elif not gpu:
            self.refuse(line, NO_UUID, excerpt)
        else:
            row = device_and_workload(metric, gpu, labels)
            said_at = (str(row["series"]), instants[0] if instants else None)
            self.rows.append({**row, "copy": self._copies[said_at], "line": line})
            self._copies[said_at] += 1
            self.counts.append(len(texts))
            self.instants.extend(instants)
            self.texts.extend(texts)

    def refuse(self, line: int, reason: str, excerpt: str) -> None:
        """Put a record into quarantine."""
        self.quarantined.append(Quarantined(line, reason, excerpt[:EXCERPT_LENGTH], None))

    def parsed(self) -> ParsedExtract:
        """What the object holds. A record is a series, or what could not be read as one."""
        frame = series_frame(pl.DataFrame(self.rows, schema=LABEL_COLUMNS), self._samples())
        ignored = sum(self.ignored.values())
        return ParsedExtract(
            frame=frame,
            records=len(frame) + ignored + len(self.quarantined),
            steps_ignored=ignored,
            quarantined=tuple(self.quarantined),
            ignored_reasons=dict(self.ignored),
        )

    def _samples(self) -> pl.DataFrame:
        rows = pl.int_range(len(self.counts), dtype=pl.UInt32, eager=True)
        seconds = pl.Series(self.instants, dtype=pl.Float64, strict=False)
        return pl.DataFrame(
            {
                "row": rows.repeat_by(pl.Series(self.counts, dtype=pl.UInt32)).explode(empty_as_null=False),
                "at": (seconds * _MILLISECONDS).round(mode="half_to_even").cast(pl.Int64),
                "text": pl.Series(self.texts, dtype=pl.String),
            }
        )


LABEL_COLUMNS = {
    name: dtype
    for name, dtype in SERIES_COLUMNS.items()
    if name not in ("at", "value", "overlaps_from", "overlaps_until")
}
"""What is said of a series once."""


def series_frame(labelled: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """SERIES_COLUMNS from the labels of series and their samples.

    Input:   one row per series; `row` (its number), `at` and `text` per sample, those of a series together.
    Output:  values in fixed point. A series without samples says nothing and is left with empty lists.
    """
    units = pl.DataFrame(
        [(name, unit.factor, unit.limit, unit.is_counter) for name, unit in names.UNIT_OF.items()],
        schema={"metric": pl.String, "factor": pl.Int64, "limit": pl.Int64, "is_counter": pl.Boolean},
        orient="row",
    )
    numbered = labelled.with_row_index("row")
    of_series = numbered.select("row", "metric").join(units, on="metric", how="left", validate="m:1")
    valued = samples.join(of_series.drop("metric"), on="row", how="left", validate="m:1", maintain_order="left")
    fixed = fixed_point(pl.col("text"), factor=pl.col("factor"), limit=pl.col("limit"), is_counter=pl.col("is_counter"))
    lists = (
        exact_ties(valued.with_columns(value=fixed))
        .select("row", "at", "value")
        .sort("row", "at", maintain_order=True)
        .group_by("row", maintain_order=True)
        .agg("at", "value")
    )
    first, last = (pl.col("at").list.first(), pl.col("at").list.last())
    return (
        numbered.join(lists, on="row", how="left", validate="1:1", maintain_order="left")
        .with_columns(pl.col("at", "value").fill_null(pl.lit([], dtype=pl.List(pl.Int64))))
        .with_columns(overlaps_from=_instant(first), overlaps_until=_instant(last))
        .select(pl.col(name).cast(dtype) for name, dtype in SERIES_COLUMNS.items())
    )


def _instant(milliseconds: pl.Expr) -> pl.Expr:
    return (milliseconds * _MILLISECONDS).cast(INSTANT)


def device_and_workload(metric: str, gpu: str, labels: Mapping[str, str]) -> dict[str, object]:
    """Columns of a series that its labels say: which device it is of, and what stood on it."""
    minor = names.first_of(labels, names.MINOR_LABELS)
    return {
        "series": _identity(metric, labels),
        "metric": metric,
        "host": names.host_of(labels),
        "gpu": gpu,
        "gpu_instance": names.first_of(labels, names.INSTANCE_LABELS),
        "slice_profile": names.first_of(labels, names.PROFILE_LABELS),
        "gpu_index": names.first_of(labels, names.INDEX_LABELS) or None,
        "minor": int(minor) if minor.isascii() and minor.isdigit() else None,
        "model": names.first_of(labels, names.MODEL_LABELS) or None,
        **asdict(names.workload_of(labels)),
    }


def _identity(metric: str, labels: Mapping[str, str]) -> str:
    """A short name of one metric under one set of labels, the same in every object and version."""
    said = "\x1f".join(f"{name}\x1e{labels[name]}" for name in sorted(labels) if name not in names.NAME_LABELS)
    return hashlib.blake2b(f"{metric}\x1f{said}".encode(), digest_size=8).hexdigest()
