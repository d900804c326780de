"""The samples of a matrix taken out of its JSON in bulk: several times as fast as one by one, and of the same meaning.

A matrix is labels, of which there are few, and lists of [seconds,"number"], which are nearly all of its bytes. They are
cut out and read as one table; what is left is small JSON. Whatever is not spelled exactly as Prometheus spells it is
not read here: then the whole answer is read sample by sample (dcgm_matrix.py).
"""

import io
from dataclasses import dataclass

import polars as pl

_BEGIN = b'"values":[['
_END = b"]]"
_CELLS = {"at": pl.Float64(), "text": pl.String()}


@dataclass(frozen=True, slots=True)
class Scanned:
    """An answer in which each list of samples is replaced by how many there were, and all samples in their order."""

    skeleton: bytes
    samples: pl.DataFrame


def scanned(content: bytes) -> Scanned | None:
    """Cut the lists out; None if one of them, or a number in it, is spelled in another way.

    Inside of a JSON text quotes are escaped, so `"values":[[` stands nowhere but before a list.
    """
    kept: list[bytes] = []
    lists: list[bytes] = []
    position = 0
    while (begin := content.find(_BEGIN, position)) >= 0:
        end = content.find(_END, begin)
        if end < 0:
            return None
        cells = content[begin + len(_BEGIN) : end]
        rows = cells.count(b'"],[') + 1
        if not cells.endswith(b'"') or cells.count(b',"') != rows or cells.count(b'"') != 2 * rows:
            return None
        cells = cells.replace(b'"],[', b"\n").replace(b',"', b",").removesuffix(b'"')
        kept += [content[position:begin], b'"values":', str(rows).encode()]
        lists.append(cells)
        position = end + len(_END)
    table = b"\n".join(lists)
    if any(letter in table for letter in (b"[", b"]", b" ", b"\\", b"\t", b"\r")):
        return None
    samples = _read(table)
    return None if samples is None else Scanned(b"".join([*kept, content[position:]]), samples)


def _read(table: bytes) -> pl.DataFrame | None:
    if not table:
        return pl.DataFrame(schema=_CELLS)
    try:
        samples = pl.read_csv(io.BytesIO(table), has_header=False, schema=_CELLS, quote_char=None)
    except pl.exceptions.PolarsError:
        return None
    is_whole = len(samples) == table.count(b"\n") + 1 and samples["at"].null_count() == 0
    is_whole &= table.count(b",") == len(samples)
    return samples if is_whole else None
