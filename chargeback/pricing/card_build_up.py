"""The cost build-up of one accelerator as a rate card states it: what the rate is made of, in the card's currency.

    build_up:
      gpus: 256                              # that these costs bought and run
      in_service: 2026-01                    # first month in service
      life_years: 5                          # straight line; a whole number of months
      capital_cost: 8960000.00               # hosts included
      residual: 0                            # what it will still be worth at the end
      grant_funded: 0                        # part of the capital cost that nobody may be charged for
      support_per_year: 448000
      power: {kw_per_gpu: 1.25, basis: measured, pue: 1.30, tariff_per_kwh: 0.14}
      space_per_year: 96000
      interconnect_per_year: 160000          # this accelerator's share
      storage_per_year: 120000               # this accelerator's share
      staff_per_year: 380000
      software_per_year: 64000
      carry_forward_per_year: 0              # recovered too little before: above 0; too much: below 0
      denominator: {share_of_capacity: 80 %, basis: practical capacity}

Everything is stated, 0 if there is none, so that nothing was forgotten; only residual, grant_funded, carry-forward and
denominator may be left out (0, 0, 0, 80 % of capacity). Not here: the formula (build_up_rate.py).
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal, cast

from chargeback.pricing.card_fields import MONTH, CardFields
from chargeback.pricing.yaml_tree import Branch

YEARLY = ("support", "space", "interconnect", "storage", "staff", "software", "carry-forward")
"""Components that are stated per year, as `<name>_per_year`."""

PRACTICAL_CAPACITY = Fraction(80, 100)
LONGEST_LIFE_YEARS = 100

_POWER = ("kw_per_gpu", "basis", "pue", "tariff_per_kwh")
_DENOMINATOR = ("share_of_capacity", "basis")
_YEARLY_FIELDS = {name: f"{name.replace('-', '_')}_per_year" for name in YEARLY}
_FIELDS = (
    "gpus", "in_service", "life_years", "capital_cost", "residual", "grant_funded", "power", "denominator",
    *_YEARLY_FIELDS.values(),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Power:
    """Electricity of one GPU with its part of the host. `basis` says where the kW come from."""

    kw_per_gpu: Decimal
    basis: Literal["nameplate", "measured"]
    pue: Decimal
    tariff_per_kwh: Decimal


@dataclass(frozen=True, slots=True)
class BuildUp:
    """All inputs of one accelerator's rate. `priced_from` is the card's first month, `yearly` has all of YEARLY."""

    accelerator: str
    priced_from: str
    gpus: int
    in_service: str
    life_years: Fraction
    capital_cost: Decimal
    residual: Decimal
    grant_funded: Decimal
    power: Power
    yearly: tuple[tuple[str, Decimal], ...]
    share_of_capacity: Fraction = PRACTICAL_CAPACITY
    denominator_basis: str = "practical capacity"

    @property
    def written_off_from(self) -> str:
        """The first month after its life: from it on nothing is depreciated."""
        return month_after(self.in_service, int(self.life_years * 12))

    @property
    def is_written_off(self) -> bool:
        """Whether its life is over when the card begins."""
        return self.written_off_from <= self.priced_from


def month_after(month: str, months: int) -> str:
    """The month so many months later: 2026-11 and 3 is 2027-02."""
    year, number = divmod(int(month[:4]) * 12 + int(month[5:]) - 1 + months, 12)
    return f"{year:04d}-{number + 1:02d}"


def read_build_up(
    fields: CardFields, accelerator: str, entry: Branch, *, effective_from: str, effective_to: str | None
) -> BuildUp:
    """The section `build_up` of an accelerator; what is wrong with it is refused by `fields`, all of it."""
    fields.refuse_unknown(entry, _FIELDS, f"{accelerator}, build_up: ")
    gpus = fields.count(entry, "gpus")
    if gpus < 1 and not fields.reasons:
        fields.refuse(entry, f"{accelerator}, build_up: gpus must be 1 or more: the costs are divided by them")
    share, basis = _denominator(fields, entry)
    in_service = fields.text(entry, "in_service", MONTH, "a month, 2026-01")
    found = BuildUp(
        accelerator=accelerator,
        priced_from=effective_from,
        gpus=max(gpus, 1),
        in_service=in_service or effective_from,
        life_years=_life(fields, entry),
        capital_cost=fields.amount(entry, "capital_cost"),
        residual=fields.amount(entry, "residual", default=Decimal(0)),
        grant_funded=fields.amount(entry, "grant_funded", default=Decimal(0)),
        power=_power(fields, fields.branch(entry, "power", "kw_per_gpu, basis, pue and tariff_per_kwh")),
        yearly=tuple(_yearly(fields, entry, name) for name in YEARLY),
        share_of_capacity=share,
        denominator_basis=basis,
    )
    for fault in _faults(found, effective_to) if in_service and effective_from else ():
        fields.refuse(entry, f"{accelerator}, build_up: {fault}")
    return found


def _yearly(fields: CardFields, entry: Branch, name: str) -> tuple[str, Decimal]:
    if name == "carry-forward":
        return name, fields.amount(entry, _YEARLY_FIELDS[name], default=Decimal(0), signed=True)
    return name, fields.amount(entry, _YEARLY_FIELDS[name])


def _life(fields: CardFields, entry: Branch) -> Fraction:
    life = Fraction(fields.positive(entry, "life_years"))
    if (life * 12).denominator != 1 or life > LONGEST_LIFE_YEARS:
        like = f"it must be whole months, 4.5 or 5, and at most {LONGEST_LIFE_YEARS} years"
        fields.refuse(entry.entries["life_years"], f"life_years is {float(life)}: {like}")
        return Fraction(1)
    return life


def _power(fields: CardFields, entry: Branch) -> Power:
    fields.refuse_unknown(entry, _POWER, "power: ")
    basis = fields.text(entry, "basis", re.compile("nameplate|measured"), "nameplate or measured")
    pue = fields.positive(entry, "pue")
    if pue < 1:
        fields.refuse(entry.entries["pue"], f"pue is {pue}: a site cannot use less than its machines, 1 or more")
    return Power(
        fields.positive(entry, "kw_per_gpu"),
        cast(Literal["nameplate", "measured"], basis or "nameplate"),
        pue,
        fields.amount(entry, "tariff_per_kwh"),
    )


def _denominator(fields: CardFields, entry: Branch) -> tuple[Fraction, str]:
    if "denominator" not in entry.entries:
        return PRACTICAL_CAPACITY, "practical capacity"
    stated = fields.branch(entry, "denominator", "share_of_capacity and basis")
    fields.refuse_unknown(stated, _DENOMINATOR, "denominator: ")
    share = fields.percent(stated, "share_of_capacity")
    basis = fields.text(stated, "basis", None, "where the share comes from, practical capacity")
    if not 0 < share <= 1:
        fields.refuse(stated, f"share_of_capacity is {share * 100} %, must be above 0 % and at most 100 %")
        share = Fraction(1)
    if not basis:
        fields.refuse(stated, "basis is empty: say where the share comes from, practical capacity")
    return share, basis


def _faults(build_up: BuildUp, effective_to: str | None) -> list[str]:
    faults = []
    if build_up.in_service > build_up.priced_from:
        faults.append(
            f"in service from {build_up.in_service}, the card prices it from {build_up.priced_from}: nothing is "
            "charged before it can be used"
        )
    unpaid = build_up.capital_cost - build_up.residual - build_up.grant_funded
    if unpaid < 0:
        faults.append(f"residual and grant_funded are {-unpaid} more than the capital cost")
    end = build_up.written_off_from
    if effective_to is not None and build_up.priced_from < end < effective_to:
        faults.append(f"its life ends with {end}, the card goes on to {effective_to}: end the card in {end}")
    return faults
