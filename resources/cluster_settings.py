"""[clusters.NAME] of chargeback.toml: one scheduler domain, and what is chosen for it.

Not here: settings of the whole lake (settings.py).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from chargeback.contracts.contract import SCHEDULERS
from resources.setting_kinds import SettingsRefused, one_of, refuse_unfit

CLUSTER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
TIERS = ("standard", "preemptible", "reserved")
WORKLOAD_CLASSES = ("batch", "service", "interactive")
DEFAULT_SCRAPE_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Cluster:
    """One scheduler domain.

    `timezone` is the zone of times without an offset in its extracts; None refuses those. `tiers` maps a QOS or
    PriorityClass, and `classes` a Slurm partition or queue, to what it is. `scrape_seconds`: its telemetry's interval.
    """

    name: str
    scheduler: str = "slurm"
    timezone: str | None = None
    tiers: Mapping[str, str] = field(default_factory=dict)
    classes: Mapping[str, str] = field(default_factory=dict)
    scrape_seconds: int = DEFAULT_SCRAPE_SECONDS

    @property
    def zone(self) -> ZoneInfo | None:
        """The zone of naive times, if one is set."""
        return ZoneInfo(self.timezone) if self.timezone else None


def read_clusters(read: Mapping[str, Any]) -> dict[str, Cluster]:
    """Every [clusters.NAME]. Raises SettingsRefused with one line for the first thing that is wrong."""
    if not read:
        raise SettingsRefused('no cluster is named; add [clusters.NAME] with scheduler = "slurm" and its timezone')
    refuse_unfit(read, dict.fromkeys(read, dict), "clusters.")
    return {name: _cluster(name, given) for name, given in read.items()}


def zone_called(name: str, setting: str) -> str:
    """An IANA zone's name, checked."""
    if name not in available_timezones():
        raise SettingsRefused(f"{setting} is {name!r}, which is no IANA zone; write it as Europe/Amsterdam or UTC")
    return name


def _cluster(name: str, given: Mapping[str, Any]) -> Cluster:
    at = f"clusters.{name}"
    if not CLUSTER_NAME.fullmatch(name):
        raise SettingsRefused(f"cluster {name!r}: a name is of letters, digits, '.', '_' and '-', at most 100")
    kinds = {"scheduler": str, "timezone": str, "tiers": dict, "classes": dict, "scrape_seconds": int}
    refuse_unfit(given, kinds, f"{at}.")
    one_of(given.get("scheduler", "slurm"), SCHEDULERS, f"{at}.scheduler")
    for queue, tier in given.get("tiers", {}).items():
        one_of(tier, TIERS, f"{at}.tiers.{queue}")
    for queue, workload_class in given.get("classes", {}).items():
        one_of(workload_class, WORKLOAD_CLASSES, f"{at}.classes.{queue}")
    scrape_seconds = given.get("scrape_seconds", DEFAULT_SCRAPE_SECONDS)
    if not 1 <= scrape_seconds <= 3600:
        raise SettingsRefused(f"{at}.scrape_seconds is {scrape_seconds}; it must be from 1 to 3600")
    zone = given.get("timezone")
    return Cluster(
        name=name,
        scheduler=given.get("scheduler", "slurm"),
        timezone=zone_called(zone, f"{at}.timezone") if zone else None,
        tiers=given.get("tiers", {}),
        classes=given.get("classes", {}),
        scrape_seconds=scrape_seconds,
    )
