"""`chargeback map`: what turns names into priced ones, and the calendar; shown, and signed by finance."""

from pathlib import Path
from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer(
    help="Maps of the settings: tiers, accelerators, calendar; and who signed them.", no_args_is_help=True
)

Output = Annotated[str, typer.Option("--format", help="table, json or csv.")]
Month = Annotated[str | None, typer.Option("--month", help="Month, 2026-10; default: the latest one billed.")]
Name = Annotated[str, typer.Argument(help="tiers, accelerators or calendar.")]


@app.command("list")
def list_maps(month: Month = None, output: Output = "table", config: Config = None) -> None:
    """Each map, its content's hash, and whether finance has signed exactly that for the month."""
    from orchestration.map_tables import show_maps

    show_maps(month, output=output, config=config)


@app.command()
def explain(name: Name, month: Month = None, output: Output = "table", config: Config = None) -> None:
    """What a map says, and how many runs of the month bear each name; names that nobody mapped stand there too."""
    from orchestration.map_tables import explain_map

    explain_map(name, month=month, output=output, config=config)


@app.command()
def sign(
    name: Name,
    by: Annotated[str, typer.Option("--by", help="Who prepared the map; may not approve it.")],
    reason: Annotated[str, typer.Option(help="Why it is right; printed wherever the approval is.")],
    key: Annotated[Path | None, typer.Option("--key", help="File of the private key of finance.")] = None,
    until: Annotated[str | None, typer.Option(help="Instant from which the approval holds no more.")] = None,
    draft: Annotated[Path | None, typer.Option(help="Only write the record, for chargeback key sign.")] = None,
    config: Config = None,
) -> None:
    """Approve exactly what a map of the settings says now, and land the approval. Any change of it needs another."""
    from orchestration.map_signing import sign_map

    sign_map(name, by=by, reason=reason, key=key, until=until, draft=draft, config=config)
