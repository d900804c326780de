"""What a lake is bound to for good: billing zone and currency. Changed settings are refused, not applied.

Hours and cents of everything that stands in the lake depend on them. Not here: the other settings, which may change.
"""

import json

from resources.kept_records import NO_RECORD, record_in, text_in
from resources.object_store import ObjectStore
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings
from resources.store_probe import probe_store

BINDING_KEY = "settings/binding.json"


def bind_lake(store: ObjectStore, settings: Settings) -> None:
    """Record the binding at the first use; afterwards raise SettingsRefused if the settings say otherwise.

    A lake on S3 begins only on a store that can be trusted with money. Raises store_probe.UnsafeStore.
    """
    bound = {"timezone": settings.timezone, "currency": settings.currency_code}
    if not store.exists(BINDING_KEY):
        if settings.location.is_s3:
            probe_store(store)
        store.put_new(BINDING_KEY, json.dumps(bound, sort_keys=True).encode())
        return
    recorded = _recorded(store.get(BINDING_KEY))
    for name, value in bound.items():
        if recorded[name] != value:
            raise SettingsRefused(
                f"this lake bills in {name} {recorded[name]}, the settings say {value}: that cannot change in a lake; "
                f"put {recorded[name]} back, or begin a new lake under another [lake] root"
            )


def _recorded(content: bytes) -> dict[str, str]:
    try:
        read = record_in(content)
        return {name: text_in(read, name) for name in ("timezone", "currency")}
    except NO_RECORD:
        raise SettingsRefused(
            f"{BINDING_KEY}: this record of the zone and currency that the lake bills in cannot be read: restore it "
            "from a backup, or delete it if [billing] timezone and currency are what they always were"
        ) from None
