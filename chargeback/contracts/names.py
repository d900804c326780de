"""Names that pricing and ledger must spell alike: the suspense team, kinds of charge, the slug of a team.

Not here: what is charged.
"""

import hashlib
import re
import unicodedata

UNATTRIBUTED = "unattributed"
"""The team of held time whose owner is unknown: a suspense line that somebody must clear."""


ALLOCATION = "allocation"
"""What is charged for held hours. Every other kind of line stands beside it and moves no hour."""

CREDIT_PLATFORM_FAULT, CREDIT_PREEMPTED, CREDIT_SUSPENDED = CREDIT_KINDS = (
    "credit-platform-fault",
    "credit-preempted",
    "credit-suspended",
)
"""Contra lines: what is forgiven of the allocation, borne by the platform. In this order, each second once."""

CHARGE_KINDS = (ALLOCATION, *CREDIT_KINDS)


def slug_of(name: str) -> str:
    """A team's name as ids and keys spell it: `Vision Lab` -> `vision-lab`; never empty, only a-z, 0-9 and hyphens.

    Two teams may not share a slug: ownership that says so is refused (pricing/ownership.py). A name without a single
    Latin letter or digit gets its hash: `team-1a2b3c4d`.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    return slug or f"team-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
