"""`sacct` text of any shape: delimiter, header and layout are found, records split, typed and judged.

Not here: the layouts themselves (sacct_layouts.py), rows (sacct_lines.py), values (sacct_records.py), JSON.
"""

from collections.abc import Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.usage.extract import EXCERPT_LENGTH, ParsedExtract, Quarantined, UnreadableExtract
from chargeback.usage.sacct_fields import words
from chargeback.usage.sacct_layouts import Layout, find_layout
from chargeback.usage.sacct_lines import split_rows
from chargeback.usage.sacct_records import WANTED_FIELDS, read_records

_MAGIC = {
    b"\x1f\x8b": "gzip-compressed: land the text itself",
    b"PK": "a zip archive: land the text itself",
    b"\xff\xfe": "UTF-16: save it as UTF-8",
    b"\xfe\xff": "UTF-16: save it as UTF-8",
}

CUT_UNNOTICED = frozenset(words("Account AllocTRES Cluster NodeList Partition QOS ReqTRES Reservation User WCKey"))
"""Fields of which a part looks like a whole value: gres/gpu=1 of gres/gpu=16."""

CUT_REASON = "the object does not end with a line break, so its last record may be cut off: land it whole"


def parse_sacct_text(
    content: bytes, *, cluster: str, zone: ZoneInfo | None, fields: Sequence[str] | None = None
) -> ParsedExtract:
    """Records of `sacct` text, with or without a header, with -p or -P, by any delimiter.

    Bytes that are no UTF-8 are replaced and the record marked; a byte order mark and CRLF are accepted. Lines count
    from 1. A record broken over lines has the line where it begins. An empty file has no records.
    `zone` is the cluster's, for times without an offset; `fields` names the columns of an unknown headerless layout.
    Raises: UnreadableExtract where the object as a whole cannot be read; its message says what to do.
    """
    lines = text_of(content).split("\n")
    if not any(line.strip() for line in lines):
        return read_records(_no_rows(), cluster=cluster, zone=zone)
    layout = find_layout(lines, fields=fields)
    _refuse_missing(layout)
    last, strays = len(lines), []
    if lines[-1] and last != layout.header_line and layout.fields[-1] in CUT_UNNOTICED:
        strays.append(Quarantined(last, CUT_REASON, lines[-1][:EXCERPT_LENGTH], None))
        lines[-1] = ""
    split = split_rows(lines, layout, wanted=WANTED_FIELDS)
    parsed = read_records(split.rows, cluster=cluster, zone=zone)
    strays += [Quarantined(line, reason, text[:EXCERPT_LENGTH], None) for line, reason, text in split.strays]
    quarantined = sorted((*parsed.quarantined, *strays), key=lambda record: record.line)
    return replace(parsed, records=parsed.records + len(strays), quarantined=tuple(quarantined))


def text_of(content: bytes) -> str:
    """Text of an object: UTF-8, bytes that are none replaced by U+FFFD, without a byte order mark.

    Raises: UnreadableExtract for compressed or UTF-16 content.
    """
    for magic, what in _MAGIC.items():
        if content.startswith(magic):
            raise UnreadableExtract(f"the object is {what}")
    return content.decode("utf-8", errors="replace").removeprefix("\ufeff")


def _no_rows() -> pl.DataFrame:
    return pl.DataFrame(schema={"line": pl.Int64, "text": pl.String})


def _refuse_missing(layout: Layout) -> None:
    named = set(layout.fields)
    missing = [name for name in ("State", "Start") if name not in named]
    if not named & {"JobID", "JobIDRaw"}:
        missing.insert(0, "JobIDRaw")
    if not named & {"End", "Elapsed", "ElapsedRaw"}:
        missing.append("End")
    if missing:
        raise UnreadableExtract(f"the extract has no column {', '.join(missing)}: nothing can be billed from it")
