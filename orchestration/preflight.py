"""Preflight of a store: is it shown to keep what it confirms? What was found is recorded in the lake.

Not here: the probes (resources/store_probe.py, resources/delta_probe.py), what is said at the terminal
(preflight_cli.py).
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from resources.bucket import PROBE, clear_probe, versioning_of
from resources.delta_probe import CommitFigures, probe_commits
from resources.open_store import store_at
from resources.storage_location import StorageLocation
from resources.storage_proof import StorageProof, record_proof
from resources.store_failures import ConditionalPutUnknown
from resources.store_probe import ADVICE, UnsafeStore, probe_store


@dataclass(frozen=True, slots=True)
class Probed:
    """What a preflight found, and the key under which the lake keeps it."""

    proof: StorageProof
    key: str


def probe_storage(
    location: StorageLocation,
    *,
    writers: int,
    commits: int,
    now: datetime,
    committed: Callable[[], None] = lambda: None,
) -> Probed:
    """Probe the lake's own store and prefix, below probe/, and record what came of it, passed or not.

    `commits` are those of each writer; `committed` is called at each. Tables of the lake are not touched.
    """
    store, place = store_at(location), f"{PROBE}/{secrets.token_hex(8)}"
    figures: CommitFigures | None = None
    try:
        probe_store(store, place=place)
        begun = replace(location, root=location.child(*place.split("/")))
        figures = probe_commits(begun, writers=writers, commits=commits, committed=committed)
        fault = _fault(figures)
    except UnsafeStore as unsafe:
        fault = str(unsafe)
    except ConditionalPutUnknown as unknown:
        fault = f"{unknown.what}: {ADVICE}"
    finally:
        clear_probe(location, place)
    versioning = versioning_of(location)
    proof = StorageProof.of(location, versioning=versioning, at=now, fault=fault, commits=figures)
    return Probed(proof, record_proof(store, proof))


def _fault(figures: CommitFigures) -> str:
    """What is wrong with the commits; empty if nothing is."""
    if figures.lost or figures.doubled or figures.gaps:
        return (
            f"of {figures.told} Delta commits that writers were told had succeeded {figures.lost} are lost, "
            f"{figures.doubled} doubled, {figures.gaps} versions missing: do not keep a lake on this store as it is set"
        )
    if figures.told < figures.asked:
        return f"{figures.asked - figures.told} of {figures.asked} Delta commits could not be made"
    if not figures.conflicts:
        return f"the writers never met in {figures.told} commits, which shows nothing: probe again with more --commits"
    return ""
