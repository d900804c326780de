"""Maps: what turns a scheduler's or an exporter's name into one that has a price, and the company's calendar.

    tiers         QOS, PriorityClass or queue of a cluster -> tier
    accelerators  product as a source spells it -> accelerator
    calendar      first month of the fiscal year, days of the weekend, holidays

Their content stands in the settings; finance signs it, and any change of it is unsigned until somebody signs again.
Billing weights are maps too, and stand in the rate card, which is signed as a whole. Source: docs/decisions/0031.
Not here: what a map does (chargeback/usage, chargeback/working_days.py), where it is written.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import polars as pl

from chargeback.billing_period import BillingPeriod
from chargeback.contracts.maps import MAPS
from chargeback.signatures.canonical import canonical_json, content_sha256
from chargeback.signatures.fields import spelled
from chargeback.signatures.judgement import Approvable, Counted, LandedRecord, judge
from chargeback.signatures.keyring import Keyring
from chargeback.signatures.keyring_chain import KeyringRefused

KIND = "map"
TIERS, ACCELERATORS, CALENDAR = NAMES = ("tiers", "accelerators", "calendar")
SHOWN_REASONS = 3


@dataclass(frozen=True, slots=True)
class NamedMap:
    """One map: `entries` is a tree of texts, as canonical JSON has it."""

    name: str
    entries: Mapping[str, object]

    @property
    def content(self) -> str:
        """Its canonical spelling, of which the hash is signed."""
        return canonical_json(self.entries).decode()

    @property
    def content_sha256(self) -> str:
        """What a record approves."""
        return content_sha256(self.entries)

    @property
    def entry_count(self) -> int:
        """Names that it maps, in all clusters."""
        return sum(len(entry) if isinstance(entry, Mapping | list | tuple) else 1 for entry in self.entries.values())

    def approvable(self, *, prepared_by: str) -> Approvable:
        """What is signed: `prepared_by` is whom the record names, since settings name nobody."""
        return Approvable(KIND, self.name, self.content_sha256, prepared_by)


def maps_of_month(
    maps: Sequence[NamedMap],
    records: Sequence[LandedRecord],
    *,
    keyring: Keyring | KeyringRefused | None,
    period: BillingPeriod,
) -> pl.DataFrame:
    """contracts.maps of a month, in order of map.

    Input:   the maps of the settings; every landed record; the keyring (None: nothing is pinned, so nothing counts).
    Output:  a map without an entry has no row as long as nobody ever signed one of its name: emptied after that, it
             is another map and has to be signed like any. An approval must hold to the month's end, and holds until
             another content of that map is approved; of several that count the first is named.
    """
    rows = []
    for each in sorted(maps, key=lambda each: each.name):
        if is_nothing_to_sign(each, records):
            continue
        is_signed, signature = _verdict(each, records, keyring=keyring, period=period)
        rows.append(
            (period.month, each.name, each.content, each.content_sha256, each.entry_count, is_signed, signature)
        )
    return pl.DataFrame(rows, schema=MAPS.schema, orient="row")


def entries_of(rows: pl.DataFrame, name: str) -> dict[str, Any]:
    """What the map of that name says in contracts.maps of one month; one that is not there is empty."""
    contents = dict(rows.select("map", "content").iter_rows())
    entries: dict[str, Any] = json.loads(contents.get(name, "{}"))
    return entries


def records_about(maps: Sequence[NamedMap], records: Sequence[LandedRecord]) -> list[LandedRecord]:
    """The records of these maps by name, by time of landing, then key."""
    names = {each.name for each in maps}
    about = [each for each in records if each.signed.record.kind == KIND and each.signed.record.subject in names]
    return sorted(about, key=lambda each: (each.landed_at, each.object_key))


def is_nothing_to_sign(of: NamedMap, records: Sequence[LandedRecord]) -> bool:
    """Whether a map is empty and always was, as far as signatures tell."""
    return not of.entry_count and not any(each.signed.signature for each in records_about([of], records))


def unsigned_maps(rows: pl.DataFrame, *, mode: str) -> list[tuple[str, str, str]]:
    """Findings (map, expected, observed) against maps by which nothing may be sent; none in a parallel month.

    Input: contracts.maps of one month. Asked by the gate, and again by the sending.
    """
    if mode == "parallel":
        return []
    found = rows.filter(~pl.col("is_signed")).select("map", "signature").sort("map")
    return [(f"map {name}", "a signature that counts", signature) for name, signature in found.iter_rows()]


def _verdict(
    of: NamedMap,
    records: Sequence[LandedRecord],
    *,
    keyring: Keyring | KeyringRefused | None,
    period: BillingPeriod,
) -> tuple[bool, str]:
    if keyring is None:
        return False, "unsigned: no [signing] trust_root is set, so no signature counts"
    if isinstance(keyring, KeyringRefused):
        return False, f"unsigned: no keyring is in force: {'; '.join(keyring.reasons[:SHOWN_REASONS])}"
    reasons: list[str] = []
    approval: Counted | None = None
    for landed in sorted(records_about([of], records), key=lambda each: _signed_at(each, of)):
        record = landed.signed.record
        thing = of.approvable(prepared_by=record.prepared_by)
        judged = judge(landed, thing, keyring=keyring, holds_until=period.interval.end)
        if isinstance(judged, Counted):
            approval = approval or judged
            continue
        reasons += judged
        itself = Approvable(KIND, of.name, record.content_sha256, record.prepared_by)
        if approval and isinstance(judge(landed, itself, keyring=keyring, holds_until=period.interval.end), Counted):
            reasons.insert(0, f"superseded: another content was approved at {spelled(record.at)}, after this one")
            approval = None
    if approval:
        return True, f"signed: {approval.told()}"
    told = "; ".join(reasons[:SHOWN_REASONS]) or f"no record of approvals/ approves the map {of.name}"
    more = f" (and {len(reasons) - SHOWN_REASONS} more)" if len(reasons) > SHOWN_REASONS else ""
    return False, f"unsigned: {told}{more}"


def _signed_at(landed: LandedRecord, of: NamedMap) -> tuple[datetime, bool]:
    """By the time that is signed, not by landing: an old approval that lands once more is no newer.

    Of two in one second the one of another content is taken for the later: then neither counts.
    """
    record = landed.signed.record
    return record.at or datetime.min.replace(tzinfo=UTC), record.content_sha256 != of.content_sha256
