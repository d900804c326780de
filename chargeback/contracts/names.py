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

RESERVED_UNUSED = "reserved-unused"
"""What is charged for what was reserved and held by nobody, to the payer that the ownership file names."""

UNUSED_RUN_PREFIX = "reservation/"
"""What stands for a run where nobody ran, before the reservation's name; no scheduler's run begins so."""

CREDIT_PLATFORM_FAULT, CREDIT_PREEMPTED, CREDIT_SUSPENDED, CREDIT_SUSPENSE = CREDIT_KINDS = (
    "credit-platform-fault",
    "credit-preempted",
    "credit-suspended",
    "credit-suspense",
)
"""Contra lines: what is forgiven of a charge, borne by the platform. In this order, each second once; the last is what
nobody claimed until the suspense was due."""

CHARGE_KINDS = (ALLOCATION, RESERVED_UNUSED, *CREDIT_KINDS)
"""Kinds of statement lines."""

PLATFORM_OPERATIONS = "platform-operations"
"""The team and the kind of what the platform itself runs: burn-in, health checks. Rated without a price, shown to the
estate, on no line and on nobody's statement."""

USAGE_KINDS = (*CHARGE_KINDS, PLATFORM_OPERATIONS)


def slug_of(name: str) -> str:
    """A team's name as ids and keys spell it: `Vision Lab` -> `vision-lab`; never empty, only a-z, 0-9 and hyphens.

    Two teams may not share a slug: ownership that says so is refused (pricing/ownership.py). A name without a single
    Latin letter or digit gets its hash: `team-1a2b3c4d`.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    return slug or f"team-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
