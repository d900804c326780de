"""One spelling of a document, so that everybody who hashes or signs it hashes the same bytes.

Canonical JSON in the manner of RFC 8785, with less in it: texts, truth values, nothing, lists and mappings. Numbers are
texts (`"1.10"`), since two programs spell one float differently. Not here: what the documents say.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

LARGEST_BYTES = 1_000_000

Value = str | bool | None | list["Value"] | dict[str, "Value"]


class NotCanonical(ValueError):
    """A document has no canonical spelling; the message says what stands in its way."""


def canonical_json(value: object) -> bytes:
    """UTF-8 without spaces, keys in order of their UTF-16 code units (RFC 8785, 3.2.3).

    Raises  NotCanonical for a number, a key that is no text, half a surrogate pair, or what JSON does not have.
    """
    spelled = json.dumps(_ordered(value), ensure_ascii=False, separators=(",", ":"))
    try:
        return spelled.encode("utf-8")
    except UnicodeEncodeError as fault:
        raise NotCanonical(f"half a character (surrogate) at {fault.start}: write the text in whole ones") from None


def readable_json(value: object) -> bytes:
    """The same for people: indented, with a newline at the end. Raises NotCanonical."""
    canonical_json(value)
    return json.dumps(_ordered(value), ensure_ascii=False, indent=2).encode("utf-8") + b"\n"


def content_sha256(value: object) -> str:
    """The sha256 of the canonical spelling, 64 hex digits. Raises NotCanonical."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def read_json(content: bytes) -> Value:
    """JSON of which nothing is lost in reading: doubled names, numbers and what is not finite are refused.

    Raises  NotCanonical with one sentence.
    """
    if len(content) > LARGEST_BYTES:
        raise NotCanonical(f"is {len(content)} bytes long, {len(content) - LARGEST_BYTES} more than are read")
    try:
        read: Value = json.loads(
            content.decode("utf-8"), object_pairs_hook=_unique,
            parse_int=_no_number, parse_float=_no_number, parse_constant=_no_number,
        )  # fmt: skip
    except NotCanonical:
        raise
    except RecursionError:
        raise NotCanonical("is nested deeper than anything that is signed") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as fault:
        raise NotCanonical(f"is no JSON in UTF-8: {fault}") from None
    return read


def _ordered(value: object) -> object:
    if isinstance(value, Mapping):
        if odd := [key for key in value if not isinstance(key, str)]:
            raise NotCanonical(f"{odd[0]!r} is no text, so it cannot be a name")
        return {key: _ordered(value[key]) for key in sorted(value, key=_utf16)}
    if isinstance(value, list | tuple):
        return [_ordered(each) for each in value]
    if value is None or isinstance(value, str | bool):
        return value
    raise NotCanonical(f"{value!r} is a {type(value).__name__}: write numbers as texts, every other value as a text")


def _utf16(name: str) -> bytes:
    return name.encode("utf-16-be", errors="surrogatepass")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise NotCanonical(f"{name!r} stands twice: keep one")
        found[name] = value
    return found


def _no_number(text: str) -> Value:
    raise NotCanonical(f"{text} is a number: write it as a text, in quotes")
