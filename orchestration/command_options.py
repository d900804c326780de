"""Options that several commands take."""

from pathlib import Path
from typing import Annotated

import typer

Config = Annotated[Path | None, typer.Option("--config", help="chargeback.toml to use; default: the one here.")]
By = Annotated[str | None, typer.Option("--by", help="Who prepares it; may not approve it.")]
Key = Annotated[Path | None, typer.Option("--key", help="File of the signer's private key: sign and land at once.")]
Reason = Annotated[str | None, typer.Option(help="Why; printed wherever the approval is.")]
Draft = Annotated[Path | None, typer.Option(help="Only write the record that somebody signs.")]
