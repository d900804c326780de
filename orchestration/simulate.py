"""`chargeback simulate`: a seeded estate of two clusters, landed as its sources would have, with its truth beside it.

Not here: what is made (chargeback/simulation/simulate.py).
"""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from rich.console import Console

from chargeback.simulation.estate_plan import BILLING_ZONE, CLUSTERS, KUBERNETES, MODELS, SLURM
from chargeback.simulation.made import Made
from chargeback.simulation.pod_run import TIERS as PRIORITY_TIERS
from chargeback.simulation.simulate import simulated_estate
from chargeback.simulation.slurm_run import TIERS as QOS_TIERS
from chargeback.simulation.truth import Truth
from resources.landing import Landing
from resources.open_store import store_at
from resources.setting_kinds import SettingsRefused
from resources.settings import SETTINGS_FILE
from resources.storage_location import StorageLocation

LANDING = "landing"
QUARANTINED_A_DAY = 1
"""One object is broken on purpose: the gate is told to bear it."""


def run_simulation(
    *, gpus: int, days: int, seed: int, to: str, first_day: str, scrape_seconds: int, truth_file: Path | None
) -> None:
    """Land the estate in a lake, write chargeback.toml beside it if there is none, and say what comes next.

    `to` is the lake's root, or the folder `landing` in it. Raises SettingsRefused for an impossible request.
    """
    root = to.rstrip("/").removesuffix(f"/{LANDING}") or LANDING
    begins = _day(first_day)
    truth = Truth() if truth_file else None
    try:
        objects = simulated_estate(
            gpus=gpus, days=days, seed=seed, first_day=begins, scrape_seconds=scrape_seconds, truth=truth
        )
        location = StorageLocation(root=root if "://" in root else str(Path(root).resolve()))
    except ValueError as refusal:
        raise SettingsRefused(str(refusal)) from refusal
    landed = _land(Landing(store_at(location)), objects)
    console = Console(soft_wrap=True, highlight=False)
    console.print(
        f"landed {sum(landed.values())} objects of {gpus} GPUs and {days} days in {root}: "
        + ", ".join(f"{count} {source}" for source, count in sorted(landed.items())),
        markup=False,
    )
    if truth_file and truth is not None:
        truth_file.write_text(truth.as_json(), encoding="utf-8")
        console.print(f"wrote what is true of them to {truth_file}", markup=False)
    settings = _settings_beside(root)
    if settings.exists():
        console.print(f"{settings} was there and stays as it is", markup=False)
    else:
        settings.write_text(_settings(root, begins, scrape_seconds), encoding="utf-8")
        console.print(f"wrote {settings}", markup=False)
    console.print(f"next: chargeback bill {begins.isoformat()[:7]} --config {settings}", markup=False)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise SettingsRefused(f"--first-day {text!r} is no day; write it as 2026-10-01") from error


def _land(landing: Landing, objects: Iterable[Made]) -> Counter[str]:
    """Land every object; how many landed of each source."""
    landed: Counter[str] = Counter()
    for made in objects:
        found = landing.land(
            made.content,
            source=made.source,
            cluster=made.cluster,
            extracted_at=made.extracted_at,
            extension=made.extension,
        )
        landed[made.source] += found.is_new
    return landed


def _settings_beside(root: str) -> Path:
    """chargeback.toml in the folder that has the lake; of a lake on S3 in this folder."""
    return Path(SETTINGS_FILE) if "://" in root else Path(root).resolve().parent / SETTINGS_FILE


def _settings(root: str, first_day: date, scrape_seconds: int) -> str:
    """The two clusters, their tiers, and what the accelerators are called."""
    lines = [
        "# GPU Chargeback of a simulated estate. Settings are explained in docs/connecting-your-cluster.md.",
        "",
        "[lake]",
        f'root = "{root if "://" in root else Path(root).name}"',
        "",
        "[billing]",
        f'timezone = "{BILLING_ZONE}"',
        'currency = "EUR"',
        f"first_day = {first_day.isoformat()}",
        'mode = "parallel"',
    ]
    for cluster, tiers in ((SLURM, QOS_TIERS), (KUBERNETES, PRIORITY_TIERS)):
        lines += ["", f'[clusters."{cluster}"]', f'scheduler = "{CLUSTERS[cluster]}"']
        lines += [f'timezone = "{BILLING_ZONE}"'] if cluster == SLURM else []
        lines += [f"scrape_seconds = {scrape_seconds}", "", f'[clusters."{cluster}".tiers]']
        lines += [f'{name} = "{tier}"' for name, tier in tiers.items() if tier != "standard"]
    lines += ["", "[accelerators]"]
    lines += [f'{_key(name)} = "{model.accelerator}"' for model in MODELS for name in (model.gres, model.node_label)]
    lines += ["", "[policies]", f"quarantine_limit = {QUARANTINED_A_DAY}  # one object was broken on purpose", ""]
    return "\n".join(lines)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else f'"{name}"'
