"""Reads claims."""

from zoneinfo import ZoneInfo

from chargeback.usage.extract import ParsedExtract, UnreadableExtract


def parse_claims(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:  # noqa: ARG001
    """Read one object."""
    raise UnreadableExtract(f"claims of {cluster} cannot be read yet")
