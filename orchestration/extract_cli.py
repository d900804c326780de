"""`chargeback extract`: ask a running system for what a bill needs, into landing/. A file of its own for each."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Ask a running system for what a bill needs, and land it.", no_args_is_help=True)

Config = Annotated[Path | None, typer.Option("--config", help="chargeback.toml to use; default: the one here.")]


@app.command()
def kubernetes(
    cluster: Annotated[str, typer.Option("--cluster", help="Cluster as named in chargeback.toml.")],
    kubeconfig: Annotated[Path | None, typer.Option(help="Default: the pod's service account, else the usual.")] = None,
    context: Annotated[str | None, typer.Option(help="Context of the kubeconfig; default: its current one.")] = None,
    server: Annotated[str | None, typer.Option(help="Address of the API instead, https://...")] = None,
    token_file: Annotated[Path | None, typer.Option(help="File with a bearer token for --server.")] = None,
    ca_file: Annotated[Path | None, typer.Option(help="Certificate authority of --server.")] = None,
    config: Config = None,
) -> None:
    """Land one full listing of pods, nodes, and what owns and claims them."""
    from orchestration.extract_kubernetes import extract_kubernetes
    from resources.kubernetes_access import KubernetesAccess

    access = KubernetesAccess(kubeconfig, context, server, token_file, ca_file)
    extract_kubernetes(cluster=cluster, access=access, config=config)
