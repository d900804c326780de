"""What people hand in for a simulated estate: who owns which account and namespace, and a rate card.

Prices are invented. Not here: what sources extract (the other writers).
"""

from datetime import date

from chargeback.simulation.estate_plan import (
    CLUSTERS,
    KUBERNETES,
    MODELS,
    SHARED_ACCOUNT,
    SHARED_BY,
    SHARED_NAMESPACE,
    SLICES,
    SLURM,
    TEAMS,
)

COMPANY = "C1"
VALID_FROM = "2020-01-01"
PRICES = {"h100-sxm5-80gb": ("2.95", "1.90", "2.40"), "a100-sxm4-80gb": ("1.60", "1.05", "1.35")}
"""Accelerator -> price of a GPU-hour: standard, preemptible, reserved."""

MEMORY_SLICES = {"3g.40gb": 4, "2g.20gb": 2, "1g.10gb": 1}
"""Of eight: a slice is charged as the part of the GPU that nobody else can have."""


def ownership_csv() -> str:
    """Every team owns its account and its namespace; one of each is shared, and one of each nobody owns, on purpose."""
    rows = []
    for cluster, scheduler in CLUSTERS.items():
        kind = "account" if scheduler == "slurm" else "namespace"
        for team in TEAMS:
            key = team.account if cluster == SLURM else team.namespace
            rows.append(f"{cluster},{kind},{key},{team.account},{team.name},{team.cost_centre},{COMPANY},100")
        shared = {SLURM: SHARED_ACCOUNT, KUBERNETES: SHARED_NAMESPACE}[cluster]
        cost_centres = {team.name: team.cost_centre for team in TEAMS}
        rows += [
            f"{cluster},{kind},{shared},foundation,{name},{cost_centres[name]},{COMPANY},{percent}"
            for name, percent in SHARED_BY.items()
        ]
    header = "cluster,kind,key,project,team,cost_centre,company,percent,valid_from,valid_until"
    return "\n".join([header, *(f"{row},{VALID_FROM}," for row in rows)]) + "\n"


def rate_card_yaml(first_day: date, *, currency: str = "EUR") -> str:
    """A card in force from the January of that year: a price for each accelerator and tier, a weight for each slice."""
    lines = [
        f'version: "{first_day.year}.1"',
        f"effective_from: {first_day.year}-01",
        f"currency: {currency}",
        "prepared_by: platform finance (simulated)",
        "note: invented prices of a simulated estate; no signature",
        "accelerators:",
    ]
    for model in MODELS:
        lines.append(f"  {model.accelerator}:")
        for tier, price in zip(("standard", "preemptible", "reserved"), PRICES[model.accelerator], strict=True):
            lines.append(f"    {tier}: {{price: {price}, unit: GPU-hour}}")
        lines.append("    slices:")
        lines += [f"      {profile}: {{billing_weight: {MEMORY_SLICES[profile]}/8}}" for profile, _, _ in SLICES]
    return "\n".join(lines) + "\n"
