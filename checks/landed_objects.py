"""Checks of landed_objects."""

from chargeback.contracts.landed_objects import LANDED_OBJECTS
from checks.gate import Check, Outcome, Reading, findings_of
from resources.object_store import ObjectMissing


def altered_objects(reading: Reading) -> Outcome:
    """Landing objects that are gone, or whose bytes are not those that were read: landing is immutable."""
    rows = reading.table(LANDED_OBJECTS).select("object", "sha256").unique().sort("object").collect()
    altered = []
    for key, sha256 in rows.iter_rows():
        try:
            now = f"sha256 {reading.landing.sha256_of(key)}"
        except ObjectMissing:
            now = "nothing: it was removed; restore it from the source"
        if now != f"sha256 {sha256}":
            altered.append((key, f"sha256 {sha256}", now))
    return Outcome(findings_of(altered), {"objects": len(rows)})


CHECKS = (
    Check("landed_objects_unchanged", LANDED_OBJECTS, "Every landing object still has the bytes that were read.",
          altered_objects, stops="run"),
)  # fmt: skip
