"""The text of a card that `chargeback rate-card new` starts: every entry with what it means beside it.

Not here: what the entries do (chargeback/pricing).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from chargeback.ledger.plain_numbers import plain_amount
from chargeback.money import Currency
from chargeback.pricing.billing_weights import proposed_weight
from chargeback.usage.mig import Slice, parse_slice
from orchestration.accelerators_in_use import InUse

_SEVENTHS = {
    40: (5, 10, 20),
    80: (10, 20, 40),
    94: (12, 24, 47),
    96: (12, 24, 48),
    141: (18, 35, 71),
    180: (23, 45, 90),
}
"""Memory of a part with seven compute slices -> memory of its 1g, 2g and 3g profiles (NVIDIA's MIG user guide)."""

_CUT_BY_MIG = ("a100", "h100", "h200", "gh200", "b200")


@dataclass(frozen=True, slots=True)
class Beginning:
    """What stands at the head of the card. `supersedes` is empty for the first.

    `carry_forward` is accelerator -> what the recovery ledger of `fiscal_year` proposes to carry forward.
    """

    version: str
    effective_from: str
    currency: str
    supersedes: str
    fiscal_year: str = ""
    carry_forward: Mapping[str, Decimal] = field(default_factory=dict)


def card_text(beginning: Beginning, accelerators: Sequence[str], in_use: InUse) -> str:
    """The whole card, costs empty, GPU counts and slices as the lake knows them."""
    lines = [*_head(beginning), "accelerators:"]
    for name in accelerators:
        lines += _accelerator(name, in_use, beginning)
    return "\n".join(lines) + "\n"


def _head(beginning: Beginning) -> Iterator[str]:
    yield "# A rate card with its cost build-up. What is empty has to be filled in; 0 where there is none."
    yield "# `chargeback rate-card explain FILE` says what is missing, and what each rate comes to."
    yield f'version: "{beginning.version}"'
    yield f"effective_from: {beginning.effective_from}        # first month"
    yield "# effective_to:                # first month without it, if it ends"
    yield f"currency: {beginning.currency}"
    yield "rate_scale: 4                  # decimals of a rate"
    yield "prepared_by:                   # a name"
    yield "approved_by:                   # another name: nobody approves what they prepared"
    yield "reason:                        # why this card, in a sentence"
    if beginning.supersedes:
        yield f'supersedes: "{beginning.supersedes}"'
    yield "policies:"
    yield "  suspended: hold              # hold: charged; credit: charged, and credited as a line of its own"
    yield "  blocked: report              # report; charge: in GPU equivalents, which needs `node` below"
    yield "  platform_fault_cap_hours: none    # hours of a run that are credited after a fault of the platform"
    yield "  preempted_minutes: 0         # of a preempted standard run, the first minutes that are credited"
    yield "# customer_classes:            # without them everybody pays what is stated"
    yield "#   internal: {kind: internal}"
    yield "#   federal: {kind: federal}   # never pays for what a grant has paid for"
    yield "#   partners: {kind: external, grant_funded: included, mark_up: 25 %, tax_code: V19}"
    yield "#   sister: {kind: intercompany, mark_up: 0 %, tax_code: IC0}     # posted once both are stated"


def _accelerator(name: str, in_use: InUse, beginning: Beginning) -> Iterator[str]:
    gpus = in_use.gpus.get(name)
    counted = f"{gpus:<19}# the most in any hour of the lake" if gpus else f"{'':<19}# how many"
    yield f"  {name}:"
    yield "    build_up:"
    yield f"      gpus: {counted}"
    yield "      in_service:              # first month in service, 2026-01"
    yield "      life_years:              # straight line, 5 or 4.5"
    yield "      capital_cost:            # of all of them, hosts included"
    yield "      residual: 0              # what they will still be worth"
    yield "      grant_funded: 0          # part of the capital cost that a grant paid"
    yield "      support_per_year:"
    yield "      power: {kw_per_gpu: , basis: measured, pue: , tariff_per_kwh: }    # basis: measured or nameplate"
    yield "      space_per_year:"
    yield "      interconnect_per_year:   # its share"
    yield "      storage_per_year:        # its share"
    yield "      staff_per_year:"
    yield "      software_per_year:"
    yield f"      carry_forward_per_year: {_carried(name, beginning)}"
    yield "      denominator: {share_of_capacity: 80 %, basis: practical capacity}"
    yield "    standard: {price: , unit: GPU-hour}    # what the build-up makes: `explain` says it"
    yield "    # preemptible: {discount: 30 %}        # off the standard price"
    yield "    # reserved: {discount: 10 %}"
    yield "    # node: {cpus_per_gpu: 24, memory_gib_per_gpu: 256}    # for blocked: charge"
    yield from _slices(name, in_use)


def _carried(name: str, beginning: Beginning) -> str:
    """What is proposed, with where it comes from; 0 where no recovery ledger says anything."""
    proposed = beginning.carry_forward.get(name)
    if proposed is None:
        return "0    # recovered too little before: above 0; too much: below 0"
    stated = plain_amount(proposed, Currency(beginning.currency))
    return f"{stated}    # proposed by the recovery ledger: chargeback recovery {beginning.fiscal_year}"


def _slices(name: str, in_use: InUse) -> Iterator[str]:
    seen = sorted(in_use.profiles.get(name, ()))
    possible = [profile for profile in _usual_profiles(name) if profile not in seen]
    if not seen and not possible:
        return
    yield f"    {'slices:' if seen else '# slices:':<30} # weight: the larger of compute and memory share"
    weights: dict[str, Fraction] = {}
    for profile in (*seen, *possible):
        cut = parse_slice(f"{name}_{profile}")
        if cut is None:
            yield f"    # {profile}: no known MIG profile: state a price, {{standard: {{price: , unit: slice-hour}}}}"
            continue
        weights[profile] = _weight(cut)
        mark = "" if profile in seen else "# "
        yield (
            f"    {mark}  {profile}: {{billing_weight: {weights[profile]}}}    # compute {cut.compute_slices}/"
            f"{cut.geometry.compute_slices}, memory {cut.memory_slices}/{cut.geometry.memory_slices}"
        )
    geometries = sorted(in_use.geometries.get(name, ()))
    if geometries:
        yield "    geometries:                # as telemetry saw them; the card is refused if one sums above one GPU"
    for number, geometry in enumerate(geometries, start=1):
        charged = sum((weights.get(profile, Fraction(0)) * count for profile, count in geometry), Fraction(0))
        spelled = " + ".join(f"{count} x {profile}" for profile, count in geometry)
        remark = ": too much, lower a weight" if charged > 1 else ": the rest nobody pays for" if charged < 1 else ""
        yield f"      cut-{number}: {spelled}    # {charged} of a GPU{remark}"


def _weight(cut: Slice) -> Fraction:
    return proposed_weight(
        compute=cut.compute_slices,
        of_compute=cut.geometry.compute_slices,
        memory=cut.memory_slices,
        of_memory=cut.geometry.memory_slices,
    )


def _usual_profiles(name: str) -> list[str]:
    """The profiles of a part that MIG cuts into sevenths, by the memory in its name: `...-80gb`."""
    memory = name.rpartition("-")[2].removesuffix("gb")
    if not name.startswith(_CUT_BY_MIG) or not memory.isdigit() or int(memory) not in _SEVENTHS:
        return []
    one, two, three = _SEVENTHS[int(memory)]
    return [f"1g.{one}gb", f"1g.{two}gb", f"2g.{two}gb", f"3g.{three}gb", f"4g.{three}gb"]
