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


def unfit_setting(read: Mapping[str, Any], kinds: Mapping[str, type], prefix: str) -> str | None:
    """One line about the first setting that is not in `kinds` or whose value is of another kind; None if all fit."""
    for name, value in read.items():
        if name not in kinds:
            close = difflib.get_close_matches(name, kinds, n=1)
            advice = f"did you mean {prefix}{close[0]}?" if close else f"known: {', '.join(kinds)}"
            return f"unknown setting {prefix}{name}; {advice}"
        if type(value) is not kinds[name] or (isinstance(value, int) and value < 0):
            return f"{prefix}{name} is {value!r}; it must be {KINDS[kinds[name]]}"
    return None
