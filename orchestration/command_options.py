"""Options that several commands take."""

from pathlib import Path
from typing import Annotated

import typer

Config = Annotated[Path | None, typer.Option("--config", help="chargeback.toml to use; default: the one here.")]
