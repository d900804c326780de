"""Which runs somebody means who types a job: a Slurm id in any of its forms, a pod, its UID, or a workload.

    4711, 4711.batch     a Slurm job, with every run of it; a step is its job
    123_4, 19+1          an array task, a component of a heterogeneous job; 123 and 19 alone may mean any of theirs
    4711@2026-03-05T10:00:00Z    exactly one run
    ml/train-0, train-0, a UID or its first eight digits    a pod
    Job/train, train     every run of what a person submitted under that name

Not here: where runs are read.
"""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

MOST_NEAREST = 3
LOOKED_AT = ("cluster", "scheduler", "run", "job_id", "job_id_raw", "sluid", "user", "account", "job_name", "workload")

_STEP = re.compile(r"(?P<job>\d+(?:[_+]\d+)?)\.(batch|extern|interactive|\d+)")
_UID_BEGINS = re.compile(r"[0-9a-f]{8}[0-9a-f-]{0,28}")
_JOB = ("cluster", "job_id", "user", "account")
_WORKLOAD = ("cluster", "account", "user", "workload")


@dataclass(frozen=True, slots=True)
class Meant:
    """One job that may be meant: what to type for it, and its runs."""

    asked: str
    cluster: str
    user: str
    account: str
    name: str
    runs: tuple[str, ...]


def may_be_meant(asked: str) -> pl.Expr:
    """Rows of contracts.runs that a text may mean in any way."""
    return pl.any_horizontal(*(way.fill_null(value=False) for way in _ways(asked)))


def jobs_meant(runs: pl.DataFrame, asked: str) -> list[Meant]:
    """The jobs that a text means, in order; several if it is ambiguous, none if nobody ran such a job.

    Input:   LOOKED_AT of contracts.runs, filtered by may_be_meant, in any order and with repetitions.
    Output:  an exact id beats a pod's name, and that the name of a workload. The number of an array or heterogeneous
             job means every task or component of it.
    """
    unique = (
        runs.select(LOOKED_AT).unique().with_columns(pl.col("user", "account", "job_name", "workload").fill_null(""))
    )
    exact, parts, pods, named = (unique.filter(way.fill_null(value=False)) for way in _ways(asked))
    if len(parts):
        return _grouped(pl.concat([exact, parts]).unique(), _JOB)
    if len(exact) or len(pods):
        return _grouped(exact if len(exact) else pods, _JOB)
    return _grouped(named, _WORKLOAD)


def nearest(asked: str, names: Iterable[str]) -> list[str]:
    """Existing names close to what was typed: numbers by distance, else by spelling."""
    plain = _plain(asked)
    known = sorted({name for name in names if name})
    if plain.isdigit():
        numbers = [name for name in known if name.isdigit()]
        return sorted(numbers, key=lambda name: (abs(int(name) - int(plain)), int(name)))[:MOST_NEAREST]
    return difflib.get_close_matches(plain, known, n=MOST_NEAREST)


def _ways(asked: str) -> tuple[pl.Expr, pl.Expr, pl.Expr, pl.Expr]:
    """Exact id; task or component of it; pod by name or UID; workload."""
    text = _plain(asked)
    nothing = pl.lit(value=False)
    exact = pl.any_horizontal(*(pl.col(name) == text for name in ("job_id", "job_id_raw", "run", "sluid")))
    is_part = pl.col("job_id").str.starts_with(f"{text}_") | pl.col("job_id").str.starts_with(f"{text}+")
    is_pod = pl.col("scheduler") == "kubernetes"
    begins = pl.col("run").str.starts_with(text) if _UID_BEGINS.fullmatch(text) else nothing
    pod = is_pod & (pl.col("job_id").str.ends_with(f"/{text}") | begins)
    workload = (
        (pl.col("workload") == text) | pl.col("workload").str.ends_with(f"/{text}") | (pl.col("job_name") == text)
    )
    return exact, is_part if text.isdigit() else nothing, pod, workload


def _plain(asked: str) -> str:
    step = _STEP.fullmatch(asked.strip())
    return step["job"] if step else asked.strip()


def _grouped(rows: pl.DataFrame, key: tuple[str, ...]) -> list[Meant]:
    found: list[Meant] = []
    for _, own in sorted(rows.partition_by(key, as_dict=True).items()):
        first = own.sort("run").row(0, named=True)
        found.append(
            Meant(
                asked=first[key[1]] if key is _JOB else first["workload"],
                cluster=first["cluster"],
                user=first["user"],
                account=first["account"],
                name=first["job_name"] or first["workload"],
                runs=tuple(sorted(own["run"])),
            )
        )
    return found
