"""All cards of a lake beside each other: no month in which two of them price one accelerator, none in between without.

A card that supersedes another takes its place from its own first month on; without saying so, the higher version still
counts (prices_of_month.py), and the overlap is told. Source: design.md 5.7, "no gap, no overlap".
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from chargeback.pricing.rate_card import RateCard


def calendar_findings(cards: Sequence[RateCard]) -> list[str]:
    """Overlaps, gaps and unknown predecessors, one sentence each; the order of `cards` changes nothing."""
    known = {card.version: card for card in sorted(cards, key=lambda card: (card.order, card.object_key))}
    issued = sorted(known.values(), key=lambda card: card.order)
    return [*_unknown_predecessors(issued), *_overlaps(issued), *_gaps(issued)]


def _unknown_predecessors(cards: Sequence[RateCard]) -> Iterator[str]:
    versions = {card.version for card in cards}
    for card in cards:
        if card.supersedes and card.supersedes not in versions:
            yield f"rate card {card.version} supersedes {card.supersedes}, which never landed: correct or land it"


def _overlaps(cards: Sequence[RateCard]) -> Iterator[str]:
    predecessor = {card.version: card.supersedes for card in cards}
    for lower, higher in combinations(cards, 2):
        first = max(lower.effective_from, higher.effective_from)
        is_apart = not (_is_before(first, lower.effective_to) and _is_before(first, higher.effective_to))
        if is_apart or _is_superseded(lower.version, higher.version, predecessor):
            continue
        before, after = (sorted({price.accelerator for price in card.prices}) for card in (lower, higher))
        common = ", ".join(name for name in before if name in after)
        dropped = ", ".join(name for name in before if name not in after)
        remedy = f'end {lower.version} there, or say in {higher.version} `supersedes: "{lower.version}"`'
        if common:
            yield (
                f"rate cards {lower.version} and {higher.version} both price {common} from {first} on: {remedy}; until "
                f"then {higher.version} counts"
            )
        if dropped:
            yield (
                f"rate card {higher.version} counts from {first} on and has no price for {dropped}, which "
                f"{lower.version} still prices: add it to {higher.version}, or {remedy}"
            )


def _gaps(cards: Sequence[RateCard]) -> Iterator[str]:
    """Stretches of months without a price, of the card in force, before and after which there is one."""
    stretches = _in_force(cards)
    for accelerator in sorted({price.accelerator for card in cards for price in card.prices}):
        is_priced = [
            card is not None and any(price.accelerator == accelerator for price in card.prices) for _, card in stretches
        ]
        open_since = ""
        for at, (month, card) in enumerate(stretches):
            if not is_priced[at]:
                open_since = open_since or (month if any(is_priced[:at]) else "")
                continue
            if open_since and card is not None:
                yield (
                    f"{accelerator} has no price from {open_since} to {month}, between two cards that price it: land "
                    f"one that covers these months, or let {card.version} begin in {open_since}"
                )
            open_since = ""


def _in_force(cards: Sequence[RateCard]) -> list[tuple[str, RateCard | None]]:
    """(first month, card in force from then on), in order of months."""
    months = sorted({month for card in cards for month in (card.effective_from, card.effective_to) if month})
    covering = [
        (month, [card for card in cards if card.effective_from <= month and _is_before(month, card.effective_to)])
        for month in months
    ]
    return [(month, max(those, key=lambda card: card.order) if those else None) for month, those in covering]


def _is_before(month: str, end: str | None) -> bool:
    return end is None or month < end


def _is_superseded(lower: str, higher: str, predecessor: dict[str, str]) -> bool:
    seen: set[str] = set()
    while higher and higher not in seen:
        seen.add(higher)
        higher = predecessor.get(higher, "")
        if higher == lower:
            return True
    return False
