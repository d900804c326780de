"""Our month beside finance's: the difference of each cost centre, split by cause, exactly and to the cent.

    ours - theirs = rate + hours + ownership + credits + missing reference + unexplained

A cause is what finance's own figures can show: `rate` needs its rate and hours, `hours` its hours, `ownership` is what
one cost centre has too much and another too little, `credits` what we forgave and it did not. Where it says nothing,
the difference stays unexplained. The limit applies to the residue: cost centres cannot make up for one another.
Source: docs/decisions/0034. Not here: the page (parallel_page.py), who signs it (chargeback/signatures/).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.contracts.names import CREDIT_KINDS, UNATTRIBUTED
from chargeback.ledger.finance_reference import POOL, Reference
from chargeback.ledger.plain_numbers import decimal_text, plain_price
from chargeback.ledger.posting_document import plain_text
from chargeback.money import SECONDS_PER_HOUR, Currency

CAUSES = ("rate", "hours", "ownership", "credits", "missing reference", "unexplained")
SUSPENSE = "(suspense)"
"""What stands for the cost centre of held time without an owner."""


@dataclass(frozen=True, slots=True)
class Ours:
    """What we would charge a cost centre: before credits, credits (not positive), GPU-hours, and its teams."""

    gross: Decimal
    credits: Decimal
    gpu_hours: Fraction
    teams: tuple[str, ...]

    @property
    def amount(self) -> Decimal:
        """What it would pay."""
        return self.gross + self.credits


@dataclass(frozen=True, slots=True)
class Compared:
    """One cost centre: both amounts, and the difference by cause, in order of CAUSES. It adds up to the cent."""

    cost_centre: str
    teams: tuple[str, ...]
    ours: Decimal
    theirs: Decimal | None
    causes: Mapping[str, Decimal]
    source: str

    @property
    def variance(self) -> Decimal:
        """Ours less theirs; all of ours where finance says nothing."""
        return self.ours - (self.theirs or Decimal(0))


@dataclass(frozen=True, slots=True)
class Variance:
    """A month, by cost centre, and what counts for its sign-off."""

    month: str
    rows: tuple[Compared, ...]

    @property
    def ours(self) -> Decimal:
        """What we would charge."""
        return sum((row.ours for row in self.rows), Decimal(0))

    @property
    def theirs(self) -> Decimal:
        """What finance has."""
        return sum((row.theirs for row in self.rows if row.theirs is not None), Decimal(0))

    @property
    def has_reference(self) -> bool:
        """Whether finance said anything."""
        return any(row.theirs is not None for row in self.rows)

    @property
    def residue(self) -> Decimal:
        """What nothing explains: the sum of its amounts over cost centres, whichever way they go."""
        unexplained = ("missing reference", "unexplained")
        return sum((abs(row.causes[name]) for row in self.rows for name in unexplained), Decimal(0))

    def document(self) -> dict[str, object]:
        """What is signed off, as a tree of texts: both amounts and every cause of every cost centre."""
        return {
            "month": self.month,
            "cost_centres": [
                {
                    "cost_centre": row.cost_centre,
                    "ours": plain_text(row.ours),
                    "theirs": None if row.theirs is None else plain_text(row.theirs),
                    "source": row.source,
                    "causes": {name: plain_text(amount) for name, amount in row.causes.items()},
                }
                for row in self.rows
            ],
        }

    def total(self, cause: str) -> Decimal:
        """A cause over all cost centres."""
        return sum((row.causes[cause] for row in self.rows), Decimal(0))

    def why_not_within(self, limit_percent: Fraction) -> tuple[str, ...]:
        """Why the month may not be signed off; nothing if the residue is within the limit of what finance has."""
        if not self.has_reference:
            return (f"{self.month}: finance has landed no figures of its own: finance-reference/",)
        allowed = limit_percent * abs(Fraction(self.theirs)) / 100
        if Fraction(self.residue) > allowed:
            share = Fraction(self.residue) * 100 / abs(Fraction(self.theirs)) if self.theirs else Fraction(100)
            residue, theirs = plain_price(self.residue), plain_price(self.theirs)
            told = (
                f"{self.month}: {residue} is unexplained, {decimal_text(share, decimals=2)} % of what finance has "
                f"({theirs}); the limit is {decimal_text(limit_percent, decimals=2)} %"
            )
            return (told,)
        return ()


def ours_of(lines: pl.DataFrame) -> dict[str, Ours]:
    """Cost centre -> what we would charge it, by contracts.team_charges of one month."""
    gross: dict[str, Decimal] = {}
    forgiven: dict[str, Decimal] = {}
    hours: dict[str, Fraction] = {}
    teams: dict[str, set[str]] = {}
    for line in lines.select("team", "cost_centre", "kind", "amount", "gpu_seconds").iter_rows(named=True):
        centre = SUSPENSE if line["team"] == UNATTRIBUTED else line["cost_centre"]
        sums = forgiven if line["kind"] in CREDIT_KINDS else gross
        sums[centre] = sums.get(centre, Decimal(0)) + line["amount"]
        hours[centre] = hours.get(centre, Fraction(0)) + Fraction(line["gpu_seconds"]) / SECONDS_PER_HOUR
        teams.setdefault(centre, set()).add(line["team"])
    return {
        centre: Ours(
            gross.get(centre, Decimal(0)), forgiven.get(centre, Decimal(0)), hours[centre], tuple(sorted(teams[centre]))
        )
        for centre in sorted(teams)
    }


def variance_of(
    ours: Mapping[str, Ours], references: Sequence[Reference], *, month: str, currency: Currency
) -> Variance:
    """Compare a month. Where finance has one total of the pool, all of ours is one row."""
    if any(each.cost_centre == POOL for each in references):
        ours = {"(pool)": _together(ours.values())} if ours else {}
        references = [_renamed(each, "(pool)") for each in references]
    by_centre = {each.cost_centre: each for each in references}
    owned = _owned_elsewhere(ours, by_centre)
    rows = [
        _compared(centre, ours.get(centre), by_centre.get(centre), owned.get(centre, Fraction(0)), currency)
        for centre in sorted({*ours, *by_centre})
    ]
    return Variance(month, tuple(rows))


def _compared(
    centre: str, ours: Ours | None, theirs: Reference | None, owned_hours: Fraction, currency: Currency
) -> Compared:
    ours = ours or Ours(Decimal(0), Decimal(0), Fraction(0), ())
    causes = dict.fromkeys(CAUSES, Decimal(0))
    if theirs is None:
        causes["missing reference"] = ours.amount
        return Compared(centre, ours.teams, ours.amount, None, causes, "")
    variance = ours.amount - theirs.amount
    causes["credits"] = ours.credits - theirs.credits if theirs.credits is not None else Decimal(0)
    if theirs.gpu_hours is not None and (ours.gpu_hours or theirs.rate is not None):
        price = Fraction(ours.gross) / ours.gpu_hours if ours.gpu_hours else theirs.rate or Fraction(0)
        differing = ours.gpu_hours - theirs.gpu_hours
        causes["ownership"] = currency.round(owned_hours * price)
        causes["hours"] = currency.round(differing * price) - causes["ownership"]
        if theirs.rate is not None:
            causes["rate"] = currency.round((price - theirs.rate) * theirs.gpu_hours)
    causes["unexplained"] = variance - sum(causes.values(), Decimal(0))
    return Compared(centre, ours.teams, ours.amount, theirs.amount, causes, theirs.source)


def _owned_elsewhere(ours: Mapping[str, Ours], theirs: Mapping[str, Reference]) -> dict[str, Fraction]:
    """Cost centre -> hours that it has and finance books on another one, or the other way round.

    What some have too much and others too little is the same hours under another owner, as far as both go; it is
    shared out by how much each differs. Known only where finance says hours.
    """
    differing = {
        centre: (ours[centre].gpu_hours if centre in ours else Fraction(0)) - each.gpu_hours
        for centre, each in theirs.items()
        if each.gpu_hours is not None
    }
    more = sum((each for each in differing.values() if each > 0), Fraction(0))
    less = -sum((each for each in differing.values() if each < 0), Fraction(0))
    moved = min(more, less)
    if not moved:
        return {}
    return {centre: each * moved / (more if each > 0 else less) for centre, each in differing.items()}


def _together(ours: Iterable[Ours]) -> Ours:
    each = list(ours)
    return Ours(
        sum((one.gross for one in each), Decimal(0)),
        sum((one.credits for one in each), Decimal(0)),
        sum((one.gpu_hours for one in each), Fraction(0)),
        tuple(sorted({team for one in each for team in one.teams})),
    )


def _renamed(reference: Reference, centre: str) -> Reference:
    return Reference(
        reference.month, centre, reference.amount, reference.source, reference.gpu_hours, reference.rate,
        reference.credits,
    )  # fmt: skip
