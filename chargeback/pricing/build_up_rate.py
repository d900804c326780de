"""How a rate follows from its inputs: component by component, exactly, and rounded once.

    hours per year         8760, for every year (365 x 24); a month is a twelfth of it, 730 hours
    billable GPU-hours     gpus x 8760 x share of capacity                                        (the denominator)
    depreciation a year    (capital cost - residual - grant-funded part) / life in years; 0 once its life is over
    power a year           gpus x kW per GPU x PUE x tariff per kWh x 8760
    all others a year      as stated: support, space, interconnect, storage, staff, software, carry-forward
    rate per GPU-hour      sum of the yearly components / billable GPU-hours
    stated rate            that, rounded once, half-even, to the card's rate_scale (decimals)

Nothing is rounded before the last line, and the components per GPU-hour add up to the exact rate. A leap year does not
change a rate: a card holds for whole months of any year. The grant-funded part is in no component; what it would add is
said by `grant_funded_rate`, for customer classes that may be charged for it.
Source: the recharge formula of ecosystem.md 3.1; straight-line depreciation, a change of life only in a new card.
"""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

from chargeback.money import fraction_of
from chargeback.pricing.card_build_up import BuildUp

HOURS_PER_YEAR = 8760

COMPONENTS = (
    "depreciation", "support", "power", "space", "interconnect", "storage", "staff", "software", "carry-forward",
)  # fmt: skip


def yearly_costs(build_up: BuildUp) -> dict[str, Fraction]:
    """What each component of COMPONENTS costs in a year, in the card's currency, exactly."""
    power = build_up.power
    kwh = build_up.gpus * fraction_of(power.kw_per_gpu) * fraction_of(power.pue) * HOURS_PER_YEAR
    costs = {name: fraction_of(amount) for name, amount in build_up.yearly}
    costs["power"] = kwh * fraction_of(power.tariff_per_kwh)
    costs["depreciation"] = _per_year_of_life(build_up, build_up.capital_cost - _not_charged(build_up))
    return {name: costs[name] for name in COMPONENTS}


def billable_hours(build_up: BuildUp) -> Fraction:
    """The denominator: GPU-hours a year by which the costs are divided."""
    return build_up.gpus * HOURS_PER_YEAR * build_up.share_of_capacity


def rate_components(build_up: BuildUp) -> Mapping[str, Fraction]:
    """What each component adds to a GPU-hour, exactly; they add up to `exact_rate`."""
    hours = billable_hours(build_up)
    return {name: cost / hours for name, cost in yearly_costs(build_up).items()}


def exact_rate(build_up: BuildUp) -> Fraction:
    """The unrounded rate per GPU-hour."""
    return sum(rate_components(build_up).values(), Fraction(0))


def rate_of(build_up: BuildUp, *, scale: int) -> Decimal:
    """The rate per GPU-hour as a card states it: rounded once, half-even, to so many decimals."""
    return at_scale(exact_rate(build_up), scale)


def grant_funded_rate(build_up: BuildUp) -> Fraction:
    """What a GPU-hour would cost more if the grant-funded part were depreciated too."""
    return _per_year_of_life(build_up, build_up.grant_funded) / billable_hours(build_up)


def with_a_year_more(build_up: BuildUp) -> BuildUp:
    """The same with one year more of life; what is written off stays written off, since its cost was recovered."""
    if build_up.is_written_off:
        return build_up
    return replace(build_up, life_years=build_up.life_years + 1)


def with_dearer_power(build_up: BuildUp, more_per_kwh: Decimal) -> BuildUp:
    """The same with a higher tariff."""
    power = build_up.power
    return replace(build_up, power=replace(power, tariff_per_kwh=power.tariff_per_kwh + more_per_kwh))


def at_scale(exact: Fraction, scale: int) -> Decimal:
    """Rounded half-even to so many decimals."""
    with localcontext(prec=60):  # more digits than any price has, so that shifting the point rounds nothing
        return Decimal(round(exact * 10**scale)).scaleb(-scale)


def _not_charged(build_up: BuildUp) -> Decimal:
    return build_up.residual + build_up.grant_funded


def _per_year_of_life(build_up: BuildUp, amount: Decimal) -> Fraction:
    return Fraction(0) if build_up.is_written_off else fraction_of(amount) / build_up.life_years
