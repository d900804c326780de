"""Records of what was set aside from the inbox, read back. Not here: setting aside (inbox.py)."""

from dataclasses import dataclass
from datetime import datetime

from resources.kept_records import NO_RECORD, record_in, text_in
from resources.object_store import StoredObject

NOT_OURS = (
    "is no record that this software wrote, or it was damaged: look into it, and delete it when nobody needs it; the "
    "other records do not suffer"
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The record of an object that was set aside; what is no such record stands for itself, and says so."""

    dropped_at: datetime
    key: str
    size: int
    reason: str
    kept_as: str


def refusal_in(stored: StoredObject, content: bytes) -> Refusal:
    """What an object below incoming-refused/ that should be a record says."""
    try:
        said = record_in(content)
        return Refusal(
            datetime.fromisoformat(text_in(said, "dropped_at")),
            text_in(said, "key"),
            int(said["size"]),
            text_in(said, "reason"),
            text_in(said, "kept_as"),
        )
    except NO_RECORD:
        return Refusal(stored.modified_at, stored.key, stored.size, NOT_OURS, stored.key)
