"""Exact numbers as plain digits: amounts in minor units, hours to two decimals. No locale, no exponent.

Rounding here is for reading only; nothing that is charged goes through it.
"""

from decimal import Decimal
from fractions import Fraction

from chargeback.money import SECONDS_PER_HOUR, Currency


def plain_amount(amount: Decimal, currency: Currency) -> str:
    """`1196.15` for EUR, `1196` for JPY.

    Raises ValueError for an amount finer than the minor unit: it was not rounded.
    """
    if amount != currency.round(Fraction(amount)):
        raise ValueError(f"{amount} {currency.code} is finer than one minor unit: round it where it is born")
    return f"{amount:.{currency.minor_units}f}"


def plain_price(price: Decimal) -> str:
    """`2.385`, `1.10`: at least two decimals, no trailing zeros after them."""
    whole, _, decimals = f"{price:f}".partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"


def decimal_text(value: Fraction, *, decimals: int) -> str:
    """A fraction to so many decimals, half-even, for reading."""
    scaled = round(value * 10**decimals)
    digits = str(abs(scaled)).rjust(decimals + 1, "0")
    sign = "-" if scaled < 0 else ""
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}" if decimals else f"{sign}{digits}"


def hours_text(seconds: Fraction, *, decimals: int = 2) -> str:
    """Seconds as hours to two decimals: `480.00`."""
    return decimal_text(seconds / SECONDS_PER_HOUR, decimals=decimals)


def is_exact_in_hours(seconds: Fraction, *, decimals: int = 2) -> bool:
    """Whether two decimals of hours say the whole quantity, so that hours x rate can be multiplied by hand."""
    return bool((seconds / SECONDS_PER_HOUR * 10**decimals).denominator == 1)


def grouped(number: str) -> str:
    """`1234567.89` with commas, and a true minus sign: `1,234,567.89`, `−3.00`."""
    whole, dot, decimals = number.lstrip("-").partition(".")
    sign = "−" if number.startswith("-") else ""
    return f"{sign}{int(whole):,}{dot}{decimals}"
