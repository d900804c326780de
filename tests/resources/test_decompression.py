"""Compressed objects that explode, hold others or are archives cost bounded memory and a reason."""

import bz2
import gzip
import io
import lzma
import tarfile
import tracemalloc
import zipfile

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from resources import decompression
from resources.decompression import (
    Undecompressible,
    archive_in,
    compression_of,
    decompressed,
    refuse_explosive,
)

MIB = 1024 * 1024
LIMIT = 4 * 1024 * MIB


def packed(content: bytes, codec: str) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        stream.write(content)
    return bytes(sink.getvalue())


def zipped(name: str, content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def tarred(content: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        entry = tarfile.TarInfo("../../etc/passwd")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return file.getvalue()


@pytest.mark.parametrize("codec, ending", [("gzip", ".gz"), ("zstd", ".zst")])
def test_a_bomb_is_refused_long_before_it_is_unpacked(codec: str, ending: str) -> None:
    bomb = packed(bytes(300 * MIB), codec)
    tracemalloc.start()

    with pytest.raises(Undecompressible, match="more than 200 times larger"):
        decompressed(bomb, name=f"x{ending}", largest_bytes=LIMIT)
    with pytest.raises(Undecompressible, match="more than 200 times larger"):
        refuse_explosive(bomb, name=f"x{ending}", largest_bytes=LIMIT)

    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(bomb) < MIB
    assert most < 2 * decompression.UNSUSPECTED_BYTES


def test_looking_through_an_object_keeps_nothing_of_it() -> None:
    content = packed(b"4711|COMPLETED\n" * 3_000_000, "gzip")
    tracemalloc.start()

    refuse_explosive(content, name="sacct.psv.gz", largest_bytes=LIMIT)

    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8 * MIB


@pytest.mark.parametrize("inside, what", [
    (gzip.compress(b"x" * 100, mtime=0), "compressed once more"),
    (packed(b"x" * 100, "zstd"), "compressed once more"),
    (zipped("a", b"x"), "a zip archive"),
    (tarred(b"x"), "a tar archive"),
    (bz2.compress(b"x"), "compressed by bzip2"),
])  # fmt: skip
def test_what_is_packed_twice_is_unpacked_by_whoever_packed_it(inside: bytes, what: str) -> None:
    with pytest.raises(Undecompressible, match=f"x.gz: what is inside is {what}: unpack it first"):
        decompressed(gzip.compress(inside, mtime=0), name="x.gz", largest_bytes=LIMIT)


def test_archives_are_known_by_their_first_bytes_and_never_opened() -> None:
    assert archive_in(zipped("../x", bytes(50 * MIB))) == "a zip archive"
    assert archive_in(tarred(b"x")) == "a tar archive"
    assert archive_in(bz2.compress(b"x")) == "compressed by bzip2"
    assert archive_in(lzma.compress(b"x")) == "compressed by xz"
    assert archive_in(b"JobID|State\n") == ""
    assert archive_in(b"") == ""


def test_how_an_object_is_compressed_is_known_by_its_first_bytes() -> None:
    assert compression_of(gzip.compress(b"", mtime=0)) == ".gz"
    assert compression_of(packed(b"x", "zstd")) == ".zst"
    assert compression_of(b"x") == ""


def test_what_is_not_compressed_is_looked_through_at_once() -> None:
    refuse_explosive(bytes(10), name="x.psv", largest_bytes=1)
