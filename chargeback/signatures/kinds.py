"""What can be approved, and which roles may: one table, and no other place decides it.

The platform prepares and operates, so its key approves nothing that moves money; with somebody of finance it may change
the keyring. An auditor reads, and witnesses changes of the keyring. Source: design.md 1 and 5; docs/decisions/0021.
"""

FINANCE = ("finance-lead", "finance", "controller")
"""The roles that act for finance. One of them must be among those who change a keyring."""

APPROVERS = {
    "rate-card": ("finance-lead", "controller"),
    "closing": ("controller",),
    "correction": ("controller",),
    "waiver": ("finance-lead", "controller"),
    "sign-off": ("finance-lead", "controller"),
    "dispute": ("finance-lead", "finance", "controller", "cost-centre-owner"),
    "answer": FINANCE,
    "map": FINANCE,
    "sponsorship": ("sponsor",),
    "acceptance": ("cost-centre-owner",),
    "keyring": (*FINANCE, "platform", "auditor"),
}
"""Kind of record -> roles whose signature on it counts. A key of any other role is refused."""

KINDS = tuple(APPROVERS)

SUBJECTS = {
    "rate-card": "version of the card, 2026.2",
    "closing": "month, 2026-10",
    "correction": "month that books it, 2026-11",
    "waiver": "what is waived and its month, 2026-10/usage_rated",
    "sign-off": "parallel month, 2026-10",
    "dispute": "month and line or team, 2026-10/GPU-2026-10-vision-7f3a9c12",
    "answer": "the same as of the dispute that it answers",
    "map": "name of the map: tiers, accelerators, calendar",
    "sponsorship": "enforcement, of the whole estate",
    "acceptance": "month whose figures were shown, and cost centre, 2026-10/CC-1",
    "keyring": "version of the keyring, 2",
}
"""What the subject of each kind names, so that a record is of one month, card or map and of no other."""
