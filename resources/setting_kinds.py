"""Which names and kinds of value a table of chargeback.toml may have. Not here: what the settings are (settings.py)."""

import difflib
from collections.abc import Mapping
from datetime import date
from typing import Any

KINDS: Mapping[type, str] = {
    str: "text in quotes",
    bool: "true or false",
    int: "a whole number, 0 or more",
    list: "a list of texts in quotes",
    dict: "a table",
    date: "a date, written without quotes: 2026-10-01",
}


class SettingsRefused(Exception):
    """The settings cannot be used; the message says which, why and what to do."""


def refuse_unfit(read: Mapping[str, Any], kinds: Mapping[str, type], prefix: str) -> None:
    """Raise SettingsRefused about the first setting that is not in `kinds` or whose value is of another kind."""
    for name, value in read.items():
        if name not in kinds:
            close = difflib.get_close_matches(name, kinds, n=1)
            advice = f"did you mean {prefix}{close[0]}?" if close else f"known: {', '.join(kinds)}"
            raise SettingsRefused(f"unknown setting {prefix}{name}; {advice}")
        if type(value) is not kinds[name] or (isinstance(value, int) and value < 0):
            raise SettingsRefused(f"{prefix}{name} is {value!r}; it must be {KINDS[kinds[name]]}")


def one_of(value: str, allowed: tuple[str, ...], name: str) -> str:
    """The value, if it is one of the allowed. Raises SettingsRefused."""
    if value not in allowed:
        raise SettingsRefused(f"{name} is {value!r}; it must be one of: {', '.join(allowed)}")
    return value
