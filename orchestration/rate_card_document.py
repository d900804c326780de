"""What `chargeback rate-card explain` shows, as texts: terminal, page, JSON and CSV print nothing but this.

Amounts have the minor units of the currency, rates two decimals more than the card's rate_scale, so that one sees what
was rounded. Not here: any figure that is charged.
"""

from collections.abc import Sequence
from fractions import Fraction

from chargeback.ledger.plain_numbers import decimal_text, grouped
from chargeback.ledger.statement_document import Document
from chargeback.money import Currency
from chargeback.pricing.billing_weights import below_one_gpu
from chargeback.pricing.build_up_rate import HOURS_PER_YEAR, rate_of
from chargeback.pricing.card_build_up import BuildUp
from chargeback.pricing.customer_classes import CustomerClass, class_price, unequal_classes
from chargeback.pricing.rate_card import RateCard
from chargeback.pricing.rate_explanation import Effect, Explanation, explain_card
from chargeback.pricing.stated_price import StatedPrice, billing_weights


def card_document(card: RateCard, *, findings: Sequence[str] = ()) -> Document:
    """The whole card as texts; `findings` are what other cards of the lake have against it, a sentence each."""
    currency = Currency(card.currency)
    explained = explain_card(card, smallest_amount=currency.smallest_amount)
    unequal = unequal_classes(card.prices, card.customer_classes, card.build_ups, scale=card.rate_scale)
    return {
        "card": {name: getattr(card, name) for name in _CARD_FIELDS},
        "accelerators": [_accelerator(each, card, currency) for each in explained],
        "prices": [_price(price, card.rate_scale + 2) for price in card.prices],
        "customer_classes": [_customers(each, card) for each in card.customer_classes],
        "policies": _policies(card),
        "findings": [*findings, *(f"{what}: {paid}; {most}" for what, most, paid in unequal)],
        "notes": _notes(card),
    }


_CARD_FIELDS = (
    "version", "effective_from", "effective_to", "currency", "rounding", "rate_scale", "prepared_by", "approved_by",
    "reason", "supersedes", "note", "sha256", "is_signed", "signature",
)  # fmt: skip


def _accelerator(explained: Explanation, card: RateCard, currency: Currency) -> Document:
    build_up, decimals = explained.build_up, card.rate_scale + 2
    how = _how(build_up)
    share = build_up.share_of_capacity * 100
    return {
        "accelerator": build_up.accelerator,
        "stated": f"{explained.stated.price} {card.currency} per {explained.stated.unit}",
        "gpus": str(build_up.gpus),
        "in_service": build_up.in_service,
        "written_off_from": build_up.written_off_from,
        "is_written_off": build_up.is_written_off,
        "denominator": (
            f"{grouped(str(build_up.gpus))} GPUs × {HOURS_PER_YEAR:,} h × {_trimmed(share)} % "
            f"({build_up.denominator_basis}) = {grouped(_trimmed(explained.billable_hours))} billable GPU-hours a year"
        ),
        "components": [
            {
                "name": name,
                "how": how.get(name, "as stated"),
                "per_year": decimal_text(cost, decimals=currency.minor_units),
                "per_gpu_hour": decimal_text(explained.per_gpu_hour[name], decimals=decimals),
                "per_cent": _per_cent(cost, sum(explained.per_year.values(), Fraction(0))),
            }
            for name, cost in explained.per_year.items()
        ],
        "total": {
            "per_year": decimal_text(sum(explained.per_year.values(), Fraction(0)), decimals=currency.minor_units),
            "per_gpu_hour": decimal_text(explained.rate, decimals=decimals),
        },
        "rate": str(rate_of(build_up, scale=card.rate_scale)),
        "effects": [_effect(each, explained, decimals, currency) for each in explained.effects],
    }


def _effect(effect: Effect, explained: Explanation, decimals: int, currency: Currency) -> Document:
    return {
        "change": effect.change,
        "label": effect.label,
        "rate": decimal_text(effect.rate, decimals=decimals),
        "difference": decimal_text(effect.difference, decimals=decimals),
        "per_cent": _per_cent(effect.difference, explained.rate),
        "per_year": decimal_text(effect.per_year, decimals=currency.minor_units),
    }


