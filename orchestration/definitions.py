"""The code location: everything that Dagster loads. Reads chargeback.toml and nothing else; opens no store."""

import dagster as dg

from orchestration.automation import automation_sensors
from orchestration.graph import assets_on, checks_on
from orchestration.jobs import all_jobs, schedules_on
from orchestration.notify import notice_sensor
from orchestration.partitions import calendar_of
from orchestration.sensors import sensors_on
from resources.evidence import EvidenceStore
from resources.lake import Lake
from resources.landing import Landing
from resources.observations import Observations
from resources.open_store import store_at
from resources.people_objects import PeopleObjects
from resources.settings import Settings, load_settings


def definitions_for(settings: Settings) -> dg.Definitions:
    """The definitions of one lake."""
    calendar = calendar_of(settings)
    return dg.Definitions(
        assets=assets_on(calendar, settings),
        asset_checks=checks_on(calendar),
        jobs=all_jobs(),
        schedules=schedules_on(calendar, settings),
        sensors=[*sensors_on(settings), *automation_sensors(settings), notice_sensor(settings)],
        executor=dg.in_process_executor,
        resources=resources_for(settings),
    )


def resources_for(settings: Settings) -> dict[str, object]:
    """The adapters, by the names under which assets and checks ask for them."""
    store = store_at(settings.location)
    landing = Landing(store)
    return {
        "settings": settings,
        "lake": Lake(settings.location),
        "store": store,
        "landing": landing,
        "people": PeopleObjects(landing, settings.signing.trust_root),
        "observations": Observations(landing, store, settings),
        "evidence": EvidenceStore(store),
    }


@dg.definitions
def defs() -> dg.Definitions:
    """What `dagster-webserver -m orchestration.definitions` loads."""
    return definitions_for(load_settings())
