"""An approval made by a command: the draft written to a file, or signed and landed in one go.

Not here: what is approved, and whether it counts (chargeback/signatures/).
"""

from datetime import datetime
from pathlib import Path

from rich.console import Console

from chargeback.signatures.judgement import Approvable
from chargeback.signatures.record import Record, SignedRecord
from orchestration.key_signing import signed_with
from orchestration.local_files import write_file
from orchestration.signing_desk import Desk
from resources.lake_binding import bind_lake
from resources.open_store import store_at
from resources.setting_kinds import SettingsRefused


def approve(
    thing: Approvable,
    *,
    by: str | None,
    reason: str | None,
    key: Path | None,
    draft: Path | None,
    until: datetime | None = None,
    desk: Desk,
    console: Console,
) -> None:
    """Write the draft of an approval, or sign it and land it. The preparer is `by`.

    Raises  SettingsRefused without a preparer or reason, or with neither or both ways; PeopleRefused with every reason
            why the signature would not count.
    """
    if (key is None) == (draft is None):
        raise SettingsRefused("say either who signs, --key FILE, or where the draft shall stand, --draft FILE")
    if not (by or "").strip() or not (reason or "").strip():
        raise SettingsRefused(f"say who prepared the {thing.kind} and why it is right: --by NAME --reason TEXT")
    record = Record(thing.kind, thing.subject, thing.content_sha256, str(by).strip(), str(reason).strip(), until=until)
    if draft is not None:
        write_file(draft, SignedRecord(record).content())
        told = f"draft of {record.told()} in {draft}; next: chargeback key sign {draft} --key FILE"
        console.print(told, markup=False)
        return
    if key is not None:
        signed = signed_with(record, desk=desk, key=key, name=f"{thing.kind} {thing.subject}")
        bind_lake(store_at(desk.settings.location), desk.settings)
        landed = desk.landing.land(
            signed.content(), source="approvals", cluster=None, extracted_at=desk.now, extension="json"
        )
        console.print(f"{signed.record.told()} landed as {landed.key}", markup=False)
