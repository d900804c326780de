"""`chargeback extract kubernetes`: one full listing of each kind that a bill needs, from the API into landing/.

Not here: asking the API (resources/kubernetes_api.py), and a watcher, which is not there yet.
"""

from pathlib import Path

from rich.console import Console

from resources.kubernetes_access import KubernetesAccess
from resources.kubernetes_api import KubernetesApi, KubernetesRefused, ListingForbidden
from resources.kubernetes_kinds import LISTED_KINDS, ListedKind
from resources.kubernetes_listing import EXTENSION, Listing
from resources.lake_binding import bind_lake
from resources.landing import LandedObject, Landing
from resources.open_store import store_at
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings, load_settings


def extract_kubernetes(*, cluster: str, access: KubernetesAccess, config: Path | None) -> list[LandedObject]:
    """Land a full listing of every kind that the API serves and permits; say which it does not serve.

    Each kind is one object, complete or absent: `kubernetes/workloads` gets one for Jobs, one for ReplicaSets, ...
    Raises  SettingsRefused, one line: no such Kubernetes cluster, no access, or kinds that may not be listed (after
            the others have landed).
    """
    settings = _settings_of(cluster, config)
    api = KubernetesApi(access.connected())
    console = Console(soft_wrap=True, highlight=False)
    landing = _landing(settings)
    landed: list[LandedObject] = []
    forbidden: list[str] = []
    for kind in LISTED_KINDS:
        try:
            listing = _listing(api, kind)
        except ListingForbidden as refused:
            forbidden.append(str(refused))
        except KubernetesRefused as refused:
            raise SettingsRefused(str(refused)) from refused
        else:
            landed += _landed(landing, listing, cluster, console) if listing else _absent(kind, console)
    if forbidden:
        raise SettingsRefused("; ".join(forbidden))
    return landed


def _settings_of(cluster: str, config: Path | None) -> Settings:
    settings = load_settings(config)
    scheduler = settings.cluster(cluster).scheduler
    if scheduler != "kubernetes":
        raise SettingsRefused(f"cluster {cluster} has scheduler {scheduler!r} in chargeback.toml, not 'kubernetes'")
    return settings


def _landing(settings: Settings) -> Landing:
    store = store_at(settings.location)
    bind_lake(store, settings)
    return Landing(store)


def _listing(api: KubernetesApi, kind: ListedKind) -> Listing | None:
    version = api.version_of(kind)
    return None if version is None else api.full_listing(kind, version)


def _landed(landing: Landing, listing: Listing, cluster: str, console: Console) -> list[LandedObject]:
    kind = listing.kind
    landed = landing.land(
        listing.content, source=kind.source, cluster=cluster, extracted_at=listing.extracted_at, extension=EXTENSION
    )
    pages = f"{listing.pages:,} pages" if listing.pages > 1 else "1 page"
    restarted = f" (their pages expired {listing.restarts} times before)" if listing.restarts else ""
    console.print(
        f"{kind.source}: {listing.objects:,} {kind.name} {listing.version} in {pages}{restarted}, "
        f"landed as {landed.key} ({len(listing.content):,} bytes)",
        markup=False,
    )
    return [landed]


def _absent(kind: ListedKind, console: Console) -> list[LandedObject]:
    console.print(f"{kind.source}: {kind.name} are not served by this cluster", markup=False)
    return []
