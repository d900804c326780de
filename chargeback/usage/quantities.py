"""Quantities as Kubernetes spells them, exactly: `2`, `10Gi`, `500m`. Not here: what is counted."""

import re
from fractions import Fraction

_QUANTITY = re.compile(r"(?P<number>\d{1,18}(?:\.\d{1,9})?)(?P<suffix>m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?")
_SUFFIXES: dict[str | None, Fraction] = {
    None: Fraction(1), "m": Fraction(1, 1000),
    **{suffix: Fraction(1000**power) for power, suffix in enumerate("kMGTP", start=1)},
    **{f"{suffix}i": Fraction(1024**power) for power, suffix in enumerate("KMGTP", start=1)},
}  # fmt: skip


def quantity_of(text: object) -> Fraction | None:
    """A quantity, exactly; None for what is none."""
    match = _QUANTITY.fullmatch(str(text).strip()) if text is not None else None
    return Fraction(match["number"]) * _SUFFIXES[match["suffix"]] if match else None


def whole_number(text: object) -> int | None:
    """A quantity that is a whole number; None for what is none."""
    quantity = quantity_of(text)
    return int(quantity) if quantity is not None and quantity.denominator == 1 else None
