"""Whether chargeback is needed at all: a plain verdict from a few measures, by thresholds that are named and printed.

Little held, or well used by few: then it is not. Nobody measured it: then nobody can say. Not here: the page and its
figures (assessment.py).
"""

from dataclasses import dataclass
from fractions import Fraction

from chargeback.ledger.plain_numbers import decimal_text
from chargeback.ledger.statement_document import Document

TOO_LITTLE_BELOW_GPUS = 8
"""Fewer GPUs held on average than this: a list of who has what costs less than a system."""

ENOUGH_COVERAGE_PERCENT = 50
"""Telemetry must have seen this part of the held hours, else nothing can be said about use."""

COMFORTABLE_ACTIVE_PERCENT = 70
"""Active of measured time from which GPUs count as well used."""

MANY_OWNERS = 3
OWNER_FROM_PERCENT = 5
"""Who held less than this part of the hours is a guest and no owner."""


@dataclass(frozen=True, slots=True)
class Measures:
    """What the verdict rests on; shares are fractions of 1, None where they are shares of nothing."""

    held_gpus: Fraction
    observed_share: Fraction | None
    active_share: Fraction | None
    owner_count: int


def verdict(measures: Measures) -> Document:
    """answer (`no`, `perhaps`, `yes` or `not known`), title, and the sentence that gives the reason.

    Source: design.md 1; two weeks of telemetry beside accounting: "if that ratio is comfortable, you do not need this".
    """
    gpus, owners = decimal_text(measures.held_gpus, decimals=1), _owners(measures.owner_count)
    if not measures.held_gpus:
        return _said("no", "You do not need this: nothing was held.", "Look whether the right records were landed.")
    if measures.held_gpus < TOO_LITTLE_BELOW_GPUS:
        return _said(
            "no",
            f"You do not need this: {gpus} GPUs were held on average.",
            f"Below {TOO_LITTLE_BELOW_GPUS} a list of who has what costs less than a system.",
        )
    if (measures.observed_share or 0) * 100 < ENOUGH_COVERAGE_PERCENT or measures.active_share is None:
        seen = _per_cent(measures.observed_share or Fraction(0))
        return _said(
            "not known",
            f"Nobody can say yet: telemetry saw {seen} % of the held hours.",
            "Land the telemetry of the GPUs (source dcgm) and assess again; who held how much stands below.",
        )
    return _of_measured(measures, owners)


def _of_measured(measures: Measures, owners: str) -> Document:
    active_share = measures.active_share or Fraction(0)
    active = f"{_per_cent(active_share)} % of the measured hours were active"
    is_few = measures.owner_count < MANY_OWNERS
    if active_share * 100 >= COMFORTABLE_ACTIVE_PERCENT:
        if is_few:
            reason = f"The GPUs are well used, and {owners} can agree without an invoice."
            return _said("no", f"You do not need this: {active}.", reason)
        reason = f"What is left is to share the cost among {owners}; if nobody asks for that, leave it."
        return _said("perhaps", f"Not against waste: {active}.", reason)
    if is_few:
        reason = f"With {owners} a talk about the list below may do; assess again afterwards."
        return _said("perhaps", f"Mend the waste first: {active}.", reason)
    reason = "What a team holds and does not use is seen by nobody today; a statement each month shows it."
    return _said("yes", f"This pays: {active}, and {owners} share the GPUs.", reason)


def rules(measures: Measures) -> list[Document]:
    """The thresholds beside what was measured, in the order in which they decide."""
    return [
        _rule("GPUs held on average", decimal_text(measures.held_gpus, decimals=1),
              f"below {TOO_LITTLE_BELOW_GPUS} is too little to account for"),
        _rule("held hours that telemetry saw", f"{_per_cent(measures.observed_share or Fraction(0))} %",
              f"below {ENOUGH_COVERAGE_PERCENT} % nothing can be said about use"),
        _rule("active of the measured hours",
              "–" if measures.active_share is None else f"{_per_cent(measures.active_share)} %",
              f"from {COMFORTABLE_ACTIVE_PERCENT} % the GPUs are well used"),
        _rule(f"owners with {OWNER_FROM_PERCENT} % of the held hours or more", str(measures.owner_count),
              f"below {MANY_OWNERS} they can agree without an invoice"),
    ]  # fmt: skip


def _said(answer: str, title: str, reason: str) -> Document:
    return {"answer": answer, "title": title, "reason": reason}


def _rule(name: str, measured: str, threshold: str) -> Document:
    return {"name": name, "measured": measured, "threshold": threshold}


def _owners(count: int) -> str:
    return "one owner" if count == 1 else f"{count} owners"


def _per_cent(share: Fraction) -> str:
    return decimal_text(share * 100, decimals=1)
