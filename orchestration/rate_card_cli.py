"""`chargeback rate-card`: finance's own commands. A file of its own for what each does."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer(
    help="The rate card: started, explained, compared, signed, checked and published.", no_args_is_help=True
)

Card = Annotated[Path, typer.Argument(help="The card's YAML.")]
Approval = Annotated[
    Path | None, typer.Option(help="File of the signed record; default: beside the card, CARD.approval.json.")
]


@app.command()
def new(
    card: Annotated[Path, typer.Argument(help="File to write; one that is there is never overwritten.")],
    accelerator: Annotated[
        list[str] | None, typer.Option(help="Accelerators, h100-sxm5-80gb; default: those in use in the lake.")
    ] = None,
    version: Annotated[str | None, typer.Option(help="Version, 2026.2; default: the one after the latest.")] = None,
    effective_from: Annotated[str | None, typer.Option(help="First month, 2026-11; default: the next.")] = None,
    config: Config = None,
) -> None:
    """Start a card with a cost build-up: every input to fill in, explained, with proposed billing weights."""
    from orchestration.rate_card_new import write_new_card

    write_new_card(
        card, accelerators=accelerator or [], version=version, effective_from=effective_from, config=config
    )  # fmt: skip


@app.command()
def explain(
    card: Card,
    output: Annotated[str, typer.Option("--format", help="table, json, csv or html.")] = "table",
    config: Config = None,
) -> None:
    """Show how each rate follows from its inputs, and what a year more of life or a cent of tariff does to it."""
    from orchestration.rate_card_explain import explain_card_file

    explain_card_file(card, output=output, config=config)


@app.command()
def diff(
    old: Annotated[Path, typer.Argument(help="The card that is in force.")],
    new: Annotated[Path, typer.Argument(help="The card that would be.")],
    output: Annotated[str, typer.Option("--format", help="table, json or csv.")] = "table",
) -> None:
    """Show what a card changes per accelerator and tier, and the components behind it."""
    from orchestration.rate_card_diff import show_card_difference

    show_card_difference(old, new, output=output)


@app.command()
def sign(
    card: Card,
    key: Annotated[Path, typer.Option("--key", help="File of your private key.")],
    reason: Annotated[str, typer.Option(help="Why this card is right.")],
    until: Annotated[str | None, typer.Option(help="Instant from which the approval holds no more.")] = None,
    approval: Approval = None,
    config: Config = None,
) -> None:
    """Approve what a card says; nobody approves what they prepared."""
    from orchestration.rate_card_signing import sign_card

    sign_card(card, key=key, reason=reason, until=until, approval=approval, config=config)


@app.command()
def verify(card: Card, approval: Approval = None, config: Config = None) -> None:
    """Say who signed a card and whether it counts; exits 1 if it does not."""
    from orchestration.rate_card_signing import verify_card

    sys.exit(verify_card(card, approval=approval, config=config))


@app.command()
def publish(card: Card, approval: Approval = None, config: Config = None) -> None:
    """Land a card with its approval, after verifying it."""
    from orchestration.rate_card_signing import publish_card

    publish_card(card, approval=approval, config=config)
