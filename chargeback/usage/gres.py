"""Configured generic resources of a node: `gpu:a100:8(S:0-1),shard:80` as counts per kind and type.

Reads what Slurm prints as Gres of a node and, where that is absent, CfgTRES. What a job was granted is in tres.py.
"""

import re
from dataclasses import dataclass

GPU_KINDS = ("gpu", "shard", "mps")

_ENTRY = re.compile(r"^(?P<kind>[a-z_]+)(?::(?P<type>[^:=]+))??(?:[:=](?P<count>\d+)(?P<unit>[KMG]?))?$", re.I)

_IN_PARENTHESES = re.compile(r"\([^)]*\)")

_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}


@dataclass(frozen=True, slots=True)
class ConfiguredGres:
    """One configured resource of a node; `type` is lower-cased and empty where none is configured."""

    kind: str
    type: str
    count: int


def parse_gres(text: str | None) -> tuple[ConfiguredGres, ...]:
    """GPUs, shards and MPS of a node from its Gres text (`gpu:a100:4(S:0-1),mps:400`); other resources are left out.

    Socket and index lists in parentheses are dropped; `gpu` alone means one. `(null)` and an empty text mean none.
    Raises: ValueError for an entry of a kind that matters whose count cannot be read; callers quarantine the node.
    """
    found = []
    for entry in _entries(text):
        kind = re.split("[:=]", entry, maxsplit=1)[0].lower()
        if kind not in GPU_KINDS:
            continue
        match = _ENTRY.match(entry)
        if match is None:
            raise ValueError(f"configured resource {entry!r} is not readable as kind:type:count")
        count = int(match["count"] or 1) * _UNITS[match["unit"].upper() if match["unit"] else ""]
        found.append(ConfiguredGres(kind, (match["type"] or "").lower(), count))
    return tuple(found)


def parse_configured_tres(text: str | None) -> tuple[ConfiguredGres, ...]:
    """The same from a node's CfgTRES (`cpu=64,gres/gpu=4,gres/gpu:a100=4`): typed entries, else the untyped one."""
    entries = [entry.removeprefix("gres/") for entry in _entries(text) if entry.startswith("gres/")]
    found = parse_gres(",".join(entries))
    typed = {gres.kind for gres in found if gres.type}
    return tuple(gres for gres in found if gres.type or gres.kind not in typed)


def _entries(text: str | None) -> list[str]:
    if text is None or text in ("", "(null)", "N/A"):
        return []
    return [entry.strip() for entry in _IN_PARENTHESES.sub("", text).split(",") if entry.strip()]
