"""Heads and bodies of HTTP/1.1 messages on a stream, as raw bytes, so that they can be passed on unchanged.

Not here: who passes them on (fault_proxy.py).
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cached_property

PIECE = 65_536
WITHOUT_BODY = ("204", "304")


@dataclass(frozen=True)
class Head:
    """First line and headers of a request or answer; `raw` is all of it with the empty line."""

    raw: bytes

    @cached_property
    def words(self) -> list[str]:
        """The words of the first line: method and target, or version and status."""
        return self.raw.partition(b"\r\n")[0].decode("latin-1").split(" ")

    @cached_property
    def headers(self) -> dict[str, str]:
        """Names in lower case."""
        lines = self.raw.decode("latin-1").split("\r\n")[1:]
        named = (line.partition(":") for line in lines if line)
        return {name.strip().lower(): value.strip() for name, _, value in named}

    @property
    def is_answer(self) -> bool:
        """Whether it answers, and does not ask."""
        return self.words[0].startswith("HTTP/")

    @property
    def is_chunked(self) -> bool:
        """Whether the body says by itself where it ends."""
        return "chunked" in self.headers.get("transfer-encoding", "").lower()

    @property
    def length(self) -> int | None:
        """Bytes of the body, where the head says it."""
        stated = self.headers.get("content-length")
        return int(stated) if stated is not None else None

    @property
    def asks_for_a_body(self) -> bool:
        """Whether a body follows a request."""
        return self.is_chunked or bool(self.length)

    @property
    def waits_for_continue(self) -> bool:
        """Whether the body is sent only when the server asks for it."""
        return self.headers.get("expect", "").lower() == "100-continue"

    @property
    def is_kept_alive(self) -> bool:
        """Whether another message may follow on the connection; never after a body that ends with it."""
        ends_itself = self.is_chunked or self.length is not None or self.words[1] in WITHOUT_BODY
        return self.headers.get("connection", "").lower() != "close" and ends_itself


async def read_head(reader: asyncio.StreamReader) -> Head | None:
    """The next head; None if the other side has closed between two messages."""
    try:
        return Head(await reader.readuntil(b"\r\n\r\n"))
    except asyncio.IncompleteReadError as ended:
        if ended.partial:
            raise
        return None


async def body_of(reader: asyncio.StreamReader, head: Head, *, of_method: str = "GET") -> AsyncIterator[bytes]:
    """The bytes after a head that belong to it, in pieces as they come, chunk marks included.

    `of_method` is that of the request that an answer answers: HEAD has no body whatever its headers say.
    """
    if head.is_answer and (of_method == "HEAD" or head.words[1] in WITHOUT_BODY):
        return
    if head.is_chunked:
        async for piece in _chunks(reader):
            yield piece
    elif head.length is not None:
        left = head.length
        while left:
            piece = await reader.read(min(left, PIECE))
            if not piece:
                raise ConnectionResetError(f"{left} bytes of the body did not come")
            left -= len(piece)
            yield piece
    elif head.is_answer:
        while piece := await reader.read(PIECE):
            yield piece


async def _chunks(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while True:
        mark = await reader.readuntil(b"\r\n")
        yield mark
        size = int(mark.split(b";")[0], 16)
        if size == 0:
            break
        left = size + 2
        while left:
            piece = await reader.readexactly(min(left, PIECE))
            left -= len(piece)
            yield piece
    while (trailer := await reader.readuntil(b"\r\n")) != b"\r\n":
        yield trailer
    yield trailer
