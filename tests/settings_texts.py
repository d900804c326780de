"""chargeback.toml of a lake that needs nothing unusual, for tests of commands."""

from pathlib import Path

OF_SCHEDULER = {"slurm": 'timezone = "UTC"', "kubernetes": 'scheduler = "kubernetes"'}


def settings_text(root: str | Path = "lake", **schedulers: str) -> str:
    """Settings in UTC and EUR, of clusters by name (`_` for `-`): `settings_text(slurm_a="slurm")`."""
    head = f'[lake]\nroot = "{root}"\n[billing]\ntimezone = "UTC"\ncurrency = "EUR"\nfirst_day = 2026-03-01\n'
    return head + "".join(
        f"[clusters.{name.replace('_', '-')}]\n{OF_SCHEDULER[scheduler]}\n" for name, scheduler in schedulers.items()
    )
