"""chargeback.toml: the only file read when definitions load. Without one, the demo's settings hold.

An unknown, missing or impossible setting is one clear line. Not here: what the settings do (the rules take them as
parameters) and what of them a lake is bound to (lake_binding.py).
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from chargeback.money import Currency
from chargeback.signatures.maps import ACCELERATORS, CALENDAR, TIERS, NamedMap
from chargeback.simulation.demo_people import DEMO_ACCELERATORS, DEMO_TIERS
from chargeback.simulation.estate_plan import BILLING_ZONE, KUBERNETES, SLURM
from chargeback.simulation.pod_run import TIERS as PRIORITY_TIERS
from chargeback.simulation.simulate import SCRAPE_SECONDS
from chargeback.simulation.slurm_run import TIERS as QOS_TIERS
from resources.calendar_settings import Calendar, read_calendar
from resources.cluster_settings import Cluster, read_clusters, zone_called
from resources.correction_settings import Corrections, read_corrections
from resources.enforcement_settings import Enforcement, read_enforcement
from resources.focus_settings import Focus, read_focus
from resources.journal_settings import Journal
from resources.month_end_settings import MonthEnd, read_month_end
from resources.notice_settings import Notices, read_notices
from resources.operation_settings import Automation, Events, Instance, read_automation, read_events, read_instance
from resources.policy_settings import Policies, read_policies
from resources.posting_settings import Posting, read_posting
from resources.recovery_settings import Recovery, read_recovery
from resources.setting_kinds import SettingsRefused, one_of, refuse_unfit
from resources.signing_settings import Signing, read_signing
from resources.storage_location import StorageLocation

SETTINGS_FILE = "chargeback.toml"
SETTINGS_VARIABLE = "CHARGEBACK_TOML"
SECTIONS = (
    *("lake", "billing", "clusters", "accelerators", "policies", "journal"),
    *("events", "automation", "instance", "focus", "recovery", "signing", "corrections", "calendar"),
    *("posting", "enforcement", "month_end", "notices"),
)
LAKE_KINDS = {
    **dict.fromkeys(("root", "endpoint_url", "region", "home", "encryption", "kms_key_id"), str),
    **dict.fromkeys(("path_style", "allow_http"), bool),
    "lock_days": int,
}
DEFAULT_CONTACT = "the GPU platform team"
MODE_DECIDES = ("rate_card_signed", "maps_signed")
"""Checks that refuse in enforced mode what a parallel month may show: their evidence is of one mode."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one lake."""

    location: StorageLocation
    home: Path
    timezone: str
    currency_code: str
    first_day: date
    clusters: Mapping[str, Cluster]
    accelerators: Mapping[str, str]
    mode: str = "parallel"
    contact: str = DEFAULT_CONTACT
    policies: Policies = Policies()
    journal: Journal = field(default_factory=Journal)
    focus: Focus = Focus()
    recovery: Recovery = Recovery()
    events: Events = Events()
    automation: Automation = Automation()
    instance: Instance = Instance()
    signing: Signing = Signing()
    corrections: Corrections = Corrections()
    calendar: Calendar = Calendar()
    posting: Posting = field(default_factory=Posting)
    enforcement: Enforcement = field(default_factory=Enforcement)
    month_end: MonthEnd = field(default_factory=MonthEnd)
    notices: Notices = field(default_factory=Notices)
    is_demo: bool = False

    @property
    def zone(self) -> ZoneInfo:
        """The billing zone, in which days and months begin."""
        return ZoneInfo(self.timezone)

    @property
    def currency(self) -> Currency:
        """The one currency of the lake."""
        return Currency(self.currency_code)

    def cluster(self, name: str) -> Cluster:
        """A cluster by name. Raises SettingsRefused, naming the known ones."""
        if name not in self.clusters:
            raise SettingsRefused(
                f"cluster {name!r} is not in {SETTINGS_FILE}; known: {', '.join(sorted(self.clusters)) or 'none'}. "
                f"Add [clusters.{name}] with its scheduler and timezone"
            )
        return self.clusters[name]

    def staleness_seconds(self, cluster: str) -> int:
        """How long a sample of that cluster's telemetry can hold: `staleness_scrapes` of its scrape intervals."""
        return self.policies.staleness_scrapes * self.cluster(cluster).scrape_seconds

    def usage_policies(self) -> dict[str, str]:
        """The policies by which days are made and judged. No term of a month: a new holiday is no other usage."""
        return _printed({name: getattr(self.policies, name) for name in Policies.__slots__})

    def printed_policies(self) -> dict[str, str]:
        """The policies as statements print them: every choice of money or terms, each with its setting's name."""
        terms = {f"corrections.{name}": getattr(self.corrections, name) for name in Corrections.__slots__}
        terms |= {f"calendar.{name}": getattr(self.calendar, name) for name in Calendar.__slots__}
        terms |= {f"month_end.{name}": getattr(self.month_end, name) for name in MonthEnd.__slots__}
        return self.usage_policies() | _printed(terms)

    @property
    def maps(self) -> tuple[NamedMap, ...]:
        """What these settings map, as finance signs it; a cluster without tiers has none."""
        tiers = {name: dict(of.tiers) for name, of in self.clusters.items() if of.tiers}
        return (
            NamedMap(TIERS, tiers),
            NamedMap(ACCELERATORS, dict(self.accelerators)),
            NamedMap(CALENDAR, self.calendar.entries),
        )

    def judged_under(self, check: str) -> dict[str, str]:
        """What a check's outcome depends on beside contents and code: the policies, and the mode where that decides."""
        return self.usage_policies() | ({"mode": self.mode} if check in MODE_DECIDES else {})


