"""The policies that a rate card states: suspended and blocked time, credits and their caps. Parsed and carried.

    policies:
      suspended: hold                # hold: charged like any hold; credit: charged, and credited as a visible line
      blocked: report                # report: the platform's memo; charge: to whom blocks, in GPU equivalents
      platform_fault_cap_hours: 24   # of one run, hours before the fault that are credited at most; none: no credit
      preempted_minutes: 60          # a standard-tier run preempted within so many minutes is credited; 0: no credit

Without the section everything is as without credits: hold, report, none, 0. Source: design.md 5.12, 5.13.
Not here: the credit lines themselves; what a GPU equivalent is (gpu_equivalents.py).
"""

import re
from dataclasses import dataclass
from typing import Literal, cast

from chargeback.pricing.card_fields import CardFields
from chargeback.pricing.yaml_tree import Branch

_FIELDS = ("suspended", "blocked", "platform_fault_cap_hours", "preempted_minutes")
_CAP = re.compile(r"none|[1-9]\d{0,4}")


@dataclass(frozen=True, slots=True)
class CardPolicies:
    """What a card forgives and charges besides allocation. `platform_fault_cap_hours` None: nothing is credited."""

    suspended: Literal["hold", "credit"] = "hold"
    blocked: Literal["report", "charge"] = "report"
    platform_fault_cap_hours: int | None = None
    preempted_minutes: int = 0


NO_CREDITS = CardPolicies()
"""What holds where a card states no policy."""


def read_policies(fields: CardFields, tree: Branch) -> CardPolicies:
    """The section `policies` of a card, or the defaults where it has none."""
    if "policies" not in tree.entries:
        return NO_CREDITS
    stated = fields.branch(tree, "policies", "suspended, blocked and credits")
    fields.refuse_unknown(stated, _FIELDS, "policies: ")
    suspended = fields.text(stated, "suspended", re.compile("hold|credit"), "hold or credit", required=False)
    blocked = fields.text(stated, "blocked", re.compile("report|charge"), "report or charge", required=False)
    cap = fields.text(stated, "platform_fault_cap_hours", _CAP, "whole hours, 24, or none", required=False)
    return CardPolicies(
        suspended=cast(Literal["hold", "credit"], suspended or "hold"),
        blocked=cast(Literal["report", "charge"], blocked or "report"),
        platform_fault_cap_hours=int(cap) if cap and cap != "none" else None,
        preempted_minutes=fields.count(stated, "preempted_minutes", default=0),
    )
