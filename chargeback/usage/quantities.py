"""Quantities as Kubernetes spells them, exactly: `2`, `10Gi`, `500m`. Not here: what is counted."""

import re
from fractions import Fraction

_QUANTITY = re.compile(r"(?P<number>\d{1,18}(?:\.\d{1,9})?)(?P<suffix>m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?")
_SUFFIXES = {
    "m": Fraction(1, 1000), "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15,
    "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50,
}  # fmt: skip


def quantity_of(text: object) -> Fraction | None:
    """A quantity, exactly; None for what is none."""
    match = _QUANTITY.fullmatch(str(text).strip()) if text is not None else None
    return Fraction(match["number"]) * _SUFFIXES.get(match["suffix"], 1) if match else None


def whole_number(text: object) -> int | None:
    """A quantity that is a whole number; None for what is none."""
    quantity = quantity_of(text)
    return int(quantity) if quantity is not None and quantity.denominator == 1 else None
