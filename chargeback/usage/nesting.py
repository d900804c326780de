"""Objects that nest without end: refused with a reason, by whichever parser they meet.

The JSON and YAML libraries stop at about a thousand levels; rules that walk what was read do not get that far. YAML
aliases repeat a part that was written once, so that ten lines stand for a billion. Not here: the parsers.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import yaml

from chargeback.usage.extract import UnreadableExtract

NESTS_TOO_DEEP = "the object nests deeper than any scheduler writes: extract it again"
ALIASES_NOT_READ = "anchors and aliases are not read: write the value out"

_TOO_DEEP_FOR_ORJSON = "Recursion limit reached"

Asked = ParamSpec("Asked")
Read = TypeVar("Read")


def refusing_endless_nesting(read: Callable[Asked, Read]) -> Callable[Asked, Read]:
    """The same reader, which raises UnreadableExtract where an object nests deeper than can be walked."""

    @wraps(read)
    def guarded(*args: Asked.args, **kwargs: Asked.kwargs) -> Read:
        try:
            return read(*args, **kwargs)
        except RecursionError:
            raise UnreadableExtract(NESTS_TOO_DEEP) from None
        except TypeError as fault:  # orjson has no error of its own for this
            if str(fault) != _TOO_DEEP_FOR_ORJSON:
                raise
            raise UnreadableExtract(NESTS_TOO_DEEP) from None

    return guarded


def has_aliases(text: str) -> bool:
    """Whether YAML repeats one of its parts by an alias. Raises yaml.YAMLError for what is no YAML."""
    if "&" not in text or "*" not in text:
        return False
    return any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.CSafeLoader))
