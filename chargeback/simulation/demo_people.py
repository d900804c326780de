"""What people would hand in for the demo month: who owns which account, and a rate card.

Invented, unlike the Slurm records. Not here: the records (spread_month.py).
"""

DEMO_TIERS = {"low": "preemptible"}
"""QOS -> tier: the dump's QOS `low` is preempted by `high`."""

DEMO_ACCELERATORS = {"h100": "h100-sxm5-80gb", "a100": "a100-sxm4-80gb"}
"""gres type -> accelerator."""

DEMO_UNOWNED_ACCOUNT = "research"
"""Nobody answers for it, on purpose: it shows as suspense."""


def demo_ownership(cluster: str) -> str:
    """The ownership CSV: Vision and NLP own their accounts; `platform` serves NLP too and is split 60/40.

    `research` is left out on purpose.
    """
    rows = (
        "account,vision,vis-01,Vision,4711,C1,100",
        "account,nlp,nlp-02,NLP,4712,C1,100",
        "account,platform,srv-03,Platform,9000,C1,60",
        "account,platform,srv-03,NLP,4712,C1,40",
    )
    header = "cluster,kind,key,project,team,cost_centre,company,percent,valid_from,valid_until"
    return "\n".join([header, *(f"{cluster},{row},2020-01-01," for row in rows)]) + "\n"


def demo_rate_card(month: str, *, currency: str = "EUR") -> str:
    """A rate card in YAML, in force from the January of that month's year; costs are invented, and make its prices."""
    year = month[:4]
    before = int(year) - 1
    return f"""\
version: "{year}.1"
effective_from: {year}-01
currency: {currency}
prepared_by: platform finance (demo)
note: invented prices of a demo; no signature
rate_scale: 2
accelerators:
  h100-sxm5-80gb:
    build_up:
      gpus: 64
      in_service: {before}-07
      life_years: 4
      capital_cost: 2688000
      support_per_year: 134400
      power: {{kw_per_gpu: 1.40, basis: nameplate, pue: 1.40, tariff_per_kwh: 0.19}}
      space_per_year: 38400
      interconnect_per_year: 70400
      storage_per_year: 44800
      staff_per_year: 128000
      software_per_year: 25600
    standard: {{price: 2.95, unit: GPU-hour}}
    preemptible: {{price: 1.90, unit: GPU-hour}}
    reserved: {{price: 2.40, unit: GPU-hour}}
    slices:
      3g.40gb: {{billing_weight: 4/8}}
      2g.20gb: {{billing_weight: 2/8}}
      1g.10gb: {{billing_weight: 1/8}}
  a100-sxm4-80gb:
    build_up:
      gpus: 64
      in_service: {before - 2}-01
      life_years: 5
      capital_cost: 1216000
      support_per_year: 60800
      power: {{kw_per_gpu: 0.65, basis: measured, pue: 1.40, tariff_per_kwh: 0.19}}
      space_per_year: 32000
      interconnect_per_year: 44800
      storage_per_year: 44800
      staff_per_year: 169600
      software_per_year: 25600
    standard: {{price: 1.60, unit: GPU-hour}}
    preemptible: {{price: 1.05, unit: GPU-hour}}
    reserved: {{price: 1.35, unit: GPU-hour}}
    slices:
      3g.40gb: {{billing_weight: 4/8}}
      2g.20gb: {{billing_weight: 2/8}}
      1g.10gb:
        standard: {{price: 0.22, unit: slice-hour}}
        preemptible: {{price: 0.15, unit: slice-hour}}
        reserved: {{price: 0.18, unit: slice-hour}}
"""
