"""Rate cards with a build-up, for tests: one whose figures can be followed with a pencil.

A GPU of 35,000, five years: 7,000 a year. Support 1,750, power 1.25 kW x 1.3 x 8,760 h x 0.14 = 1,992.90, space 375,
interconnect 625, storage 468.75, staff 1,484.375, software 250: 13,946.025 a year. 80 % of 8,760 hours are 7,008.
13,946.025 / 7,008 = 1.990014..., at four decimals 1.9900.
"""

from chargeback.pricing.rate_card import CardRefused, RateCard, read_rate_card

HEAD = 'version: "2026.2"\neffective_from: 2026-03\ncurrency: EUR\n'

H100 = """\
  h100-sxm5-80gb:
    build_up:
      gpus: 256
      in_service: 2026-01
      life_years: 5
      capital_cost: 8960000.00
      support_per_year: 448000
      power: {kw_per_gpu: 1.25, basis: measured, pue: 1.30, tariff_per_kwh: 0.14}
      space_per_year: 96000
      interconnect_per_year: 160000
      storage_per_year: 120000
      staff_per_year: 380000
      software_per_year: 64000
    standard: {price: 1.9900, unit: GPU-hour}
    preemptible: {discount: 30 %}
"""


def read(accelerators: str = H100, head: str = HEAD) -> RateCard | CardRefused:
    """A card with these accelerators."""
    return read_rate_card((head + "accelerators:\n" + accelerators).encode(), object_key="rate-cards/c.yaml")


def card_with(accelerators: str = H100, head: str = HEAD) -> RateCard:
    """The same, that must be accepted."""
    card = read(accelerators, head)
    assert isinstance(card, RateCard), card
    return card


def refusal_of(accelerators: str = H100, head: str = HEAD) -> str:
    """Why a card is refused, a line a reason."""
    card = read(accelerators, head)
    assert isinstance(card, CardRefused), card
    return "\n".join(card.reasons)
