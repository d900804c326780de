"""What a statement says, as one canonical JSON text: the pages, the CSV and the terminal print nothing but this.

Numbers are texts: amounts in minor units, quantities as reduced fractions. No run id, no clock time, no Delta version:
equal contents make equal bytes (design.md 5.10). Not here: how the figures come about (statements.py).
"""

import json
from dataclasses import dataclass
from typing import Any

import polars as pl

from chargeback.contracts.names import slug_of

Document = dict[str, Any]
FORMAT = 4
PARALLEL = "parallel"
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the month rests on: landing objects read, their records, step rows ignored, records in quarantine."""

    objects: int
    records: int
    steps_ignored: int
    quarantined: int


@dataclass(frozen=True, slots=True)
class CardMark:
    """The rate card as a statement names it."""

    version: str
    is_signed: bool
    sha256: str
    object_key: str


def card_mark(prices: pl.DataFrame) -> CardMark | None:
    """The card behind contracts.rate_card rows of one month; None where no card is in force."""
    if prices.is_empty():
        return None
    first = prices.row(0, named=True)
    return CardMark(first["card_version"], first["is_signed"], first["card_sha256"], first["object"])


def statement_id_of(month: str, team: str) -> str:
    """`GPU-2026-10-vision-r1`."""
    return f"GPU-{month}-{slug_of(team)}-r1"


def canonical_json(document: Document) -> str:
    """Sorted keys, no spaces, no floats. Raises TypeError for anything that is not text, int, bool, list or mapping."""
    return json.dumps(_checked(document), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def read_document(text: str) -> Document:
    """The document of a statement again. Raises ValueError for one of another format."""
    document: Document = json.loads(text)
    if document.get("format") != FORMAT:
        raise ValueError(f"statement document of format {document.get('format')!r}, this code reads {FORMAT}")
    return document


def month_name(month: str) -> str:
    """`2026-10` as `October 2026`, whatever the machine's locale."""
    return f"{MONTHS[int(month[5:7]) - 1]} {month[:4]}"


def month_before(month: str) -> str:
    """`2026-01` -> `2025-12`."""
    year, number = int(month[:4]), int(month[5:7])
    return f"{year - 1}-12" if number == 1 else f"{year}-{number - 1:02d}"


def accelerator_name(accelerator: str) -> str:
    """`a100-sxm4-80gb:3g.40gb` as people say it: `A100 SXM4 80 GB, slice 3g.40gb`."""
    base, _, profile = accelerator.partition(":")
    words = [
        f"{word[:-2]} GB" if word.endswith("gb") and word[:-2].isdigit() else word.upper() for word in base.split("-")
    ]
    return " ".join(words) + (f", slice {profile}" if profile else "")


def _checked(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _checked(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_checked(each) for each in value]
    if value is None or isinstance(value, (str, int, bool)):
        return value
    raise TypeError(f"{value!r} is a {type(value).__name__}; a statement document holds texts and whole numbers")
