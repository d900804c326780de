"""Records of sacct as typed columns: text values in, raw_sacct's source columns and quarantine out.

Text and JSON extracts meet here, so both are judged by the same rules. A record is never half read: it stands in the
frame with everything that money depends on, or in quarantine with its line and the first reason.
Not here: splitting rows, how long a run held its GPUs (sacct_times.py).
"""

from collections.abc import Callable, Iterable
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.contracts.raw_sacct import RAW_SACCT
from chargeback.usage.extract import EXCERPT_LENGTH, ParsedExtract, Quarantined
from chargeback.usage.hostlist import ABSENT_WORDS, expand_hosts, fold_hosts
from chargeback.usage.sacct_fields import words
from chargeback.usage.sacct_times import with_times
from chargeback.usage.states import base_state
from chargeback.usage.tres import PATTERN as TRES_PATTERN
from chargeback.usage.tres import GrantedTres, gpu_part, parse_each

WANTED_FIELDS = words(
    """
    Cluster JobIDRaw JobID SLUID DBIndex User Account WCKey QOS Partition JobName State Reason AllocTRES ReqTRES
    NodeList NNodes Reservation Exclusive SubmitLine Flags ExitCode Submit Eligible Start End ElapsedRaw Elapsed
    Suspended TimelimitRaw Timelimit
    """
)

SOURCE_COLUMNS = tuple(
    name
    for name in RAW_SACCT.column_names
    if name not in ("cluster", "day", "partition_has_gpus", "object", "line", "extracted_at")
)

_STEP = r"^\d+(?:[_+](?:\d+|\[[^\]]*\]))?\.\S+$"
_JOB = r"^\d+(?:[_+](?:\d+|\[[^\]]*\]))?$"


def read_records(rows: pl.DataFrame, *, cluster: str, zone: ZoneInfo | None) -> ParsedExtract:
    """Type the records of one extract.

    Input:   `line`, `text` (the record as it stands there) and any of WANTED_FIELDS as text; a field that is null
             throughout is one that the extract does not have.
    Output:  frame: cluster, raw_sacct's source columns, line, overlaps_from, overlaps_until. Steps (JobID with a dot)
             are counted and dropped. Records of a cluster other than the one named are quarantined; with cluster ""
             every cluster is read, and the column says which.
    """
    rows = rows.with_columns(pl.lit(None, pl.String).alias(name) for name in WANTED_FIELDS if name not in rows.columns)
    job_id = pl.coalesce(_filled("JobID"), _filled("JobIDRaw")).str.strip_chars()
    is_step = job_id.str.contains(_STEP).fill_null(False)
    jobs = rows.filter(~is_step).with_columns(
        JobID=job_id,
        JobIDRaw=pl.coalesce(_filled("JobIDRaw"), job_id).str.strip_chars(),
        cluster=pl.coalesce(_filled("Cluster"), pl.lit(cluster)),
        State=base_state(pl.col("State")),
        NNodes=pl.when(pl.col("NNodes").str.contains(r"^\d{1,9}$")).then(pl.col("NNodes").cast(pl.Int64, strict=False)),
        has_replaced_bytes=pl.col("text").str.contains("�", literal=True),
        _problem=_identity_problem(job_id, cluster),
    )
    jobs, granted = _with_tres(_with_hosts(jobs))
    jobs = with_times(jobs, zone=zone)
    return ParsedExtract(
        frame=jobs.filter(pl.col("_problem").is_null()).select(
            "cluster", *SOURCE_COLUMNS, "line", "overlaps_from", "overlaps_until"
        ),
        records=len(rows),
        steps_ignored=len(rows) - len(jobs),
        quarantined=tuple(_quarantine(jobs)),
        gpu_partitions=_gpu_partitions(jobs, granted),
    )


def _filled(name: str) -> pl.Expr:
    return pl.when(pl.col(name).str.strip_chars() != "").then(pl.col(name))


def _identity_problem(job_id: pl.Expr, cluster: str) -> pl.Expr:
    others = _filled("Cluster") if cluster else pl.lit(None, pl.String)
    return (
        pl.when(~job_id.str.contains(_JOB).fill_null(False))
        .then(pl.format("JobID {} is no job id", job_id.fill_null("").str.slice(0, 40)))
        .when(~pl.coalesce(_filled("JobIDRaw"), job_id).str.strip_chars().str.contains(_JOB))
        .then(pl.format("JobIDRaw {} is no job id", pl.col("JobIDRaw").str.slice(0, 40)))
        .when(others.is_not_null() & (others != cluster))
        .then(
            pl.format(
                f"a record of cluster {{}}, not of {cluster}: land it under its own name", others.str.slice(0, 40)
            )
        )
    )


def _with_hosts(jobs: pl.DataFrame) -> pl.DataFrame:
    """NodeList folded, empty where none was assigned."""
    folded: dict[str, str] = {}
    problems: dict[str, str] = {}
    for text in jobs["NodeList"].drop_nulls().unique().to_list():
        try:
            folded[text] = fold_hosts(expand_hosts(text)) if text.strip().lower() not in ABSENT_WORDS else ""
        except ValueError as problem:
            problems[text] = str(problem)
    return jobs.with_columns(
        _lookup("NodeList", folded).alias("NodeList"),
        _problem=pl.coalesce(pl.col("_problem"), _lookup("NodeList", problems)),
    )


def _with_tres(jobs: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, GrantedTres]]:
    jobs = jobs.with_columns(_granted=gpu_part(pl.col("AllocTRES")), _asked=gpu_part(pl.col("ReqTRES")))
    granted, problems = parse_each([*jobs["_granted"].unique(), *jobs["_asked"].unique()])
    shapeless = ~pl.col("AllocTRES").str.contains(TRES_PATTERN)
    said = pl.coalesce(
        pl.format("AllocTRES: {}", _lookup("_granted", problems)),
        pl.when(shapeless).then(
            pl.format("AllocTRES {} is no list of name=count", pl.col("AllocTRES").str.slice(0, 80))
        ),
    )
    return jobs.with_columns(_problem=pl.coalesce(pl.col("_problem"), said)), granted


def _lookup(name: str, values: dict[str, str]) -> pl.Expr:
    return pl.col(name).replace_strict(values, default=None, return_dtype=pl.String)


def _gpu_partitions(jobs: pl.DataFrame, granted: dict[str, GrantedTres]) -> frozenset[str]:
    with_gpus = [text for text, tres in granted.items() if tres.has_gpus]
    got_or_asked = pl.col("_granted").is_in(with_gpus) | pl.col("_asked").is_in(with_gpus)
    readable = jobs.filter(pl.col("_problem").is_null() & got_or_asked.fill_null(False))
    names: Iterable[str] = readable["Partition"].drop_nulls().unique().to_list()
    return frozenset(name for name in names if name)


def _quarantine(jobs: pl.DataFrame) -> list[Quarantined]:
    bad = jobs.filter(pl.col("_problem").is_not_null())
    instant = pl.coalesce("_Start", "_End", "_Submit")
    shown = bad.select("line", "_problem", pl.col("text").str.slice(0, EXCERPT_LENGTH), instant)
    make: Callable[..., Quarantined] = Quarantined
    return [make(*row) for row in shown.iter_rows()]
