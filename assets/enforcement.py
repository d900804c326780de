"""Whether a month may be charged, from what stands in the lake and who has signed: asked by statements and by sending.

Not here: the rule (chargeback/ledger/enforcement.py), what is signed (chargeback/signatures/enforcement.py).
"""

from fractions import Fraction

import polars as pl

from assets.materialisation import Month
from assets.refusal import refused_as_failure
from assets.signatures import Signatures
from chargeback.billing_period import next_month
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.names import ALLOCATION, UNATTRIBUTED
from chargeback.contracts.outbox import ACKNOWLEDGED, OUTBOX
from chargeback.contracts.partition import Partition
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.enforcement import ENFORCED, PARALLEL, MonthBefore, Readiness, why_not_enforced
from chargeback.ledger.posting_document import plain_text
from chargeback.ledger.variance import Ours, Variance, ours_of, variance_of
from chargeback.signatures.enforcement import acceptance_of, sign_off_of, sponsorship_of, why_not_signed
from resources.lake import Lake
from resources.people_objects import PeopleObjects
from resources.settings import Settings

MONTHS_OF_TREND = 4


def mode_of(month: Month, *, lake: Lake, people: PeopleObjects, settings: Settings) -> str:
    """`enforced` if the month is or may be charged, else `parallel`. Raises dg.Failure as mode_now PeopleRefused."""
    with refused_as_failure():
        return mode_now(month, lake=lake, people=people, settings=settings)


def mode_now(month: Month, *, lake: Lake, people: PeopleObjects, settings: Settings) -> str:
    """The mode as statements say it: a month of which something was charged stays one that is charged.

    A key that is revoked later stops further sending (why_parallel), and makes no statement say that nothing is owed.
    Raises PeopleRefused for unreadable files of people.
    """
    if was_charged(month.period.month, lake):
        return ENFORCED
    return PARALLEL if why_parallel(month, lake=lake, people=people, settings=settings) else ENFORCED


def was_charged(month: str, lake: Lake) -> bool:
    """Whether any document of a month ever stood in the finance system."""
    steps = lake.scan(OUTBOX, [Partition.of_month(month)]).frame.filter(pl.col("state") == ACKNOWLEDGED)
    return bool(steps.select(pl.len()).collect().item())


def why_parallel(month: Month, *, lake: Lake, people: PeopleObjects, settings: Settings) -> tuple[str, ...]:
    """Why a month may not be charged now, one line a reason; none if it may. Raises PeopleRefused."""
    if settings.mode != ENFORCED:
        return why_not_enforced(
            month.period.month, (), Readiness(()), wanted=False, least_coverage=settings.enforcement.least_coverage
        )
    signed = Signatures.of(people)
    return why_not_enforced(
        month.period.month,
        _before(month, signed, lake, people, settings),
        _readiness(month, signed, lake, settings),
        wanted=True,
        least_coverage=settings.enforcement.least_coverage,
    )


def variance_of_month(month: str, *, lake: Lake, people: PeopleObjects, settings: Settings) -> Variance:
    """Our month beside finance's. Raises PeopleRefused if finance's figures cannot be read."""
    references, _ = people.finance_reference(month, settings.currency)
    return variance_of(ours_of(month_lines(month, lake)), references, month=month, currency=settings.currency)


def why_not_signed_off(
    month: str, signed: Signatures, *, lake: Lake, people: PeopleObjects, settings: Settings
) -> tuple[str, ...]:
    """Why a parallel month does not count as signed off; none if it does. Raises PeopleRefused."""
    variance = variance_of_month(month, lake=lake, people=people, settings=settings)
    over = variance.why_not_within(settings.enforcement.unexplained_limit)
    certificate = certificate_content(month, lake)
    if certificate is None:
        return (f"{month} has no certificate", *over)
    thing = sign_off_of(month, certificate=certificate, variance=variance.document())
    return (*over, *why_not_signed([thing], signed.records, signed.keyring))


def certificate_content(month: str, lake: Lake) -> str | None:
    """Content hash of the certificate that stands for a month."""
    state = lake.state(CERTIFICATE, Partition.of_month(month))
    return state.content_hash if state else None


def _before(
    month: Month, signed: Signatures, lake: Lake, people: PeopleObjects, settings: Settings
) -> list[MonthBefore]:
    """The month before this one, if this lake has it: it decides alone."""
    first = settings.first_day.isoformat()
    last = month.period.previous.month
    if last < first[:7]:
        return []
    was_enforced = was_charged(last, lake)
    why = () if was_enforced else why_not_signed_off(last, signed, lake=lake, people=people, settings=settings)
    return [MonthBefore(last, first <= f"{last}-01", was_enforced, why)]


def _readiness(month: Month, signed: Signatures, lake: Lake, settings: Settings) -> Readiness:
    name = month.period.month
    sponsored = why_not_signed([sponsorship_of(settings.enforcement.terms)], signed.records, signed.keyring)
    ours = {each: ours_of(month_lines(each, lake)) for each in _months_until(name, settings)}
    not_accepted = {
        centre: why
        for centre in ours[name]
        if centre and (why := _why_not_accepted(centre, ours, signed)) and ours[name][centre].teams != (UNATTRIBUTED,)
    }
    coverage = {each: part for each in list(ours)[-MONTHS_OF_TREND:] if (part := _coverage(each, lake)) is not None}
    return Readiness(sponsored, not_accepted, coverage)


def _why_not_accepted(centre: str, ours: dict[str, dict[str, Ours]], signed: Signatures) -> tuple[str, ...]:
    """An acceptance of what any month until this one would have cost it counts: it saw what it is in for."""
    things = [
        acceptance_of(month, centre, amount=plain_text(found[centre].amount))
        for month, found in ours.items()
        if centre in found
    ]
    return why_not_signed(things, signed.records, signed.keyring)


def _coverage(month: str, lake: Lake) -> Fraction | None:
    """Part of the charged hours that names a project; None where nothing was charged."""
    rows = month_lines(month, lake).filter(pl.col("kind") == ALLOCATION).select("project", "gpu_seconds")
    held = [(project, Fraction(text)) for project, text in rows.iter_rows()]
    whole = sum((seconds for _, seconds in held), Fraction(0))
    return sum((seconds for project, seconds in held if project), Fraction(0)) / whole if whole else None


def _months_until(month: str, settings: Settings) -> list[str]:
    months = [settings.first_day.isoformat()[:7]]
    while months[-1] < month:
        months.append(next_month(months[-1]))
    return months


def month_lines(month: str, lake: Lake) -> pl.DataFrame:
    """contracts.team_charges of a month, by name."""
    return lake.scan(TEAM_CHARGES, [Partition.of_month(month)]).frame.collect()
