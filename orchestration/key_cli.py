"""`chargeback key`: the people who approve, and their signatures. A file of its own for what each command does."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer(help="Keys of people who approve: made, listed, used and checked.", no_args_is_help=True)

PrivateKey = Annotated[Path, typer.Option("--key", help="File of your private key.")]
Reason = Annotated[str, typer.Option(help="Why; printed wherever the approval is.")]


@app.command()
def new(
    to: Annotated[Path, typer.Option("--to", help="New file for the private key, outside the lake.")],
    holder: Annotated[str, typer.Option(help="Who holds it; one person, always spelled alike.")],
    role: Annotated[str, typer.Option(help="finance-lead, finance, controller, platform, auditor, cost-centre-owner.")],
    valid_from: Annotated[str | None, typer.Option(help="First instant, 2026-10-01T00:00:00Z; default: now.")] = None,
    valid_until: Annotated[str | None, typer.Option(help="Instant from which it is valid no more.")] = None,
    into: Annotated[Path | None, typer.Option(help="Keyring proposal that shall name the key; begun if new.")] = None,
    prepared_by: Annotated[str, typer.Option(help="Who prepares that proposal; may not approve it.")] = "",
    reason: Reason = "",
    ask_passphrase: Annotated[bool, typer.Option("--ask-passphrase", help="Encrypt with one that is typed.")] = False,
    config: Config = None,
) -> None:
    """Make a key pair: the private half into a file of mode 0600, the public entry for the keyring on the screen."""
    from orchestration.key_commands import make_key

    make_key(to, holder=holder, role=role, valid_from=valid_from, valid_until=valid_until, into=into,
             prepared_by=prepared_by, reason=reason, ask_passphrase=ask_passphrase, config=config)  # fmt: skip


@app.command("list")
def list_keys(
    propose: Annotated[Path | None, typer.Option(help="Begin the next version in this file, to be edited.")] = None,
    prepared_by: Annotated[str, typer.Option(help="Who prepares that proposal; may not approve it.")] = "",
    reason: Reason = "",
    output: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
    config: Config = None,
) -> None:
    """Show the keyring in force: who may approve what, from when until when."""
    from orchestration.key_commands import show_keyring

    show_keyring(propose=propose, prepared_by=prepared_by, reason=reason, output=output, config=config)


@app.command()
def sign(
    file: Annotated[Path, typer.Argument(help="A keyring proposal, or the draft of a record.")],
    key: PrivateKey,
    config: Config = None,
) -> None:
    """Approve what a file says; refused where the signature would not count."""
    from orchestration.key_signing import sign_file

    sign_file(file, key=key, config=config)


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(help="A keyring or a signed record.")],
    config: Config = None,
) -> None:
    """Say who signed what and whether it counts; exits 1 if it does not."""
    from orchestration.key_signing import verify_file

    sys.exit(verify_file(file, config=config))
