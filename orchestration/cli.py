"""The command line: `chargeback`. Each command is a few lines here and a file of its own beside this one.

Exit codes: 0 done, 1 the gate refused, 2 the request cannot be met as it stands (settings, arguments, files), 3 a run
stopped for another reason.
"""

import os
import sys
import warnings
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from orchestration.arrivals_cli import app as arrivals_app
from orchestration.backfill_cli import app as backfill_app
from orchestration.close_cli import app as close_app
from orchestration.command_options import Config
from orchestration.corrections_cli import app as corrections_app
from orchestration.extract_cli import app as extract_app
from orchestration.focus_cli import app as focus_app
from orchestration.gate_cli import app as gate_app
from orchestration.key_cli import app as key_app
from orchestration.landing_cli import app as landing_app
from orchestration.map_cli import app as map_app
from orchestration.parallel_cli import app as parallel_app
from orchestration.posting_cli import app as posting_app
from orchestration.preflight_cli import app as preflight_app
from orchestration.rate_card_cli import app as rate_card_app
from orchestration.reading_cli import app as reading_app
from orchestration.recovery_cli import app as recovery_app
from orchestration.rerate_cli import app as rerate_app
from orchestration.ui_address import UI_PORT
from resources.setting_kinds import SettingsRefused

app = typer.Typer(
    name="chargeback",
    help="What each team's GPUs cost: scheduler records to gated statements and balanced journals.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for commands in (
    arrivals_app, backfill_app, close_app, corrections_app, focus_app, gate_app, landing_app, parallel_app,
    posting_app, preflight_app, recovery_app, reading_app, rerate_app,
):  # fmt: skip
    app.add_typer(commands)
app.add_typer(extract_app, name="extract")
app.add_typer(key_app, name="key")
app.add_typer(map_app, name="map")
app.add_typer(rate_card_app, name="rate-card")

ClusterName = Annotated[str, typer.Option("--cluster", help="Cluster as named in chargeback.toml.")]


def main() -> None:
    """Run a command; what cannot be met is one line on stderr, not a stack trace."""
    warnings.simplefilter("ignore")
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")
    from polars.exceptions import PolarsError

    from chargeback.usage.extract import UnreadableExtract
    from resources.decompression import Undecompressible
    from resources.lake_records import LakeRefusal
    from resources.landing import ObjectCorrupted
    from resources.people_objects import PeopleRefused
    from resources.store_failures import StoreFailure, store_failures_named
    from resources.store_probe import UnsafeStore

    refusals = (SettingsRefused, PeopleRefused, UnreadableExtract, Undecompressible, LakeRefusal, UnsafeStore)
    try:
        with store_failures_named("", PolarsError):  # rows are read from the store when they are asked for
            app()
    except (*refusals, StoreFailure, ObjectCorrupted) as refusal:
        Console(stderr=True, soft_wrap=True, highlight=False).print(f"chargeback: {refusal}", style="red", markup=False)
        sys.exit(2)


