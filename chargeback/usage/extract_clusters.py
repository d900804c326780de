"""Which clusters an extract itself names. Not here: which one it belongs to (that takes the settings)."""

from zoneinfo import ZoneInfo

from chargeback.usage import extract_kinds
from chargeback.usage.inspect_sacct import parse_sacct
from chargeback.usage.sacctmgr_text import read_table

_TABLES = {
    extract_kinds.EVENTS: ("event", ("nodename", "timestart", "timeend", "state")),
    extract_kinds.RESERVATIONS: ("reservation", ("name", "timestart", "timeend")),
}


def clusters_named_in(source: str, content: bytes) -> frozenset[str]:
    """Names in the `Cluster` column of what Slurm's accounting prints; nothing where a source names none.

    Raises  UnreadableExtract if it cannot be read as that source.
    """
    if source == extract_kinds.SACCT:
        named = parse_sacct(content, cluster="", zone=ZoneInfo("UTC"), fields=None).frame["cluster"]
    elif source in _TABLES:
        what, wanted = _TABLES[source]
        frame = read_table(content, what=what, wanted=wanted).frame
        if "cluster" not in frame.columns:
            return frozenset()
        named = frame["cluster"].str.strip_chars()
    else:
        return frozenset()
    return frozenset(named.drop_nulls().unique()) - {""}
