"""Whether a month may be charged: after a whole month ran in parallel and was signed off, and not a day before.

Asked by what marks a statement, and again by everything that sends. Source: design.md 1, 6; docs/decisions/0034.
Not here: signatures (chargeback/signatures/), the figures that are signed off (variance.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

PARALLEL, ENFORCED = "parallel", "enforced"


@dataclass(frozen=True, slots=True)
class MonthBefore:
    """An earlier month. `was_enforced`: something of it was charged; else why its sign-off does not count, if so."""

    month: str
    is_whole: bool
    was_enforced: bool
    why_not_signed_off: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Readiness:
    """What must hold beside the sign-off. `coverage`: month -> part of its charged hours with a project."""

    why_no_sponsor: tuple[str, ...]
    not_accepted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    coverage: Mapping[str, Fraction] = field(default_factory=dict)


def why_not_enforced(
    month: str, before: Sequence[MonthBefore], ready: Readiness, *, wanted: bool, least_coverage: Fraction
) -> tuple[str, ...]:
    """Why a month runs in parallel, one line a reason; none if it is enforced.

    Input:   the months of the lake before this one, in order; `wanted`: the settings say enforced.
    Source:  enforcement starts with the first month after a whole calendar month that was signed off; a month that
             failed, or was not whole, starts the count again.
    """
    if not wanted:
        return (f'{month} runs in parallel: [billing] mode = "parallel" in chargeback.toml',)
    reasons = [*_why_not_after(month, before)]
    reasons += [f"{month}: there is no sponsor: {reason}" for reason in ready.why_no_sponsor]
    reasons += [
        f"{month}: cost centre {centre} has not accepted to be charged: {why[0]}"
        for centre, why in sorted(ready.not_accepted.items())
    ]
    covered = ready.coverage.get(month)
    if covered is not None and covered < least_coverage:
        reasons.append(
            f"{month}: {_percent(covered)} of the charged hours name a project, must be {_percent(least_coverage)} "
            f"({_trend(ready.coverage)})"
        )
    return tuple(reasons)


def _why_not_after(month: str, before: Sequence[MonthBefore]) -> list[str]:
    """The month before decides: it was charged already, or signed off; a chain of charged months goes back to one."""
    if not before:
        return [f"{month} is the first month of this lake: a whole month runs in parallel first"]
    last = before[-1]
    if last.was_enforced:
        return []
    if not last.is_whole:
        return [f"{month}: {last.month} is no whole month of this lake, so it cannot be signed off"]
    return [f"{month}: {last.month} is not signed off: {reason}" for reason in last.why_not_signed_off]


def _trend(coverage: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{month} {_percent(part)}" for month, part in sorted(coverage.items())[-4:])


def _percent(part: Fraction) -> str:
    """Cut, not rounded: 99.96 is not 100."""
    return f"{int(part * 1000) / 10:.1f} %"
