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
from chargeback.usage.dcgm_values import fixed_point
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
    """The series of one object, gathered one by one; their samples are given at the end, all at once."""

    rows: list[dict[str, object]] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    quarantined: list[Quarantined] = field(default_factory=list)
    _copies: Counter[tuple[str, object]] = field(default_factory=Counter)

    def add(self, name: str, labels: Mapping[str, str], *, first: object, line: int, excerpt: str) -> int | None:
        """Take one series, whose `first` instant tells it from a copy of it: the number of its row.

        None if it is left out: of a metric that is not read, or without a UUID, which is quarantined.
        """
        metric = names.metric_called(name)
        gpu = names.first_of(labels, names.UUID_LABELS)
        if metric is None:
            self.ignored[NOT_READ] += 1
            return None
        if not gpu:
            self.refuse(line, NO_UUID, excerpt)
            return None
        row = _device_and_workload(metric, gpu, labels)
        said_at = (str(row["series"]), first)
        self.rows.append({**row, "copy": self._copies[said_at], "line": line})
        self._copies[said_at] += 1
        return len(self.rows) - 1

    def refuse(self, line: int, reason: str, excerpt: str) -> None:
        """Put a record into quarantine."""
        self.quarantined.append(Quarantined(line, reason, excerpt[:EXCERPT_LENGTH], None))

    def parsed(self, samples: pl.DataFrame) -> ParsedExtract:
        """What the object holds. A record is a series, or what could not be read as one.

        Input:   samples: `row` of its series, `at` in milliseconds since 1970 or null, and the number as `text`.
        """
        frame = _series_frame(pl.DataFrame(self.rows, schema=_LABEL_COLUMNS), samples)
        ignored = sum(self.ignored.values())
        return ParsedExtract(
            frame=frame,
            records=len(frame) + ignored + len(self.quarantined),
            steps_ignored=ignored,
            quarantined=tuple(self.quarantined),
            ignored_reasons=dict(self.ignored),
        )


def samples_of(rows: Sequence[int | None], counts: Sequence[int], seconds: pl.Series, texts: pl.Series) -> pl.DataFrame:
    """The samples of series one after another: `row`, `at`, `text`, without those of series that are left out.

    Input:   for each series its row and how many samples it has; seconds since 1970 (null: of the extraction) and
             numbers of all samples.
    """
    row = pl.Series(rows, dtype=pl.UInt32).repeat_by(pl.Series(counts, dtype=pl.UInt32)).explode(empty_as_null=False)
    at = (seconds * _MILLISECONDS).round(mode="half_to_even").cast(pl.Int64)
    samples = pl.DataFrame({"row": row, "at": at, "text": texts})
    return samples.filter(pl.col("row").is_not_null()) if None in rows else samples


_LABEL_COLUMNS = {
    name: dtype
    for name, dtype in SERIES_COLUMNS.items()
    if name not in ("at", "value", "overlaps_from", "overlaps_until")
}


def _series_frame(labelled: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """SERIES_COLUMNS: values in fixed point. A series without samples says nothing and has empty lists."""
    units = [names.UNIT_OF[metric] for metric in labelled["metric"]]
    row = samples["row"]
    valued = pl.DataFrame(
        {
            "row": row,
            "at": samples["at"],
            "value": fixed_point(
                samples["text"],
                factor=pl.Series([unit.factor for unit in units], dtype=pl.Int64).gather(row),
                limit=pl.Series([unit.limit for unit in units], dtype=pl.Int64).gather(row),
                is_counter=pl.Series([unit.is_counter for unit in units], dtype=pl.Boolean).gather(row),
            ),
        }
    )
    lists = valued.sort("row", "at", maintain_order=True).group_by("row", maintain_order=True).agg("at", "value")
    first, last = (pl.col("at").list.first(), pl.col("at").list.last())
    return (
        labelled.with_row_index("row")
        .join(lists, on="row", how="left", validate="1:1", maintain_order="left")
        .with_columns(pl.col("at", "value").fill_null(pl.lit([], dtype=pl.List(pl.Int64))))
        .with_columns(overlaps_from=_instant(first), overlaps_until=_instant(last))
        .select(pl.col(name).cast(dtype) for name, dtype in SERIES_COLUMNS.items())
    )


def _instant(milliseconds: pl.Expr) -> pl.Expr:
    return (milliseconds * _MILLISECONDS).cast(INSTANT)


def _device_and_workload(metric: str, gpu: str, labels: Mapping[str, str]) -> dict[str, object]:
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
