"""Reads what DCGM telemetry says."""

from zoneinfo import ZoneInfo

from chargeback.usage.extract import ParsedExtract, UnreadableExtract


def parse_dcgm(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:  # noqa: ARG001
    """Read one object."""
    raise UnreadableExtract(f"what DCGM telemetry says of {cluster} cannot be read yet")
