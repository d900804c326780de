"""The certificate: the contents of a month that passed every check that their contracts name, and may be published.

Pure: it is given contents, required checks and evidence; it looks nothing up. Not here: running checks.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from chargeback.contracts.certificate import CERTIFICATE


@dataclass(frozen=True, slots=True)
class Evidence:
    """The outcome of one check for one content. `content_hash` is of the content that was checked."""

    table: str
    partition: str
    check: str
    content_hash: str
    outcome: str
    key: str
    said: str = ""
    """What the check found, for people; it decides nothing."""

    PASSED = "passed"
    WARNING = "warning"
    """A finding that does not block."""


@dataclass(frozen=True, slots=True)
class Certified:
    """contracts.certificate of the month."""

    frame: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Refused:
    """Why nothing may be published, one line a reason, in order of table, partition and check."""

    reasons: tuple[str, ...]


def certify(
    contents: Mapping[str, str | None],
    required: Mapping[str, Iterable[str]],
    evidence: Iterable[Evidence],
    *,
    month: str,
) -> Certified | Refused:
    """Certify a month if every content has passing evidence, for exactly that content, of every check it needs.

    Input:   contents: `table|partition` (`runs|slurm-a|2026-10-05`, `team_charges|2026-10`) -> content hash, None where
             nothing was ever written; required: table -> the checks of its contract, a table that is absent being our
             own fault; evidence of any content and age. Where one content has several outcomes of one check, all must
             pass.
    Output:  one row per content and check; a content that no check is asked for has a row with an empty check name.
    Refused: a check that is missing, failed, or whose evidence is for another content; a content that is absent; no
             contents at all.
    Raises:  KeyError for a table without an entry in `required`.
    Source:  design.md 6.
    """
    found: dict[tuple[str, str, str], list[Evidence]] = defaultdict(list)
    for each in evidence:
        found[(each.table, each.partition, each.check)].append(each)
    rows: list[tuple[str, ...]] = []
    reasons: list[str] = [] if contents else [f"{month}: nothing was materialised: run the month"]
    for content in sorted(contents):
        table, _, partition = content.partition("|")
        content_hash = contents[content]
        if content_hash is None:
            reasons.append(f"{table} {partition}: has no content: materialise it")
            continue
        checks = sorted(required[table])
        for check, judged in [(check, _judge(found[(table, partition, check)], content_hash)) for check in checks]:
            if isinstance(judged, str):
                reasons.append(f"{table} {partition}: check {check} {judged}")
            else:
                rows.append((month, table, partition, check, content_hash, judged.key, judged.outcome, ""))
        if not checks:
            rows.append((month, table, partition, "", content_hash, "", Evidence.PASSED, ""))
    if reasons:
        return Refused(tuple(reasons))
    return Certified(pl.DataFrame(rows, schema=CERTIFICATE.schema, orient="row").sort(CERTIFICATE.key))


def waived(
    certified: Certified, waiver: Callable[[str, Mapping[str, str]], str | tuple[str, ...]]
) -> Certified | Refused:
    """The same month if every check that found something has a waiver; each row that it covers says whose.

    Input:   `waiver`: of a check and what it found (partition -> evidence), who waived it, or every reason why nobody.
    Refused: one line for each check that found something and is not waived.
    """
    told: dict[str, str] = {}
    reasons: list[str] = []
    warned = certified.frame.filter(pl.col("severity") == Evidence.WARNING)
    for (check,), rows in warned.partition_by("check_name", as_dict=True, maintain_order=True).items():
        by = waiver(str(check), dict(rows.select("partition", "evidence").iter_rows()))
        if isinstance(by, str):
            told[str(check)] = by
        else:
            where = f"{rows['table_name'][0]} {rows['partition'][0]}"
            reasons.append(
                f"{where}: check {check} found something in {len(rows)} partitions, and nobody has waived it: "
                f"{'; '.join(by[:3])}"
            )
    if reasons:
        return Refused(tuple(sorted(reasons)))
    by_check = pl.col("check_name").replace_strict(told, default="", return_dtype=pl.String())
    is_warning = pl.col("severity") == Evidence.WARNING
    return Certified(certified.frame.with_columns(waiver=pl.when(is_warning).then(by_check).otherwise(pl.lit(""))))


def _judge(evidence: list[Evidence], content_hash: str) -> Evidence | str:
    """The evidence to rest on (a warning before a pass, so that it is seen), or what is wrong."""
    if not evidence:
        return "is missing: run it"
    exact = sorted((each for each in evidence if each.content_hash == content_hash), key=lambda each: each.key)
    if not exact:
        newest = max(evidence, key=lambda each: each.key).content_hash
        return f"has evidence for another content ({newest[:12]}, now {content_hash[:12]}): run it again"
    failed = [each for each in exact if each.outcome not in (Evidence.PASSED, Evidence.WARNING)]
    if failed:
        said = f": {failed[0].said}" if failed[0].said else ""
        return f"failed{said} (evidence {failed[0].key}): mend what it found, then run it again"
    return max(exact, key=lambda each: (each.outcome == Evidence.WARNING, each.key))
