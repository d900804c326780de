"""The policies that a rate card states: suspended and blocked time, credits and their caps; and whether they are kept.

    policies:
      suspended: hold                # hold: charged like any hold; credit: charged, and credited as a visible line
      blocked: report                # report: the platform's memo; charge: to whom blocks, in GPU equivalents
      platform_fault_cap_hours: 24   # of one run, hours before the fault that are credited at most; none: no credit
      preempted_minutes: 60          # the first so many minutes of a preempted standard-tier run are credited; 0: none
      reserved_unused: charge        # charge: to the named payer of the reservation; report: the platform's memo

A policy that the section leaves out is as without credits: hold, report, none, 0, charge. A card with the section goes
before [policies] of chargeback.toml (policies_in_force.py), and a month is not certified where something else is done.
Without the section the card says nothing of it. Source: design.md 5.8, 5.12, 5.13; docs/decisions/0023, 0028.
Not here: the credit lines themselves; what a GPU equivalent is (gpu_equivalents.py).
"""

import json
import re
from dataclasses import dataclass, field
from typing import Literal, cast

from chargeback.pricing.card_fields import CardFields
from chargeback.pricing.credits import CreditPolicies
from chargeback.pricing.yaml_tree import Branch

_FIELDS = ("suspended", "blocked", "platform_fault_cap_hours", "preempted_minutes", "reserved_unused")
_CAP = re.compile(r"none|[1-9]\d{0,4}")


@dataclass(frozen=True, slots=True)
class CardPolicies:
    """What a card forgives and charges besides allocation. `platform_fault_cap_hours` None: nothing is credited.

    `is_stated`: the card has the section, so that even a default is finance's word.
    """

    suspended: Literal["hold", "credit"] = "hold"
    blocked: Literal["report", "charge"] = "report"
    platform_fault_cap_hours: int | None = None
    preempted_minutes: int = 0
    reserved_unused: Literal["charge", "report"] = "charge"
    is_stated: bool = field(default=False, compare=False)


NOTHING_STATED = CardPolicies()
"""Those of a card without the section."""


def read_policies(fields: CardFields, tree: Branch) -> CardPolicies:
    """The section `policies` of a card, or the defaults where it has none."""
    if "policies" not in tree.entries:
        return NOTHING_STATED
    stated = fields.branch(tree, "policies", "suspended, blocked and credits")
    fields.refuse_unknown(stated, _FIELDS, "policies: ")
    suspended = fields.text(stated, "suspended", re.compile("hold|credit"), "hold or credit", required=False)
    blocked = fields.text(stated, "blocked", re.compile("report|charge"), "report or charge", required=False)
    reserved = fields.text(stated, "reserved_unused", re.compile("charge|report"), "charge or report", required=False)
    cap = fields.text(stated, "platform_fault_cap_hours", _CAP, "whole hours, 24, or none", required=False)
    return CardPolicies(
        suspended=cast(Literal["hold", "credit"], suspended or "hold"),
        blocked=cast(Literal["report", "charge"], blocked or "report"),
        platform_fault_cap_hours=int(cap) if cap and cap != "none" else None,
        preempted_minutes=fields.count(stated, "preempted_minutes", default=0),
        reserved_unused=cast(Literal["charge", "report"], reserved or "charge"),
        is_stated=True,
    )


def policies_not_kept(stated: CardPolicies, done: CreditPolicies) -> list[tuple[str, str, str]]:
    """(policy, what the card states, what is done) of each that differs; none for a card without the section."""
    if not stated.is_stated:
        return []
    pairs = (
        ("suspended", stated.suspended, "credit" if done.suspended else "hold", "[policies] suspended"),
        ("blocked", stated.blocked, "report", "blocked capacity is never charged: state report"),
        ("platform_fault_cap_hours", stated.platform_fault_cap_hours or 0, done.platform_fault_cap_hours,
         "[policies] credit_platform_fault_cap_hours"),
        ("preempted_minutes", stated.preempted_minutes, done.preempted_minutes, "[policies] credit_preempted_minutes"),
    )  # fmt: skip
    return [(name, f"{said}, as the card states", f"{is_done} ({where})")
            for name, said, is_done, where in pairs if said != is_done]  # fmt: skip


def spelled_policies(policies: CardPolicies) -> str | None:
    """JSON of every policy of a card with the section, as contracts.rate_card holds it; None without the section."""
    if not policies.is_stated:
        return None
    cap = policies.platform_fault_cap_hours
    return json.dumps(
        {
            "blocked": policies.blocked,
            "platform_fault_cap_hours": "none" if cap is None else str(cap),
            "preempted_minutes": str(policies.preempted_minutes),
            "reserved_unused": policies.reserved_unused,
            "suspended": policies.suspended,
        }
    )
