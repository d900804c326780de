"""incoming/: files of any name are recognised and filed in landing/, or set aside with the reason.

What is filed stands in landing before it is taken away, so a crash at any point changes nothing: the same bytes land
once. Not here: how a file is recognised (inbox_origin.py), the command (inbox_table.py).
"""

from contextlib import suppress
from datetime import datetime

from orchestration.inbox_origin import NotFiled, origin_of
from orchestration.workspace import Workspace
from resources.inbox import Filed, Inbox, SetAside, Waiting
from resources.landing import LandedObject, ObjectCorrupted
from resources.object_names import key_fault
from resources.object_store import ObjectMissing, StoredObject
from resources.store_failures import StoreSilent

MOST_SILENT = 3
"""Objects in one look that the store lists and does not give whole, before it is taken for broken."""

CHANGED = "was changed while it was read"


def inbox_of(workspace: Workspace) -> Inbox:
    """The inbox beside a lake's landing."""
    location = workspace.settings.location
    return Inbox(workspace.store, directory=None if location.is_s3 else location.directory)


def file_incoming(workspace: Workspace, *, now: datetime, most: int) -> Filed:
    """File what lies in incoming/, at most `most` objects of it, the oldest first.

    May run in several processes at once. Nothing is raised for what others dropped.
    Raises  StoreFailure: what was filed before it stands, the rest is found next time.
    """
    inbox = inbox_of(workspace)
    ready, waiting = inbox.look(now)
    landed: list[LandedObject] = []
    set_aside: list[SetAside] = []
    for each, what in inbox.dangerous():
        with suppress(ObjectMissing):  # somebody took it away
            if not inbox.is_known(each):
                set_aside.append(inbox.set_aside(each, what))
    ready = [each for each in ready if not inbox.is_known(each)]
    silent = 0
    for dropped in ready[:most]:
        try:
            outcome = _file(dropped, inbox, workspace, now)
        except ObjectMissing:  # another process was faster, or it was replaced: the next look sees what is there
            continue
        except StoreSilent as failure:
            silent += 1
            if silent == MOST_SILENT:
                raise
            outcome = Waiting(dropped.key, str(failure))
        if isinstance(outcome, LandedObject):
            landed.append(outcome)
        elif isinstance(outcome, SetAside):
            set_aside.append(outcome)
        else:
            waiting.append(outcome)
    return Filed(tuple(landed), tuple(set_aside), tuple(waiting), left=max(0, len(ready) - most))


def _file(
    dropped: StoredObject, inbox: Inbox, workspace: Workspace, now: datetime
) -> LandedObject | SetAside | Waiting:
    if fault := key_fault(dropped.key):
        return inbox.set_aside(dropped, fault)
    largest = workspace.settings.events.largest_incoming_mib * 1024**2
    if dropped.size > largest:
        return inbox.set_aside(dropped, f"is {dropped.size} bytes long; at most {largest} are taken: drop it in parts")
    content = inbox.content(dropped)
    if content is None:
        return Waiting(dropped.key, CHANGED)
    try:
        origin = origin_of(dropped, content, workspace.settings, now=now, largest_bytes=largest)
    except NotFiled as refused:
        return inbox.set_aside(dropped, str(refused), content=content)
    if origin.source == "keyrings" and (
        faults := workspace.people.signed.faults_of_keyring(content, name=dropped.key, at=origin.extracted_at)
    ):
        return inbox.set_aside(dropped, "; ".join(faults), content=content)
    try:
        landed = workspace.landing.land(
            content,
            source=origin.source,
            cluster=origin.cluster,
            extracted_at=origin.extracted_at,
            extension=origin.extension,
        )
    except ObjectCorrupted as damaged:
        return Waiting(dropped.key, f"has the bytes of an object of landing that was damaged: {damaged}")
    inbox.take_away(dropped)
    return landed