@app.command()
def init(
    root: Annotated[str | None, typer.Option(help="Lake: a folder, or s3://bucket/prefix.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="slurm or kubernetes.")] = None,
    cluster: Annotated[str | None, typer.Option(help="Name of the first cluster.")] = None,
    zone: Annotated[str | None, typer.Option(help="IANA zone of times in its extracts; not for Kubernetes.")] = None,
    scrape_seconds: Annotated[str | None, typer.Option(help="Seconds between samples of its GPU telemetry.")] = None,
    billing_zone: Annotated[str | None, typer.Option(help="IANA zone in which days and months begin.")] = None,
    currency: Annotated[str | None, typer.Option(help="ISO 4217 currency.")] = None,
    first_day: Annotated[str | None, typer.Option(help="First day that is billed, 2026-10-01.")] = None,
    config: Annotated[Path, typer.Option("--config", help="File to write.")] = Path("chargeback.toml"),
) -> None:
    """Write chargeback.toml by a few questions or flags."""
    from orchestration.init import write_settings

    write_settings(
        config,
        {
            "root": root,
            "scheduler": scheduler,
            "cluster": cluster,
            "zone": zone,
            "scrape_seconds": scrape_seconds,
            "billing_zone": billing_zone,
            "currency": currency,
            "first_day": first_day,
        },
    )


@app.command()
def inspect(
    file: Annotated[Path, typer.Argument(help="An extract, as it came from its source.")],
    cluster: Annotated[str, typer.Option(help="Cluster, where the file does not say.")] = "",
    zone: Annotated[str | None, typer.Option(help="IANA zone of times without an offset.")] = None,
    billing_zone: Annotated[str, typer.Option(help="IANA zone in which months begin.")] = "UTC",
    fields: Annotated[
        str | None, typer.Option(help="Column names of a file without a header, comma-separated.")
    ] = None,
    nodes: Annotated[
        Path | None, typer.Option(help="Node records: `scontrol show node`, or a Kubernetes node list.")
    ] = None,
    extracted_at: Annotated[
        str | None, typer.Option(help="When it was extracted: pods that still run are counted until then.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For scripts.")] = False,
) -> None:
    """Say what a file is, what it would bill, and what is wrong with it. Sets nothing up."""
    from orchestration.inspect import inspect_file

    inspect_file(
        file,
        cluster=cluster,
        zone=zone,
        billing_zone=billing_zone,
        fields=fields,
        nodes=nodes,
        extracted_at=extracted_at,
        as_json=as_json,
    )


@app.command()
def bill(
    month: Annotated[str, typer.Argument(help="Billing month, 2026-10.")],
    cluster: Annotated[list[str] | None, typer.Option(help="Only these clusters' days; default: all.")] = None,
    workers: Annotated[int | None, typer.Option(help="Worker processes; default: one a core.")] = None,
    again: Annotated[bool, typer.Option("--again", help="Look at every day, whatever is remembered.")] = False,
    config: Config = None,
) -> None:
    """Bill a month from landing to the journal: only what changed, refused with reasons where the gate says no."""
    from orchestration.bill_command import bill_and_report

    sys.exit(bill_and_report(month, clusters=cluster or [], workers=workers, again=again, config=config))


@app.command()
def statement(
    team: Annotated[str, typer.Argument(help="Team, as in the ownership file; or unattributed.")],
    month: Annotated[str, typer.Argument(help="Billing month, 2026-10.")],
    output: Annotated[str, typer.Option("--format", help="table, json, csv, html or pdf.")] = "table",
    config: Config = None,
) -> None:
    """Show a team's statement of a month."""
    from orchestration.statement import show_statement

    show_statement(team, month, output=output, config=config)


@app.command()
def top(
    month: Annotated[str | None, typer.Argument(help="Billing month, 2026-10; default: the latest billed.")] = None,
    team: Annotated[str | None, typer.Option(help="Only this team's.")] = None,
    by: Annotated[
        str, typer.Option(help="workload, user, team, class, accelerator, cluster or exceptions.")
    ] = "workload",
    limit: Annotated[int, typer.Option(help="Rows to show.")] = 10,
    output: Annotated[str, typer.Option("--format", help="table, json or csv.")] = "table",
    config: Config = None,
) -> None:
    """Rank what was held and lost in absolute GPU-hours, with its owner and what to do first."""
    from orchestration.top import show_top

    show_top(month, team=team, by=by, limit=limit, output=output, config=config)


@app.command()
def assess(
    days: Annotated[int, typer.Option(help="How many days to look at.")] = 14,
    until: Annotated[str | None, typer.Option(help="Last day; default: the last whole day that was extracted.")] = None,
    price_per_gpu_hour: Annotated[str | None, typer.Option(help="What a GPU-hour is worth to you, 2.40.")] = None,
    cluster: Annotated[str | None, typer.Option(help="Only this cluster; default: all.")] = None,
    to: Annotated[Path | None, typer.Option(help="Write the page to this file instead of into the lake.")] = None,
    config: Config = None,
) -> None:
    """Say from some days of records and telemetry whether chargeback is needed at all. Needs no rate card."""
    from orchestration.assess import assess_and_report

    assess_and_report(days=days, until=until, price=price_per_gpu_hour, cluster=cluster, to=to, config=config)


@app.command()
def explain(
    line_id: Annotated[str, typer.Argument(help="Line id of a statement: GPU-2026-10-vision-7f3a9c12.")],
    limit: Annotated[int, typer.Option(help="Raw records to show; 0 for all.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Everything, for scripts.")] = False,
    config: Config = None,
) -> None:
    """Go from a statement line down to its raw records (object, line), and recompute it."""
    from orchestration.explain import explain_line

    explain_line(line_id, limit=limit, as_json=as_json, config=config)


@app.command()
def ui(
    port: Annotated[int, typer.Option(help="Port of the web server.")] = UI_PORT,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    config: Config = None,
) -> None:
    """Open the Dagster web server and daemon on this lake."""
    from orchestration.ui import serve

    sys.exit(serve(host=host, port=port, config=config))


@app.command()
def simulate(
    gpus: Annotated[int, typer.Option(help="GPUs of both clusters; at least 16.")],
    days: Annotated[int, typer.Option(help="Days; at least 3.")],
    to: Annotated[str, typer.Option(help="Lake to land them in: a folder, or s3://bucket/prefix.")],
    seed: Annotated[int, typer.Option(help="The same seed makes the same bytes.")] = 1,
    first_day: Annotated[str, typer.Option(help="First day, 2026-10-01.")] = "2026-10-01",
    scrape_seconds: Annotated[int, typer.Option(help="Seconds between two samples of a GPU.")] = 300,
    json_truth: Annotated[Path | None, typer.Option("--json-truth", help="File for what is true of it.")] = None,
) -> None:
    """Land a seeded estate of a Slurm and a Kubernetes cluster, as their sources would, and what is true of it."""
    from orchestration.simulate import run_simulation

    run_simulation(
        gpus=gpus, days=days, seed=seed, to=to, first_day=first_day, scrape_seconds=scrape_seconds,
        truth_file=json_truth,
    )  # fmt: skip


@app.command()
def demo() -> None:
    """Bill a month of real Slurm records beside a simulated mixed estate on embedded defaults; show where to look."""
    from orchestration.demo import run_demo

    sys.exit(run_demo())
