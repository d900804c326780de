"""What of a correction is booked, what is left to accumulate, and what the controller must agree to first.

Not here: the difference itself (corrections.py).
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import polars as pl

from chargeback.contracts.corrections import ACCUMULATED, BOOKED, CORRECTIONS
from chargeback.ledger.fiscal_year import fiscal_year_of
from chargeback.signatures.judgement import Approvable, Counted, LandedRecord, judge
from chargeback.signatures.keyring import Keyring
from chargeback.signatures.keyring_chain import KeyringRefused

KIND = "correction"
DIFFERENCE, REVERSAL = STYLES = ("difference", "reversal")
PREPARER = "chargeback"
"""Who prepares corrections: the rule itself, and no person."""


@dataclass(frozen=True, slots=True)
class CorrectionPolicy:
    """`threshold`: a team's differences of one closed month below it, added without sign, wait for more.

    `approval_after_days`: days between the end of the corrected month and the beginning of the one that books, above
    which the controller signs; `fiscal_year_first_month`: its first month, 1 to 12.
    """

    threshold: Decimal = Decimal(0)
    approval_after_days: int = 90
    fiscal_year_first_month: int = 1


def under_policy(corrections: pl.DataFrame, policy: CorrectionPolicy) -> pl.DataFrame:
    """The rows of one booking month with their status, and whether they need the controller.

    The threshold is held against amounts without their sign, so that a large move between two cost centres of one team
    is not taken for a small one. Source: docs/decisions/0025.
    """
    sums: dict[tuple[str, str], Decimal] = {}
    for team, corrected, amount in corrections.select("team", "corrects_month", "amount").iter_rows():
        sums[(team, corrected)] = sums.get((team, corrected), Decimal(0)) + abs(amount)
    rows = []
    for row in corrections.iter_rows(named=True):
        is_booked = sums[(row["team"], row["corrects_month"])] >= policy.threshold
        needs = is_booked and needs_controller(row["corrects_month"], booked_in=row["month"], policy=policy)
        rows.append({**row, "status": BOOKED if is_booked else ACCUMULATED, "needs_approval": needs})
    return pl.DataFrame(rows, schema=CORRECTIONS.schema, orient="row")


def needs_controller(corrected: str, *, booked_in: str, policy: CorrectionPolicy) -> bool:
    """Whether a correction is old, or of another fiscal year than the month that books it."""
    age_days = (date.fromisoformat(f"{booked_in}-01") - _first_after(corrected)).days
    years = [fiscal_year_of(month, first_month=policy.fiscal_year_first_month) for month in (corrected, booked_in)]
    return age_days > policy.approval_after_days or years[0] != years[1]


def approvable_corrections(corrections: pl.DataFrame, *, month: str) -> Approvable:
    """What the controller signs: the month that books, and every line and amount that needs it."""
    needing = corrections.filter("needs_approval").sort("line_id")
    said = [
        [line, corrected, f"{amount.normalize():f}"]
        for line, corrected, amount in needing.select("line_id", "corrects_month", "amount").iter_rows()
    ]
    content = hashlib.sha256(json.dumps([month, said], ensure_ascii=False).encode()).hexdigest()
    return Approvable(KIND, month, content, PREPARER)


def approved(
    corrections: pl.DataFrame,
    records: Sequence[LandedRecord],
    *,
    keyring: Keyring | KeyringRefused | None,
    month: str,
) -> pl.DataFrame:
    """The rows with who approved those that need it, or why nobody did: `approved by ...`, `not approved: ...`."""
    verdict = _verdict(approvable_corrections(corrections, month=month), records, keyring)
    said = pl.when("needs_approval").then(pl.lit(verdict)).otherwise(pl.lit(""))
    return corrections.with_columns(approval=said).select(CORRECTIONS.column_names)


def records_about(records: Sequence[LandedRecord], *, month: str) -> list[LandedRecord]:
    """The records of kind correction that name the month, by time of landing, then key."""
    about = [each for each in records if (each.signed.record.kind, each.signed.record.subject) == (KIND, month)]
    return sorted(about, key=lambda each: (each.landed_at, each.object_key))


def unapproved_findings(corrections: pl.DataFrame) -> list[tuple[str, str, str]]:
    """Lines whose correction needs the controller and has nobody: line, expected, observed."""
    waiting = corrections.filter(pl.col("needs_approval") & ~pl.col("approval").str.starts_with("approved by "))
    return [
        (row["line_id"], f"a controller's record of kind {KIND} for {row['month']}", row["approval"])
        for row in waiting.sort("line_id").iter_rows(named=True)
    ]


def _verdict(thing: Approvable, records: Sequence[LandedRecord], keyring: Keyring | KeyringRefused | None) -> str:
    if keyring is None:
        return "not approved: no [signing] trust_root is set, so no signature counts"
    if isinstance(keyring, KeyringRefused):
        return f"not approved: no keyring is in force: {keyring.reasons[0]}"
    reasons: list[str] = []
    for landed in records_about(records, month=thing.subject):
        judged = judge(landed, thing, keyring=keyring)
        if isinstance(judged, Counted):
            return judged.told()
        reasons += judged
    nobody = f"no record of approvals/ approves content {thing.content_sha256} of {thing.kind} {thing.subject}"
    return f"not approved: {'; '.join(reasons) or nobody}"


def _first_after(month: str) -> date:
    year, number = int(month[:4]), int(month[5:7])
    return date(year + number // 12, number % 12 + 1, 1)
