"""Names that others chose for objects and files: which of them are refused, since they could mean something else.

Not here: what every key of a store must be like (object_store.checked_key), and the keys of landing, which say by
themselves what they are (landing.py).
"""

import unicodedata

LONGEST_KEY_BYTES = 700
LONGEST_SEGMENT_BYTES = 200
"""Of UTF-8; a refused object's key becomes longer by a date and a hash."""

_INVISIBLE = {"Cc": "a control character", "Cf": "an invisible character", "Cs": "bytes that are no UTF-8",
              "Zl": "a line separator", "Zp": "a paragraph separator"}  # fmt: skip


def key_fault(key: str) -> str:
    """Why a key that somebody chose is refused, as the end of a sentence that begins with it; nothing if it is not."""
    segments = key.split("/")
    if any(segment in ("", ".", "..") for segment in segments):
        return "has an empty, '.' or '..' folder: a store may take it for another place"
    if len(key.encode(errors="surrogatepass")) > LONGEST_KEY_BYTES:
        return f"is longer than {LONGEST_KEY_BYTES} bytes"
    for folder in segments[:-1]:
        if "=" in folder:
            return f"lies in a folder {readable(folder)} like those of a table: write the folder without '='"
    return next((fault for segment in segments if (fault := name_fault(segment))), "")


def name_fault(name: str) -> str:
    """Why the name of one file or folder is refused, as `key_fault` says it; nothing if it is not."""
    if len(name.encode(errors="surrogatepass")) > LONGEST_SEGMENT_BYTES:
        return f"has a name longer than {LONGEST_SEGMENT_BYTES} bytes"
    if "\\" in name or name.startswith("~"):
        return "has a backslash, or begins with '~': rename it"
    for character in name:
        if fault := _INVISIBLE.get(unicodedata.category(character)):
            return f"has {fault} (U+{ord(character):04X}) in its name: rename it"
    if not unicodedata.is_normalized("NFC", name):
        return "has a name that another one looks exactly like (not in Unicode's form NFC): rename it"
    return ""


def readable(key: str) -> str:
    """The key as it can be shown: what cannot be seen, or turns text around, is written out."""
    return "".join(
        f"\\u{ord(character):04x}" if unicodedata.category(character) in _INVISIBLE else character for character in key
    )


def plain(name: str, *, longest: int = 80) -> str:
    """A name of letters, digits, '.', '_' and '-' that reminds of this one."""
    kept = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "_" for each in name)
    return kept[-longest:].lstrip("._-") or "unnamed"
