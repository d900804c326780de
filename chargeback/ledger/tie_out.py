"""Whether what the finance system holds is what the outbox says it holds: per account to the cent, per key once.

Not here: asking the finance system (resources/finance_system.py).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from chargeback.contracts.outbox import ACKNOWLEDGED, REVERSED, SENT
from chargeback.ledger.outbox import Standing
from chargeback.ledger.plain_numbers import plain_price

STANDING_OVER_THERE = (ACKNOWLEDGED, REVERSED)
"""A reversed document stands there still, and its storno beside it."""


@dataclass(frozen=True, slots=True)
class HeldLine:
    """One line that the finance system holds under a key of ours. `signed`: debits positive, credits negative."""

    key: str
    remote_id: str
    account: str
    signed: Decimal


@dataclass(frozen=True, slots=True)
class AccountTie:
    """One account of a company and month: what we say was booked on it, and what the finance system holds."""

    account: str
    ours: Decimal
    theirs: Decimal

    @property
    def difference(self) -> Decimal:
        """What they hold beyond what we say."""
        return self.theirs - self.ours


@dataclass(frozen=True, slots=True)
class TieOut:
    """The accounts, and every document that stands there otherwise than we say."""

    accounts: tuple[AccountTie, ...]
    findings: tuple[str, ...]

    @property
    def ties(self) -> bool:
        """Whether nothing differs."""
        return not self.findings and not any(each.difference for each in self.accounts)


def tie_out(standings: Mapping[str, Standing], held: Iterable[HeldLine]) -> TieOut:
    """Compare one month. `held`: all lines over there whose key is of this month's batches, ours or not.

    A difference of an account that no finding explains cannot be: every line belongs to a document.
    """
    lines = list(held)
    theirs: dict[str, Decimal] = defaultdict(Decimal)
    ours: dict[str, Decimal] = defaultdict(Decimal)
    numbers: dict[str, set[str]] = defaultdict(set)
    booked: dict[str, Decimal] = defaultdict(Decimal)
    for line in lines:
        theirs[line.account] += line.signed
        numbers[line.key].add(line.remote_id)
        booked[line.key] += max(line.signed, Decimal(0))
    for standing in standings.values():
        if standing.state in STANDING_OVER_THERE:
            for own in standing.document.lines:
                ours[own.account] += own.signed
    accounts = tuple(AccountTie(name, ours[name], theirs[name]) for name in sorted({*ours, *theirs}))
    return TieOut(accounts, tuple(_findings(standings, numbers, booked)))


def _findings(
    standings: Mapping[str, Standing], numbers: Mapping[str, set[str]], booked: Mapping[str, Decimal]
) -> Iterator[str]:
    for key in sorted({*standings, *numbers}):
        standing, found = standings.get(key), numbers.get(key, set())
        there = ", ".join(sorted(found))
        if len(found) > 1:
            yield f"{key} stands there {len(found)} times ({there}): reverse all but one"
        if standing is not None and standing.state in STANDING_OVER_THERE:
            yield from _of_what_should_stand(standing, found, booked[key])
        elif found:
            state = standing.state if standing else "in no outbox"
            who = "post the month again, it is looked up" if state == SENT else "somebody else booked it: ask finance"
            yield f"{key} stands there as {there}, and here it is {state}: {who}"
        elif standing is not None and standing.state == SENT:
            yield f"{key} was sent and nobody knows what became of it: post the month again, it is looked up"


def _of_what_should_stand(standing: Standing, found: set[str], booked: Decimal) -> Iterator[str]:
    key = standing.document.key
    if not found:
        yield f"{key} was acknowledged as {standing.remote_id} and does not stand there: ask finance who took it out"
    elif len(found) == 1 and booked != standing.document.debit_amount:
        was = plain_price(standing.document.debit_amount)
        yield f"{key} was sent with debits of {was}, there it has {plain_price(booked)}: it was changed"
