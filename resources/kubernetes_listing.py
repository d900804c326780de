"""One full listing as it is kept: the pages of a list joined into one list document, compressed while they arrive.

Not here: asking for the pages (kubernetes_api.py).
"""

import gzip
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from resources.kubernetes_kinds import ListedKind
from resources.kubernetes_trimming import trim

EXTENSION = "json.gz"


@dataclass(frozen=True, slots=True)
class Listing:
    """A full listing of one kind in all namespaces: what is not in it did not exist at `extracted_at`.

    `content` is gzip of one `<Kind>List` document, an item a line, in the order of the API; equal states give equal
    bytes. `extracted_at` is the instant before the first page was asked for.
    """

    kind: ListedKind
    version: str
    extracted_at: datetime
    content: bytes
    objects: int
    pages: int
    restarts: int


class ListWriter:
    """Joins pages into one list document; holds one page and the compressed bytes so far, never all objects."""

    def __init__(self) -> None:
        self._buffer = io.BytesIO()
        self._gzip = gzip.GzipFile(fileobj=self._buffer, mode="wb", compresslevel=6, mtime=0, filename="")
        self.objects = 0
        self.pages = 0

    def add_page(self, *, list_kind: str, api_version: str, items: Iterable[Any]) -> None:
        """Write a page's items; the first page says what the list is."""
        if self.pages == 0:
            self._gzip.write(b'{"apiVersion":%b,"kind":%b,"items":[' % (_json(api_version), _json(list_kind)))
        for item in items:
            trim(item)
            self._gzip.write(b"\n" if self.objects == 0 else b",\n")
            self._gzip.write(_json(item))
            self.objects += 1
        self.pages += 1

    def finished(self, metadata: Mapping[str, Any]) -> bytes:
        """The compressed document, with the metadata of the list."""
        self._gzip.write(b'\n],"metadata":%b}\n' % _json(metadata))
        self._gzip.close()
        return self._buffer.getvalue()


def _json(value: Any) -> bytes:
    return orjson.dumps(value)
