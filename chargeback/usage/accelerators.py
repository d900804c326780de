"""Which accelerator a product is priced as: NVIDIA-H100-80GB-HBM3 -> h100-sxm5-80gb, one spelling for every source.

Products come from node labels, device lists and telemetry, and gain suffixes where GPUs are shared or cut into slices.
Not here: Slurm's gres types (inventory.py), what a slice is of a GPU (mig.py).
"""

import re
from collections.abc import Mapping

from chargeback.usage.inventory import UNTYPED

KNOWN_PRODUCTS = {
    "h100-80gb-hbm3": "h100-sxm5-80gb",
    "h100-sxm5": "h100-sxm5-80gb",
    "h100-pcie": "h100-pcie-80gb",
    "h100-80gb-pcie": "h100-pcie-80gb",
    "h100-nvl": "h100-nvl-94gb",
    "h200": "h200-sxm5-141gb",
    "h200-nvl": "h200-nvl-141gb",
    "h800": "h800-sxm5-80gb",
    "a100-80gb-pcie": "a100-pcie-80gb",
    "a100-40gb-pcie": "a100-pcie-40gb",
    "a100-pcie": "a100-pcie-40gb",
}
"""Products whose own name leaves out form or memory, or says them in another order. Any other is its own name."""

_MIG = re.compile(r"-MIG-(?P<profile>\d+g\.\d+gb(?:[.+][a-z.]+)?)$", re.IGNORECASE)
_SHARED = re.compile(r"-SHARED$", re.IGNORECASE)
_MAKER = re.compile(r"^(?:nvidia|tesla)-")
_APART = re.compile(r"[^a-z0-9.+:]+")


def accelerator_of_product(product: str | None, *, aliases: Mapping[str, str]) -> tuple[str, str]:
    """The accelerator and, where the product is a MIG slice, its profile (else empty).

    Input:   a product as a node label or telemetry spells it; `aliases` of the settings, lower-cased product (as it is
             spelled, or without NVIDIA-, -SHARED, -MIG-...) -> accelerator, which come first.
    Output:  `h100-sxm5-80gb`; of a slice `a100-sxm4-80gb:3g.40gb` and `3g.40gb`. A product that is in no table is its
             own lower-case slug: GRID-A100-10C is grid-a100-10c, never an A100. No product is `untyped`.
    Source:  design.md 2 "accelerator".
    """
    base, profile = split_product(product)
    whole = aliases.get((product or "").lower())
    if profile:
        return whole or slice_accelerator(base, profile, aliases=aliases), profile
    return whole or _accelerator(base, aliases), ""


def slice_accelerator(product: str | None, profile: str, *, aliases: Mapping[str, str]) -> str:
    """The accelerator of a MIG slice by the product that it is cut from and its profile: `a100-sxm4-80gb:3g.40gb`.

    Without a product it is the profile itself.
    """
    base, _ = split_product(product)
    slug = slug_of_product(base) if base else ""
    named = aliases.get(f"{slug}_{profile}") or aliases.get(f"{base}-mig-{profile}".lower())
    if named:
        return named
    return f"{_accelerator(base, aliases)}:{profile}" if base else aliases.get(profile, profile)


def split_product(product: str | None) -> tuple[str, str]:
    """A product without -SHARED and -MIG-<profile>, and that profile as MIG spells it: `1g.10gb+me`; empty if none."""
    base = _SHARED.sub("", (product or "").strip())
    cut = _MIG.search(base)
    return (base[: cut.start()], mig_profile(cut["profile"])) if cut else (base, "")


def mig_profile(text: str) -> str:
    """A profile as labels and resource names spell it, where + is not allowed: `1g.5gb.me` -> `1g.5gb+me`."""
    memory = re.match(r"\d+g\.\d+gb", text.lower())
    if memory is None:
        return text.lower()
    rest = text.lower()[memory.end() :].lstrip(".+")
    return f"{memory[0]}+{rest}" if rest else memory[0]


def slug_of_product(product: str) -> str:
    """`NVIDIA A100-SXM4-80GB` -> `a100-sxm4-80gb`: lower case, hyphens, without the maker's name."""
    return _MAKER.sub("", _APART.sub("-", product.lower()).strip("-"))


def _accelerator(base: str, aliases: Mapping[str, str]) -> str:
    if not base:
        return aliases.get(UNTYPED, UNTYPED)
    slug = slug_of_product(base)
    return aliases.get(base.lower()) or aliases.get(slug) or KNOWN_PRODUCTS.get(slug, slug)
