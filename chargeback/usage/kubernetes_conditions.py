"""Conditions of a Kubernetes object: what became true or false, and when. Not here: what follows from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from chargeback.usage.kubernetes_fields import entries, instant, text


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: `True`, `False` or `Unknown` since an instant, for a reason."""

    status: str | None = None
    since: datetime | None = None
    reason: str | None = None

    @property
    def became_true(self) -> datetime | None:
        """Since when it is true; None if it is not, or nobody says since when."""
        return self.since if self.status == "True" else None


UNSAID = Condition()
"""A condition that the object does not have."""


def conditions_of(status: Mapping[str, Any]) -> dict[str, Condition]:
    """status.conditions by type; of two of one type the last counts. Raises ValueError if they are unreadable."""
    return {
        str(text(each, "type")): Condition(
            text(each, "status"), instant(each, "lastTransitionTime"), text(each, "reason")
        )
        for each in entries(status, "conditions")
    }