def _printed(chosen: Mapping[str, object]) -> dict[str, str]:
    return {
        name: ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
        for name, value in chosen.items()
    }


def demo_settings(folder: Path) -> Settings:
    """The embedded defaults: a real Slurm cluster's records and a simulated estate of two clusters, in October 2026."""
    return Settings(
        location=StorageLocation(root=str(folder / "demo" / "lake")),
        home=folder / "demo" / "dagster",
        timezone="Europe/Amsterdam",
        currency_code="EUR",
        first_day=date(2026, 10, 1),
        clusters={
            "gpuc": Cluster(name="gpuc", timezone="UTC", tiers=DEMO_TIERS),
            SLURM: Cluster(name=SLURM, timezone=BILLING_ZONE, tiers=QOS_TIERS, scrape_seconds=SCRAPE_SECONDS),
            KUBERNETES: Cluster(KUBERNETES, "kubernetes", tiers=PRIORITY_TIERS, scrape_seconds=SCRAPE_SECONDS),
        },
        accelerators=DEMO_ACCELERATORS,
        policies=Policies(quarantine_limit=1),
        posting=Posting(system="hledger"),
        automation=Automation(enabled=False),  # a month that is over: the UI shall not bill all days since
        is_demo=True,
    )


def has_settings(path: Path | None = None) -> bool:
    """Whether there are settings of somebody's own to load: a path given, one in $CHARGEBACK_TOML, or here."""
    return path is not None or SETTINGS_VARIABLE in os.environ or Path(SETTINGS_FILE).exists()


def load_settings(path: Path | None = None) -> Settings:
    """Read chargeback.toml: the path given, else the one in $CHARGEBACK_TOML, else in this folder, else the demo's.

    Raises SettingsRefused with one line for the first thing that is wrong.
    """
    chosen = path or Path(os.environ.get(SETTINGS_VARIABLE, SETTINGS_FILE))
    if not chosen.exists():
        if has_settings(path):
            raise SettingsRefused(f"{chosen} does not exist; write one with: chargeback init")
        return demo_settings(Path.cwd())
    try:
        read = tomllib.loads(chosen.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsRefused(f"{chosen} is not TOML: {error}") from error
    return read_settings(read, folder=chosen.resolve().parent)


def read_settings(read: Mapping[str, Any], *, folder: Path) -> Settings:
    """Settings from a parsed chargeback.toml that lies in `folder`. Raises SettingsRefused."""
    refuse_unfit(read, dict.fromkeys(SECTIONS, dict), "")
    lake = _section(read, "lake", LAKE_KINDS)
    billing = _section(read, "billing", {**dict.fromkeys(("timezone", "currency", "mode", "contact"), str),
                                         "first_day": date})  # fmt: skip
    if "first_day" not in billing:
        raise SettingsRefused("setting billing.first_day is missing; add it to [billing]: first_day = 2026-10-01")
    accelerators = read.get("accelerators", {})
    refuse_unfit(accelerators, dict.fromkeys(accelerators, str), "accelerators.")
    return Settings(
        location=_location(lake, folder),
        home=folder / lake.get("home", ".dagster"),
        timezone=zone_called(billing.get("timezone", "UTC"), "billing.timezone"),
        currency_code=_currency(_required(billing, "billing", "currency")),
        first_day=billing["first_day"],
        clusters=read_clusters(read.get("clusters", {})),
        accelerators={key.lower(): value for key, value in accelerators.items()},
        mode=one_of(billing.get("mode", "parallel"), ("parallel", "enforced"), "billing.mode"),
        contact=billing.get("contact", DEFAULT_CONTACT),
        policies=read_policies(read),
        journal=Journal(**_section(read, "journal", dict.fromkeys(Journal.__slots__, str))),
        focus=read_focus(read),
        recovery=read_recovery(read),
        events=read_events(read),
        automation=read_automation(read),
        instance=read_instance(read),
        signing=read_signing(read),
        corrections=read_corrections(read),
        calendar=read_calendar(read),
        posting=read_posting(read),
        enforcement=read_enforcement(read),
        month_end=read_month_end(read),
        notices=read_notices(read),
    )


def _location(lake: Mapping[str, Any], folder: Path) -> StorageLocation:
    root = _required(lake, "lake", "root")
    try:
        return StorageLocation(
            root=root if "://" in root else str(folder / root),
            **{name: value for name, value in lake.items() if name not in ("root", "home")},
        )
    except ValueError as error:
        raise SettingsRefused(f"[lake] {error}") from error


def _section(read: Mapping[str, Any], name: str, kinds: Mapping[str, type]) -> Mapping[str, Any]:
    section: Mapping[str, Any] = read.get(name, {})
    refuse_unfit(section, kinds, f"{name}.")
    return section


def _required(section: Mapping[str, Any], name: str, key: str) -> str:
    value = section.get(key)
    if not isinstance(value, str) or not value:
        raise SettingsRefused(f"setting {name}.{key} is missing; add it to [{name}]")
    return value


def _currency(code: str) -> str:
    try:
        return Currency(code).code
    except ValueError as error:
        raise SettingsRefused(f"billing.currency: {error}") from error