def _how(build_up: BuildUp) -> dict[str, str]:
    """Components that are computed, as somebody would type them into a calculator."""
    power, life = build_up.power, _trimmed(build_up.life_years)
    off = "".join(
        f" − {grouped(str(amount))} {what}"
        for amount, what in ((build_up.residual, "residual"), (build_up.grant_funded, "grant-funded"))
        if amount
    )
    capital = grouped(str(build_up.capital_cost))
    spread = f"({capital}{off}) ÷ {life} years" if off else f"{capital} ÷ {life} years"
    over = f"0: its {life} years were over in {build_up.written_off_from}"
    return {
        "depreciation": over if build_up.is_written_off else spread,
        "power": (
            f"{build_up.gpus} × {power.kw_per_gpu} kW {power.basis} × PUE {power.pue} × {power.tariff_per_kwh} per "
            f"kWh × {HOURS_PER_YEAR:,} h"
        ),
    }


def _price(price: StatedPrice, decimals: int) -> Document:
    how = "stated"
    if price.billing_weight is not None:
        how = f"{price.billing_weight} of the GPU's price"
    elif price.discount is not None:
        how = f"{_trimmed(price.discount * 100)} % below standard"
    return {
        "accelerator": price.accelerator,
        "tier": price.tier,
        "price": str(price.price),
        "unit": price.unit,
        "how": f"{how}: {price.why}" if price.why else how,
        "a_slice_hour": (
            decimal_text(price.per_hour_of_730 * price.billing_weight, decimals=decimals)
            if price.billing_weight
            else ""
        ),
    }


def _customers(customers: CustomerClass, card: RateCard) -> Document:
    missing = customers.terms.missing if customers.terms.is_outside else ()
    parts = [
        "pays for what grants paid" if customers.pays_grant_funded else "nothing for what grants paid",
        f"{_trimmed(customers.mark_up * 100)} % mark-up" if customers.states_mark_up else "",
        f"{_trimmed(customers.subsidy * 100)} % subsidy" if customers.subsidy else "",
        f"tax code {customers.tax_code}" if customers.tax_code else "",
        f"not posted before {' and '.join(missing)} is stated" if missing else "",
    ]
    return {
        "name": customers.name,
        "kind": customers.kind,
        "terms": ", ".join(filter(None, parts)),
        "prices": [
            {
                "accelerator": price.accelerator,
                "tier": price.tier,
                "unit": price.unit,
                "price": str(class_price(price, customers, card.build_ups, scale=card.rate_scale)),
            }
            for price in card.prices
            if price.billing_weight is None
        ],
    }


def _policies(card: RateCard) -> list[Document]:
    policies = card.policies
    cap, minutes = policies.platform_fault_cap_hours, policies.preempted_minutes
    said = (
        ("suspended time", "charged, and credited" if policies.suspended == "credit" else "charged: the GPUs are held"),
        ("blocked capacity", "charged in GPU equivalents" if policies.blocked == "charge" else "reported, not charged"),
        ("platform faults", f"credited, at most {cap} hours of a run" if cap else "not credited"),
        ("preempted standard runs", f"their first {minutes} minutes are credited" if minutes else "not credited"),
    )
    return [{"what": what, "policy": policy} for what, policy in said]


def _notes(card: RateCard) -> list[str]:
    notes = below_one_gpu(card.geometries, billing_weights(card.prices))
    notes += [
        f"{build_up.accelerator} is written off from {build_up.written_off_from} on: a card without its depreciation "
        "is due then"
        for build_up in card.build_ups
        if not build_up.is_written_off and card.effective_to is None
    ]
    built = {build_up.accelerator for build_up in card.build_ups}
    bare = sorted({price.accelerator.partition(":")[0] for price in card.prices} - built)
    if bare:
        notes.append(f"{', '.join(bare)}: the price is stated without a build-up, nobody can recompute it")
    return notes


def _per_cent(part: Fraction, whole: Fraction) -> str:
    return decimal_text(part / whole * 100, decimals=1) if whole else "0.0"


def _trimmed(number: Fraction) -> str:
    text = decimal_text(number, decimals=4)
    return text.rstrip("0").rstrip(".")
