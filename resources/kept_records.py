"""Small records that we keep in the lake as JSON, read back though anybody may have put another file in their place.

Not here: what the records say, and what is done without one.
"""

import json
from typing import Any

NO_RECORD = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What is raised where JSON is no JSON, nests without end, or holds other things than a record of ours has."""


def record_in(content: bytes) -> dict[str, Any]:
    """The JSON object that some bytes spell. Raises one of NO_RECORD."""
    read = json.loads(content)
    if not isinstance(read, dict):
        raise TypeError(f"JSON of a {type(read).__name__}, not of an object")
    return read


def text_in(record: dict[str, Any], name: str) -> str:
    """A text of a record. Raises KeyError or TypeError."""
    if not isinstance(record[name], str):
        raise TypeError(f"{name} is no text")
    return str(record[name])
