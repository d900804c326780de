"""Objects read before anybody asks what they touch: an answer needs all objects of a source, and a tick has an end.

What was read stays beside the lake, so a storm of objects is read over as many ticks as it takes. Not here: reading
(resources/observations.py).
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from orchestration.workspace import Workspace
from resources.landing import LandedObject, ObjectCorrupted
from resources.object_store import ObjectMissing
from resources.parsers import daily_sources_of

READ_AT_ONCE = 8
READ_BEFORE_LOOKING_AT_THE_CLOCK = 64
LARGEST_READ_AT_ONCE_BYTES = 4 * 1024**2
"""A larger object is read alone, so that memory is bounded by one."""


class ReadAhead:
    """What one open lake has read."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._read: set[str] = set()

    def complete(self, arrived: Sequence[LandedObject], *, has_time: Callable[[], bool]) -> bool:
        """Read all objects of the arrived ones' sources; False if the time was over before that."""
        for source, cluster in sorted({(each.source, each.cluster) for each in arrived if each.cluster}):
            known = self._workspace.settings.clusters.get(cluster)
            if known is None or source not in daily_sources_of(known.scheduler):
                continue
            objects = self._workspace.landing.objects(source, cluster)
            unread = [each for each in objects if each.key not in self._read]
            small = [each for each in unread if each.size <= LARGEST_READ_AT_ONCE_BYTES]
            for start in range(0, len(small), READ_BEFORE_LOOKING_AT_THE_CLOCK):
                if start and not has_time():  # something is read in every look, however little time is left
                    return False
                self._read_together(small[start : start + READ_BEFORE_LOOKING_AT_THE_CLOCK])
            for large in (each for each in unread if each.size > LARGEST_READ_AT_ONCE_BYTES):
                if not has_time():
                    return False
                self._read_one(large)
        return True

    def _read_together(self, objects: Sequence[LandedObject]) -> None:
        if len(objects) == 1:
            return self._read_one(objects[0])
        with ThreadPoolExecutor(READ_AT_ONCE) as threads:
            list(threads.map(self._read_one, objects))
        return None

    def _read_one(self, landed: LandedObject) -> None:
        with suppress(ObjectCorrupted, ObjectMissing):  # told by whoever asks about it
            self._workspace.observations.read(landed)
        self._read.add(landed.key)
