"""GPU telemetry in whatever form it was kept: which of the formats an object has, by its content.

Not here: the formats, the names (dcgm_names.py) and the units (dcgm_values.py).
"""

from zoneinfo import ZoneInfo

from chargeback.usage.dcgm_exposition import parse_exposition
from chargeback.usage.dcgm_matrix import parse_answer
from chargeback.usage.dcgm_parquet import parse_parquet
from chargeback.usage.extract import ParsedExtract

_PARQUET = b"PAR1"
_JSON = (b"{", b"[")


def parse_dcgm(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:  # noqa: ARG001
    """Read one object: an answer of the Prometheus API, what an exporter printed, or Parquet.

    Output:  dcgm_rows.SERIES_COLUMNS; a record is a series of the object, a line of an exporter's text. Series of
             metrics that are not read count as `steps_ignored`.
    Raises:  UnreadableExtract for anything else. Telemetry has instants, so `zone` is not needed.
    """
    if content.startswith(_PARQUET):
        return parse_parquet(content, cluster=cluster)
    text = content.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(_JSON):
        return parse_answer(text, cluster=cluster)
    return parse_exposition(content, cluster=cluster)
