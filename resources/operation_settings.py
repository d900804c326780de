"""[events], [automation] and [instance] of chargeback.toml: how a lake is moved, and what may happen by itself.

None of them changes a figure. Not here: the sensors, conditions and instance that obey them (orchestration/).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from resources.setting_kinds import SettingsRefused, one_of, refuse_unfit

STORAGES = ("sqlite", "postgres")


@dataclass(frozen=True, slots=True)
class Events:
    """How arriving objects are noticed.

    With `queue_url` S3's notifications are read from that SQS queue, else landing is listed. Every
    `reconcile_every_minutes` the listing is held against the raw tables, whatever was noticed before; of objects that
    they may lack, `most_reconciled_a_tick` at once. An object of incoming/ that is larger than `largest_incoming_mib`,
    as it lies there or unpacked, is set aside.
    """

    queue_url: str | None = None
    queue_endpoint_url: str | None = None
    queue_region: str | None = None
    look_every_seconds: int = 30
    reconcile_every_minutes: int = 60
    most_runs_a_tick: int = 50
    most_reconciled_a_tick: int = 4000
    largest_incoming_mib: int = 1024


@dataclass(frozen=True, slots=True)
class Automation:
    """What follows by itself. Nothing is let out or sent unless somebody has switched it on here."""

    enabled: bool = True
    publish: bool = False
    send: bool = False


@dataclass(frozen=True, slots=True)
class Instance:
    """Where Dagster keeps its own records, and how much runs at once.

    `storage = "postgres"` reads the address from the environment variable that `postgres_url_env` names, so that no
    password stands in a file. `store_calls_at_once` limits the pool of steps that read landing.
    """

    storage: str = "sqlite"
    postgres_url_env: str = "CHARGEBACK_POSTGRES_URL"
    runs_at_once: int = 2
    store_calls_at_once: int = 8
    longest_run_minutes: int = 120


def read_events(read: Mapping[str, Any]) -> Events:
    """[events]. Raises SettingsRefused."""
    numbers = {"look_every_seconds": (1, 3600), "reconcile_every_minutes": (1, 1440), "most_runs_a_tick": (1, 1000),
               "most_reconciled_a_tick": (1, 100_000), "largest_incoming_mib": (1, 4096)}  # fmt: skip
    texts = dict.fromkeys(("queue_url", "queue_endpoint_url", "queue_region"), str)
    return Events(**_checked(read, "events", texts, numbers))


def read_automation(read: Mapping[str, Any]) -> Automation:
    """[automation]. Raises SettingsRefused."""
    given = _checked(read, "automation", dict.fromkeys(Automation.__slots__, bool), {})
    automation = Automation(**given)
    if automation.send and not automation.publish:
        raise SettingsRefused("automation.send is true and automation.publish is not: only what is published is sent")
    return automation


def read_instance(read: Mapping[str, Any]) -> Instance:
    """[instance]. Raises SettingsRefused."""
    numbers = {"runs_at_once": (1, 1000), "store_calls_at_once": (1, 1000), "longest_run_minutes": (1, 10_080)}
    given = _checked(read, "instance", {"storage": str, "postgres_url_env": str}, numbers)
    one_of(given.get("storage", "sqlite"), STORAGES, "instance.storage")
    return Instance(**given)


def _checked(
    read: Mapping[str, Any], name: str, kinds: Mapping[str, type], numbers: Mapping[str, tuple[int, int]]
) -> Mapping[str, Any]:
    section: Mapping[str, Any] = read.get(name, {})
    refuse_unfit(section, {**kinds, **dict.fromkeys(numbers, int)}, f"{name}.")
    for number, (least, most) in numbers.items():
        if number in section and not least <= section[number] <= most:
            raise SettingsRefused(f"{name}.{number} is {section[number]}; it must be from {least} to {most}")
    return section
