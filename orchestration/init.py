"""`chargeback init`: chargeback.toml from a few answers, checked by reading it back as every command will."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import typer
from rich.console import Console

from chargeback.contracts.contract import SCHEDULERS
from resources.cluster_settings import DEFAULT_SCRAPE_SECONDS
from resources.setting_kinds import SettingsRefused, one_of
from resources.settings import read_settings

QUESTIONS = {
    "root": ("Where shall the lake be (a folder, or s3://bucket/prefix)?", "lake"),
    "scheduler": ("Which scheduler does the first cluster have (slurm or kubernetes)?", "slurm"),
    "cluster": ("What is that cluster called?", "{scheduler}-a"),
    "zone": ("In which zone are times in its extracts (IANA; UTC if you run sacct with TZ=UTC)?", "UTC"),
    "scrape_seconds": ("How many seconds apart are the samples of its GPU telemetry?", str(DEFAULT_SCRAPE_SECONDS)),
    "billing_zone": ("In which zone do billing days and months begin?", "UTC"),
    "currency": ("In which currency is billed (ISO 4217)?", "EUR"),
    "first_day": ("Which is the first day that is billed?", "2026-10-01"),
}
NOT_ASKED = {"kubernetes": ("zone",)}
"""Kubernetes says all times in UTC."""

TEMPLATE = """\
# GPU Chargeback. Every setting is explained in docs/connecting-your-cluster.md.

[lake]
root = "{root}"
# endpoint_url = "https://s3.example.org"   # an S3 store that is not Amazon's; credentials come from the environment
# region = "eu-west-1"

[billing]
timezone = "{billing_zone}"
currency = "{currency}"
first_day = {first_day}
mode = "parallel"                # statements carry a watermark, the journal is withheld

{cluster_section}
[journal]
company = "C1"
cost_centre = "GPU-PLATFORM"
expense_account = "Expenses:GPU"
recovery_account = "Income:GPU-Recovery"
suspense_account = "Assets:GPU-Suspense"
"""

CLUSTER_SECTIONS = {
    "slurm": """\
[clusters."{cluster}"]
scheduler = "slurm"
timezone = "{zone}"
scrape_seconds = {scrape_seconds}

[clusters."{cluster}".tiers]     # QOS -> standard, preemptible or reserved; what is not named is standard
# scavenger = "preemptible"

[clusters."{cluster}".classes]   # partition -> batch, service or interactive; what is not named is told by its shape
# debug = "interactive"

[accelerators]                   # gres type -> accelerator that the rate card prices
# h100 = "h100-sxm5-80gb"
""",
    "kubernetes": """\
[clusters."{cluster}"]
scheduler = "kubernetes"
scrape_seconds = {scrape_seconds}

[clusters."{cluster}".tiers]     # PriorityClass -> standard, preemptible or reserved; what is not named is standard
# low-priority = "preemptible"

[clusters."{cluster}".classes]   # queue -> batch, service or interactive; what is not named is told by its shape
# notebooks = "interactive"

[accelerators]                   # GPU product -> accelerator that the rate card prices, where they are not the same
# nvidia-h100-80gb-hbm3 = "h100-sxm5-80gb"
""",
}
FIRST_EXTRACT = {
    "slurm": "chargeback land FILE... --source slurm/sacct --cluster {cluster}",
    "kubernetes": "chargeback extract kubernetes --cluster {cluster}",
}


def write_settings(path: Path, answers: Mapping[str, str | None]) -> None:
    """Ask for what was not given (at a terminal; else the default), write the file, say what comes next.

    Raises SettingsRefused if the file exists already, or an answer is impossible; then nothing is written.
    """
    if path.exists():
        raise SettingsRefused(f"{path} exists already; edit it, or remove it first")
    given = _answered(answers)
    text = _text(given)
    try:
        settings = read_settings(tomllib.loads(text), folder=path.resolve().parent)
    except tomllib.TOMLDecodeError as error:
        raise SettingsRefused(f"first day {given['first_day']!r} is no date; write it as 2026-10-01") from error
    path.write_text(text, encoding="utf-8")
    name = next(iter(settings.clusters))
    Console(soft_wrap=True, highlight=False).print(
        f"wrote {path}\nnext: {FIRST_EXTRACT[given['scheduler']].format(cluster=name)}\n"
        f"      chargeback land card.yaml --source rate-cards; chargeback land owners.csv --source ownership\n"
        f"      chargeback bill {settings.first_day.isoformat()[:7]}",
        markup=False,
    )


def _answered(answers: Mapping[str, str | None]) -> dict[str, str]:
    """Every answer that this scheduler needs, given or asked for, in the order of the questions."""
    given: dict[str, str] = {}
    for name in QUESTIONS:
        if name in NOT_ASKED.get(given.get("scheduler", ""), ()):
            continue
        given[name] = answers.get(name) or _ask(name, given)
        if name == "scheduler":
            one_of(given[name], SCHEDULERS, "scheduler")
    if not given["scrape_seconds"].isdigit():
        raise SettingsRefused(f"scrape seconds {given['scrape_seconds']!r} is no whole number; write it as 30")
    return given


def _text(given: Mapping[str, str]) -> str:
    quoted = {name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in given.items()}
    section = CLUSTER_SECTIONS[given["scheduler"]].format(**quoted)
    return TEMPLATE.format(**quoted, cluster_section=section)


def _ask(name: str, given: Mapping[str, str]) -> str:
    question, default = QUESTIONS[name][0], QUESTIONS[name][1].format(**given)
    if not typer.get_text_stream("stdin").isatty():
        return default
    return str(typer.prompt(question, default=default))
