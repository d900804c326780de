"""What a job was granted, from AllocTRES or ReqTRES text: counts of GPUs, slices, shards and MPS per gres type.

`gres/gpu=4,gres/gpu:a100=4` names the same four GPUs twice: typed and untyped entries are reconciled, never added.
Source: design.md 5.2. Not here: what part of a GPU a slice or shard is, and GPUs that nobody recorded.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from chargeback.usage.gres import GPU_KINDS

PATTERN = r"^(?:[A-Za-z][\w/:.+-]*=[^,=|]*(?:,[A-Za-z][\w/:.+-]*=[^,=|]*)*)?$"
"""A whole TRES text: name=count, by commas."""

_GPU_ENTRY = rf"gres/(?:{'|'.join(GPU_KINDS)})(?::[^,=]*)?=[^,]*"

_ENTRY = re.compile(r"^(?P<name>[A-Za-z][\w/:.+-]*)=(?P<value>[^=]*)$")

_COUNT = re.compile(r"^\d{1,9}$")


@dataclass(frozen=True, slots=True)
class GrantedGres:
    """A count of one kind and type; `type` is lower-cased and empty where the record names none."""

    kind: str
    type: str
    count: int


@dataclass(frozen=True, slots=True)
class GrantedTres:
    """What one TRES text says of GPUs. `names_gpus` is true for an explicit gres/gpu=0 too: a known zero."""

    gres: tuple[GrantedGres, ...]
    names_gpus: bool

    @property
    def device_count(self) -> int:
        """All devices: GPUs, slices, shards and MPS per cent."""
        return sum(granted.count for granted in self.gres)

    @property
    def has_gpus(self) -> bool:
        """Some of them is not zero."""
        return self.device_count > 0


def parse_tres(text: str) -> GrantedTres:
    """GPUs, slices, shards and MPS of a TRES text; every other resource (gres/cpu, gpuutil, ...) is left out.

    Source: design.md 5.2. A typed sum below the untyped count leaves the rest untyped.
    Raises: ValueError where an entry is not name=count, an entry stands twice with different counts, or typed entries
            add up to more than the untyped one.
    """
    counts: dict[tuple[str, str], int] = {}
    for entry in filter(None, text.strip().split(",")):
        match = _ENTRY.match(entry)
        if match is None:
            raise ValueError(f"resource {entry!r} is not name=count")
        kind, _, gres_type = match["name"].removeprefix("gres/").partition(":")
        if not match["name"].startswith("gres/") or kind not in GPU_KINDS:
            continue
        if not _COUNT.match(match["value"]):
            raise ValueError(f"count of {entry!r} is no whole number")
        key, count = (kind, gres_type.lower()), int(match["value"])
        if counts.setdefault(key, count) != count:
            raise ValueError(f"{match['name']} stands twice, as {counts[key]} and {count}")
    return GrantedTres(tuple(_reconciled(counts)), names_gpus=bool(counts))


def gpu_part(text: pl.Expr) -> pl.Expr:
    """The entries of a TRES text that speak of GPUs: few distinct texts, so each is parsed once."""
    return text.str.extract_all(_GPU_ENTRY).list.join(",")


def parse_each(texts: Iterable[str | None]) -> tuple[dict[str, GrantedTres], dict[str, str]]:
    """Every distinct text parsed once: what is readable by text, and by text why it is not."""
    granted: dict[str, GrantedTres] = {}
    problems: dict[str, str] = {}
    for text in {text for text in texts if text is not None}:
        try:
            granted[text] = parse_tres(text)
        except ValueError as problem:
            problems[text] = str(problem)
    return granted, problems


def _reconciled(counts: Mapping[tuple[str, str], int]) -> Iterable[GrantedGres]:
    for kind in GPU_KINDS:
        typed = {gres_type: count for (of_kind, gres_type), count in counts.items() if of_kind == kind and gres_type}
        typed_sum = sum(typed.values())
        untyped = counts.get((kind, ""), typed_sum)
        if typed_sum > untyped:
            raise ValueError(
                f"typed gres/{kind} entries add up to {typed_sum}, not to gres/{kind}={untyped}: "
                f"{typed_sum - untyped} too many"
            )
        for gres_type, count in sorted(typed.items()):
            if count:
                yield GrantedGres(kind, gres_type, count)
        if untyped > typed_sum:
            yield GrantedGres(kind, "", untyped - typed_sum)
