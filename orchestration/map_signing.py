"""`chargeback map sign`: finance approves what a map of the settings says, and the approval lands.

Not here: what a map is (chargeback/signatures/maps.py), whether an approval counts for a month (people_objects.py).
"""

from pathlib import Path

from rich.console import Console

from chargeback.signatures.fields import Unreadable, read_instant
from chargeback.signatures.judgement import LandedRecord
from chargeback.signatures.maps import KIND, NAMES, NamedMap, is_nothing_to_sign
from chargeback.signatures.record import Record, SignedRecord
from orchestration.key_signing import signed_with
from orchestration.local_files import write_file
from orchestration.signing_desk import Desk, desk_of
from resources.lake_binding import bind_lake
from resources.open_store import store_at
from resources.people_objects import PeopleRefused
from resources.setting_kinds import SettingsRefused, one_of
from resources.settings import Settings


def sign_map(
    name: str, *, by: str, reason: str, key: Path | None, until: str | None, draft: Path | None, config: Path | None
) -> None:
    """Sign and land the approval of a map as it is now, or write the draft that somebody else signs.

    Raises  SettingsRefused, PeopleRefused with every reason why it would not count.
    """
    desk = desk_of(config)
    chosen = map_called(name, desk.settings)
    if is_nothing_to_sign(chosen, _landed_records(desk)):
        raise SettingsRefused(f"the map {name} is empty: there is nothing to sign")
    if (key is None) == (draft is None):
        raise SettingsRefused("say either who signs, --key FILE, or where the draft shall stand, --draft FILE")
    try:
        ends = read_instant(until, "--until") if until else None
        record = Record(KIND, name, chosen.content_sha256, by.strip(), reason.strip(), until=ends)
    except Unreadable as fault:
        raise SettingsRefused(str(fault)) from None
    if not record.prepared_by or not record.reason:
        raise SettingsRefused("say who prepared the map and why it is right: --by NAME --reason TEXT")
    console = Console(soft_wrap=True, highlight=False)
    if draft is not None:
        write_file(draft, SignedRecord(record).content())
        console.print(
            f"draft of {record.told()} in {draft}; next: chargeback key sign {draft} --key FILE", markup=False
        )
    if key is not None:
        signed = signed_with(record, desk=desk, key=key, name=f"map {name}")
        bind_lake(store_at(desk.settings.location), desk.settings)
        landed = desk.landing.land(
            signed.content(), source="approvals", cluster=None, extracted_at=desk.now, extension="json"
        )
        console.print(f"{signed.record.told()} landed as {landed.key}", markup=False)


def _landed_records(desk: Desk) -> list[LandedRecord]:
    try:
        return desk.people.signed.records()[0]
    except Unreadable as fault:
        raise PeopleRefused((str(fault),)) from None


def map_called(name: str, settings: Settings) -> NamedMap:
    """A map of the settings. Raises SettingsRefused, naming the known ones."""
    one_of(name, NAMES, "map")
    return next(each for each in settings.maps if each.name == name)
