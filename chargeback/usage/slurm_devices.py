"""Reads device maps."""

from zoneinfo import ZoneInfo

from chargeback.usage.extract import ParsedExtract, UnreadableExtract


def parse_device_map(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:  # noqa: ARG001
    """Read one object."""
    raise UnreadableExtract(f"device maps of {cluster} cannot be read yet")
