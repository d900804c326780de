"""Compressed extracts (.gz, .zst), read up to a limit, so that a small object cannot fill the memory.

Archives of several files are never opened: whoever packed one unpacks it. Not here: formats of what is inside.
"""

from collections.abc import Iterator

import pyarrow as pa  # type: ignore[import-untyped]

CODECS = {".gz": "gzip", ".zst": "zstd"}
PIECE_BYTES = 1024 * 1024
UNSUSPECTED_BYTES = 64 * 1024**2
LARGEST_RATIO = 200
"""Beyond UNSUSPECTED_BYTES nothing real is so many times larger than it is compressed."""

_COMPRESSED = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
_ARCHIVES = {
    b"PK\x03\x04": "a zip archive",
    b"PK\x05\x06": "a zip archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a rar archive",
    b"BZh": "compressed by bzip2",
    b"\xfd7zXZ\x00": "compressed by xz",
    b"\x04\x22\x4d\x18": "compressed by lz4",
}
_TAR_AT, _TAR = 257, b"ustar"


class Undecompressible(Exception):
    """A compressed object is damaged inside, larger than the limit, or holds an archive."""


def without_compression(name: str) -> str:
    """The name of what is inside: `json.gz` is `json`."""
    return next((name.removesuffix(ending) for ending in CODECS if name.endswith(ending)), name)


def compression_of(content: bytes) -> str:
    """The ending that says how the content is compressed, by its first bytes: `.gz`, `.zst`, or nothing."""
    return next((ending for magic, ending in _COMPRESSED.items() if content.startswith(magic)), "")


def archive_in(content: bytes) -> str:
    """What kind of archive the content is that nobody here opens; nothing if it is none."""
    if content[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        return "a tar archive"
    return next((what for magic, what in _ARCHIVES.items() if content.startswith(magic)), "")


def decompressed(content: bytes, *, name: str, largest_bytes: int) -> bytes:
    """The bytes inside, if the name ends in .gz or .zst (members one after the other are one); else as they are.

    Raises  Undecompressible, naming the object, if it is damaged or truncated, larger than `largest_bytes`, beyond
            belief larger than it is compressed, or holds what is compressed once more.
    """
    if not _codec(name):
        return content
    return b"".join(_pieces(content, name=name, largest_bytes=largest_bytes))


def refuse_explosive(content: bytes, *, name: str, largest_bytes: int) -> None:
    """Read through a compressed object piece by piece and keep none. Raises Undecompressible as `decompressed` does."""
    if _codec(name):
        for _ in _pieces(content, name=name, largest_bytes=largest_bytes):
            pass


def _codec(name: str) -> str:
    return next((codec for ending, codec in CODECS.items() if name.endswith(ending)), "")


def _pieces(content: bytes, *, name: str, largest_bytes: int) -> Iterator[bytes]:
    if not content:
        raise Undecompressible(f"{name}: is empty; even nothing, compressed, has a header")
    size = 0
    believed = max(UNSUSPECTED_BYTES, len(content) * LARGEST_RATIO)
    try:
        with pa.CompressedInputStream(pa.BufferReader(content), _codec(name)) as stream:
            while piece := stream.read(PIECE_BYTES):
                if not size and (again := (compression_of(piece) and "compressed once more") or archive_in(piece)):
                    raise Undecompressible(f"{name}: what is inside is {again}: unpack it first")
                size += len(piece)
                if size > largest_bytes:
                    raise Undecompressible(f"{name}: is larger than {largest_bytes} bytes when decompressed")
                if size > believed:
                    raise Undecompressible(
                        f"{name}: is more than {LARGEST_RATIO} times larger decompressed than its {len(content)} bytes"
                    )
                yield piece
    except (OSError, pa.ArrowException) as failure:
        raise Undecompressible(f"{name}: cannot be decompressed after {size} bytes: {failure}") from None
