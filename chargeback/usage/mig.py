"""MIG geometry: which slice a gres type names, and how many compute and memory slices the GPU behind it has.

Most parts have 7 compute and 8 memory slices, some 4 and 4, some 2 and 2. Source: NVIDIA's MIG user guide, supported
profiles; design.md 2, "share" and "billing weight". Not here: prices, and what a host is configured with.
"""

import re
from dataclasses import dataclass

_SLICE = re.compile(r"^(?:(?P<base>.+)[_-])?(?P<profile>(?P<compute>[1-7])g\.(?P<memory>\d+)gb(?:\+[a-z.]+)*)$")

_SEPARATORS = re.compile(r"[-_ ]")


@dataclass(frozen=True, slots=True)
class Geometry:
    """Compute and memory slices of one whole GPU."""

    compute_slices: int
    memory_slices: int


SEVEN_SLICES = Geometry(7, 8)
FOUR_SLICES = Geometry(4, 4)
TWO_SLICES = Geometry(2, 2)

_GEOMETRIES = (
    (re.compile(r"a30(?!\d)"), FOUR_SLICES),
    (re.compile(r"rtxpro6000|pro6000"), FOUR_SLICES),
    (re.compile(r"rtxpro5000|pro5000"), TWO_SLICES),
)

_MEMORY_SLICES_OF_SEVEN = {1: 1, 2: 2, 3: 4, 4: 4, 7: 8}

_DOUBLE_MEMORY_1G_GIGABYTES = frozenset({20, 24, 35, 45})
"""1g profiles with two memory slices: 1g.20gb of an 80 GB part, 1g.24gb of 96 GB, 1g.35gb of 141, 1g.45gb of 180."""


@dataclass(frozen=True, slots=True)
class Slice:
    """One MIG slice: the GPU type that it is cut from (empty if not said), its profile, its part of that GPU."""

    base: str
    profile: str
    compute_slices: int
    memory_slices: int
    geometry: Geometry


def geometry_of(gpu_type: str) -> Geometry:
    """Slices of a whole GPU, by its gres type; seven compute and eight memory slices unless the table says else."""
    word = _SEPARATORS.sub("", gpu_type.lower())
    return next((geometry for pattern, geometry in _GEOMETRIES if pattern.search(word)), SEVEN_SLICES)


def parse_slice(gres_type: str) -> Slice | None:
    """The MIG slice that a gres type names (`a100_3g.40gb`, `1g.5gb`); None if it names a whole GPU.

    A profile with more compute slices than its part has names no slice either.
    """
    match = _SLICE.match(gres_type.lower())
    if match is None:
        return None
    base, compute, gigabytes = match["base"] or "", int(match["compute"]), int(match["memory"])
    geometry = geometry_of(base)
    if compute > geometry.compute_slices or (geometry is SEVEN_SLICES and compute not in _MEMORY_SLICES_OF_SEVEN):
        return None
    return Slice(base, match["profile"], compute, _memory_slices(geometry, compute, gigabytes), geometry)


def _memory_slices(geometry: Geometry, compute: int, gigabytes: int) -> int:
    if geometry is not SEVEN_SLICES:
        return compute
    if compute == 1 and gigabytes in _DOUBLE_MEMORY_1G_GIGABYTES:
        return 2
    return _MEMORY_SLICES_OF_SEVEN[compute]
