"""Compressed extracts (.gz, .zst), read up to a limit, so that a small object cannot fill the memory."""

import pyarrow as pa  # type: ignore[import-untyped]

CODECS = {".gz": "gzip", ".zst": "zstd"}
PIECE_BYTES = 1024 * 1024


class Undecompressible(Exception):
    """A compressed object is damaged inside, or larger than the limit."""


def without_compression(name: str) -> str:
    """The name of what is inside: `json.gz` is `json`."""
    return next((name.removesuffix(ending) for ending in CODECS if name.endswith(ending)), name)


def decompressed(content: bytes, *, name: str, largest_bytes: int) -> bytes:
    """The bytes inside, if the name ends in .gz or .zst (members one after the other are one); else as they are.

    Raises  Undecompressible, naming the object, if it is damaged or truncated, or larger than `largest_bytes`.
    """
    codec = next((codec for ending, codec in CODECS.items() if name.endswith(ending)), None)
    if codec is None:
        return content
    if not content:
        raise Undecompressible(f"{name}: is empty; even nothing, compressed, has a header")
    pieces: list[bytes] = []
    size = 0
    try:
        with pa.CompressedInputStream(pa.BufferReader(content), codec) as stream:
            while piece := stream.read(PIECE_BYTES):
                pieces.append(piece)
                size += len(piece)
                if size > largest_bytes:
                    raise Undecompressible(f"{name}: is larger than {largest_bytes} bytes when decompressed")
    except (OSError, pa.ArrowException) as failure:
        raise Undecompressible(f"{name}: cannot be decompressed after {size} bytes: {failure}") from None
    return b"".join(pieces)
