"""Reading named entries of a rate card's tree, collecting every fault with its line instead of stopping at the first.

Not here: YAML itself (yaml_tree.py), which entries a card has (rate_card.py and the card_*.py beside it).
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from chargeback.pricing.yaml_tree import Branch, Text

MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_AMOUNT = re.compile(r"-?\d{1,15}(\.\d{1,12})?")
_COUNT = re.compile(r"\d{1,9}")
_PERCENT = re.compile(r"\d{1,4}(\.\d{1,6})? ?%")


class CardFields:
    """Reads a tree and collects what is wrong with it; what was read with reasons is not used."""

    def __init__(self, object_key: str) -> None:
        self.object_key = object_key
        self.reasons: list[str] = []

    def refuse(self, at: Text | Branch, what: str) -> None:
        """Note a fault with the line at which it stands."""
        self.reasons.append(f"rate card {self.object_key} line {at.line}: {what}")

    def refuse_unknown(self, at: Branch, known: Sequence[str], where: str = "") -> None:
        """Refuse every entry whose name is not known: a misspelt one would silently count for nothing."""
        for name in sorted(set(at.entries) - set(known)):
            self.refuse(at.entries[name], f"{where}unknown field {name!r}: known are {', '.join(known)}")

    def text(self, at: Branch, name: str, form: re.Pattern[str] | None, like: str, *, required: bool = True) -> str:
        """An entry as it is written, if it has the form; '' where it is missing or refused."""
        entry = at.entries.get(name)
        if entry is None:
            if required:
                self.refuse(at, f"{name} is missing: state {like}")
            return ""
        if isinstance(entry, Branch) or (form is not None and not form.fullmatch(entry.text)):
            shown = "more lines" if isinstance(entry, Branch) else repr(entry.text) if entry.text else "empty"
            self.refuse(entry, f"{name} is {shown}, must be {like}")
            return ""
        return entry.text

    def amount(self, at: Branch, name: str, *, default: Decimal | None = None, signed: bool = False) -> Decimal:
        """A decimal number, 0 or more unless `signed`; without a default it must be stated. 0 where it is refused."""
        like = "a plain decimal number, 1200.50 (0 if there is none)"
        text = self.text(at, name, _AMOUNT, like, required=default is None)
        number = Decimal(text) if text else default or Decimal(0)
        if number < 0 and not signed:
            self.refuse(at.entries[name], f"{name} is {text}: it cannot be below 0")
        return number

    def positive(self, at: Branch, name: str) -> Decimal:
        """A decimal number above 0; 1 where it is refused, so that what follows can be read on."""
        number = self.amount(at, name)
        if number <= 0:
            entry = at.entries.get(name)
            if isinstance(entry, Text) and _AMOUNT.fullmatch(entry.text) and number == 0:
                self.refuse(entry, f"{name} is {entry.text}: it must be above 0")
            return Decimal(1)
        return number

    def count(self, at: Branch, name: str, *, default: int | None = None) -> int:
        """A whole number, 0 or more; without a default it must be stated."""
        text = self.text(at, name, _COUNT, "a whole number", required=default is None)
        return int(text) if text else default or 0

    def percent(self, at: Branch, name: str, *, default: Fraction | None = None) -> Fraction:
        """A per cent as a fraction, `80 %` is 4/5; without a default it must be stated."""
        text = self.text(at, name, _PERCENT, "a per cent, 80 %", required=default is None)
        return Fraction(text.rstrip(" %")) / 100 if text else default or Fraction(0)

    def branch(self, at: Branch, name: str, like: str) -> Branch:
        """The entries below a name; none where it is missing or a text, which is refused."""
        if name not in at.entries:
            self.refuse(at, f"{name} is missing: state {like}")
            return Branch({}, at.line)
        return self.as_branch(at.entries[name], name, like)

    def as_branch(self, entry: Text | Branch, name: str, like: str) -> Branch:
        """The entry, if it has entries itself; else refused."""
        if isinstance(entry, Branch):
            return entry
        self.refuse(entry, f"{name} is {entry.text!r}, must be {like}")
        return Branch({}, entry.line)
