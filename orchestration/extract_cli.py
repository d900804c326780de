"""`chargeback extract`: ask a running system for what a bill needs, into landing/. A file of its own for each."""

from pathlib import Path
from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer(help="Ask a running system for what a bill needs, and land it.", no_args_is_help=True)


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


@app.command()
def dcgm(
    cluster: Annotated[str, typer.Option("--cluster", help="Cluster as named in chargeback.toml.")],
    prometheus: Annotated[str, typer.Option(help="Address of Prometheus, or of what speaks its API.")],
    since: Annotated[str | None, typer.Option("--from", help="First instant, 2026-10-05T00:00:00Z.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Instant before which it ends.")] = None,
    day: Annotated[str | None, typer.Option(help="A billing day instead; default: the last one that is over.")] = None,
    selector: Annotated[str, typer.Option(help="""Labels that series must have, '{job="dcgm"}'.""")] = "",
    hours: Annotated[int, typer.Option(help="Hours asked for at once; fewer where Prometheus refuses.")] = 3,
    token_file: Annotated[Path | None, typer.Option(help="File with a bearer token.")] = None,
    ca_file: Annotated[Path | None, typer.Option(help="Certificate authority of the server.")] = None,
    config: Config = None,
) -> None:
    """Land GPU telemetry as it was scraped, from a Prometheus."""
    from orchestration.extract_dcgm import Window, extract_dcgm
    from resources.prometheus_api import PrometheusAccess

    extract_dcgm(
        cluster=cluster, access=PrometheusAccess(prometheus, token_file, ca_file), window=Window(since, until, day),
        selector=selector, hours=hours, config=config,
    )  # fmt: skip
