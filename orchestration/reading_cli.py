"""Commands that look at what stands in the lake and write nothing into it: a job, the difference of two states."""

from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer()

Output = Annotated[str, typer.Option("--format", help="table, json or csv.")]


@app.command()
def job(
    job_id: Annotated[
        str, typer.Argument(metavar="ID", help="Slurm job (4711, 123_4, 19+1), pod name or UID, or workload.")
    ],
    cluster: Annotated[str | None, typer.Option(help="Only this cluster; default: all.")] = None,
    output: Output = "table",
    config: Config = None,
) -> None:
    """Say of one job who ran it, where and when, what its GPUs did, what it cost, and what to do."""
    from orchestration.job import show_job

    show_job(job_id, cluster=cluster, output=output, config=config)


@app.command()
def diff(
    month: Annotated[str, typer.Argument(help="Billing month, 2026-10.")],
    before: Annotated[
        str | None,
        typer.Argument(metavar="A", help="now, certified, published, a content hash's first digits, or v12."),
    ] = None,
    after: Annotated[str | None, typer.Argument(metavar="B", help="The same; default: now.")] = None,
    output: Output = "table",
    config: Config = None,
) -> None:
    """Say which lines differ between two states of a month, and why; without A: from the month before to this one."""
    from orchestration.charge_difference import show_charge_difference

    show_charge_difference(month, before, after, output=output, config=config)
