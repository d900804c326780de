"""Checks of published."""

from chargeback.contracts.published import PUBLISHED
from checks.gate import Check, Outcome, Reading, findings_of
from resources.object_store import ObjectMissing


def missing_or_altered_documents(reading: Reading) -> Outcome:
    """Published documents that are gone, or whose bytes are not those that were let out."""
    rows = reading.table(PUBLISHED).select("object", "sha256").collect()
    told = []
    for key, sha256 in rows.iter_rows():
        try:
            now = reading.landing.sha256_of(key)
        except ObjectMissing:
            now = "nothing"
        if now != sha256:
            told.append((key, f"sha256 {sha256}", now))
    return Outcome(findings_of(told), {"documents": len(rows)})


CHECKS = (
    Check("published_intact", PUBLISHED, "Every published document has the bytes that were let out.",
          missing_or_altered_documents, stops="run"),
)  # fmt: skip
