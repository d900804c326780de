"""Names that pricing and ledger must spell alike: the suspense team, the slug of a team. Not here: what is charged."""

import hashlib
import re
import unicodedata

UNATTRIBUTED = "unattributed"
"""The team of held time whose owner is unknown: a suspense line that somebody must clear."""


def slug_of(name: str) -> str:
    """A team's name as ids and keys spell it: `Vision Lab` -> `vision-lab`; never empty, only a-z, 0-9 and hyphens.

    Two teams may not share a slug: ownership that says so is refused (pricing/ownership.py). A name without a single
    Latin letter or digit gets its hash: `team-1a2b3c4d`.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    return slug or f"team-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
