"""The adapters of one lake, opened together for a command or a sensor. Not here: what is done with them."""

from dataclasses import dataclass
from pathlib import Path

from resources.evidence import EvidenceStore
from resources.lake import Lake
from resources.lake_binding import bind_lake
from resources.landing import Landing
from resources.object_store import ObjectStore
from resources.observations import Observations
from resources.open_store import store_at
from resources.people_objects import PeopleObjects
from resources.settings import Settings, has_settings, load_settings
from resources.storage_proof import require_proof


@dataclass(frozen=True, slots=True)
class Workspace:
    """The adapters of one lake, opened for one command."""

    settings: Settings
    store: ObjectStore
    landing: Landing
    observations: Observations
    people: PeopleObjects
    lake: Lake
    evidence: EvidenceStore


def open_workspace(settings: Settings, *, to_read: bool = False) -> Workspace:
    """Open the lake of the settings, to write tables unless it is `to_read`.

    Raises  SettingsRefused if it is bound to another zone or currency; UnsafeStore if tables may not be written there.
    """
    store = store_at(settings.location)
    bind_lake(store, settings)
    if not to_read:
        require_proof(settings.location)
    landing = Landing(store)
    return Workspace(
        settings=settings,
        store=store,
        landing=landing,
        observations=Observations(landing, store, settings),
        people=PeopleObjects(landing, settings.signing.trust_root),
        lake=Lake(settings.location),
        evidence=EvidenceStore(store),
    )


def workspace_here(config: Path | None) -> Workspace | None:
    """The lake of one's own settings, opened to read; None where there are no settings. Raises as open_workspace."""
    return open_workspace(load_settings(config), to_read=True) if has_settings(config) else None
