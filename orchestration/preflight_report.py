"""What a preflight says at the terminal: progress, figures, and where the lake keeps them. Not here: the probing."""

from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from orchestration.preflight import Probed, probe_storage
from orchestration.progress import TerminalProgress
from resources.delta_probe import COMMITS_A_WRITER, WRITERS, CommitFigures
from resources.lake_binding import bind_lake
from resources.open_store import store_at
from resources.settings import load_settings
from resources.storage_location import StorageLocation
from resources.store_probe import UnsafeStore


def preflight_storage(config: Path | None, *, commits: int | None, writers: int | None) -> None:
    """Probe the store of the settings and print what was found; a store that passed is bound to the settings.

    So the lake is begun by who may write all of it, and extractors, who may not, can land. Raises UnsafeStore if the
    store failed, SettingsRefused.
    """
    settings = load_settings(config)
    location = settings.location
    commits, writers = commits or COMMITS_A_WRITER, writers or WRITERS
    console = Console(soft_wrap=True, highlight=False)
    with TerminalProgress(console) as progress:
        progress.begin("Delta commits", commits * writers)
        probed = probe_storage(
            location, writers=writers, commits=commits, now=datetime.now(UTC), committed=lambda: progress.step("")
        )
    _print(probed, location, console)
    if not probed.proof.passed:
        raise UnsafeStore(f"{location.root}: {probed.proof.fault}")
    bind_lake(store_at(location), settings)


def _print(probed: Probed, location: StorageLocation, console: Console) -> None:
    proof = probed.proof
    where = f"{location.root} at {location.endpoint_url or 'Amazon S3'}" if location.is_s3 else location.root
    lines = {"store": where, "versioning": proof.versioning}
    lines |= _of_commits(proof.commits) if proof.commits else {"commits": "none were tried"}
    lines |= {"outcome": "passed" if proof.passed else "FAILED", "recorded": probed.key}
    for name, value in lines.items():
        console.print(f"{name:<14} {value}", markup=False)


def _of_commits(figures: CommitFigures) -> dict[str, str]:
    return {
        "commits": f"{figures.told} of {figures.asked} by {figures.writers} processes at once",
        "took": f"{figures.milliseconds / 1000:.1f} s, {figures.milliseconds_a_commit} ms a commit",
        "conflicts": f"{figures.conflicts} (seen, and committed again)",
        "lost": str(figures.lost),
        "doubled": str(figures.doubled),
        "gaps": f"{figures.gaps} versions missing",
    }
