"""`chargeback init`: chargeback.toml from a few answers, checked by reading it back as every command will."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import typer
from rich.console import Console

from resources.setting_kinds import SettingsRefused
from resources.settings import read_settings

QUESTIONS = {
    "root": ("Where shall the lake be (a folder, or s3://bucket/prefix)?", "lake"),
    "cluster": ("What is the Slurm cluster called?", "slurm-a"),
    "zone": ("In which zone are times in its extracts (IANA; UTC if you run sacct with TZ=UTC)?", "UTC"),
    "billing_zone": ("In which zone do billing days and months begin?", "UTC"),
    "currency": ("In which currency is billed (ISO 4217)?", "EUR"),
    "first_day": ("Which is the first day that is billed?", "2026-10-01"),
}

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

[clusters."{cluster}"]
scheduler = "slurm"
timezone = "{zone}"

[clusters."{cluster}".tiers]     # QOS -> standard, preemptible or reserved; what is not named is standard
# scavenger = "preemptible"

[accelerators]                   # gres type -> accelerator that the rate card prices
# h100 = "h100-sxm5-80gb"

[journal]
company = "C1"
cost_centre = "GPU-PLATFORM"
expense_account = "Expenses:GPU"
recovery_account = "Income:GPU-Recovery"
suspense_account = "Assets:GPU-Suspense"
"""


def write_settings(path: Path, answers: Mapping[str, str | None]) -> None:
    """Ask for what was not given (at a terminal; else the default), write the file, say what comes next.

    Raises SettingsRefused if the file exists already, or an answer is impossible; then nothing is written.
    """
    if path.exists():
        raise SettingsRefused(f"{path} exists already; edit it, or remove it first")
    given = {name: answers.get(name) or _ask(name) for name in QUESTIONS}
    text = TEMPLATE.format(**{name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in given.items()})
    try:
        settings = read_settings(tomllib.loads(text), folder=path.resolve().parent)
    except tomllib.TOMLDecodeError as error:
        raise SettingsRefused(f"first day {given['first_day']!r} is no date; write it as 2026-10-01") from error
    path.write_text(text, encoding="utf-8")
    name = next(iter(settings.clusters))
    Console(soft_wrap=True, highlight=False).print(
        f"wrote {path}\nnext: chargeback land FILE... --source slurm/sacct --cluster {name}\n"
        f"      chargeback land card.yaml --source rate-cards; chargeback land owners.csv --source ownership\n"
        f"      chargeback bill {settings.first_day.isoformat()[:7]}",
        markup=False,
    )


def _ask(name: str) -> str:
    question, default = QUESTIONS[name]
    if not typer.get_text_stream("stdin").isatty():
        return default
    return str(typer.prompt(question, default=default))
