"""One object that a simulated source made, ready to land. Not here: what is in it."""

import gzip
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Made:
    """Its source and cluster (None for what people hand in), bytes, time of extraction, and its file name's ending."""

    source: str
    cluster: str | None
    content: bytes
    extracted_at: datetime
    extension: str


def compressed(content: bytes) -> bytes:
    """The same bytes for the same content, whenever it is compressed."""
    return gzip.compress(content, compresslevel=6, mtime=0)
