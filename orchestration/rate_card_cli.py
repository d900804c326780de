"""`chargeback rate-card`: finance's own commands. A file of its own for what each does."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestration.command_options import Config
from orchestration.rate_card_build_cli import app as rate_card_build_app

app = typer.Typer(
    help="The rate card: started, explained, compared, signed, checked and published.", no_args_is_help=True
)
app.add_typer(rate_card_build_app)

Card = Annotated[Path, typer.Argument(help="The card's YAML.")]
Approval = Annotated[
    Path | None, typer.Option(help="File of the signed record; default: beside the card, CARD.approval.json.")
]


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
