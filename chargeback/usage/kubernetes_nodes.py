"""Reads nodes."""

from zoneinfo import ZoneInfo

from chargeback.usage.extract import ParsedExtract, UnreadableExtract


def parse_kubernetes_nodes(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:  # noqa: ARG001
    """Read one object."""
    raise UnreadableExtract(f"nodes of {cluster} cannot be read yet")
