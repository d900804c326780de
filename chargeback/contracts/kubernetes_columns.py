"""Columns that raw tables of Kubernetes objects have in common, in the API's spelling."""

import polars as pl

from chargeback.contracts.common_columns import source_instant, source_text
from chargeback.contracts.contract import INSTANT, Column

UID = Column("uid", pl.String(), "metadata.uid")
NAMESPACE = Column("namespace", pl.String(), "metadata.namespace")
LABELS = Column("labels", pl.String(), "metadata.labels as JSON with sorted keys")
OWNER = (
    source_text("ownerKind", "kind of the controlling owner"),
    source_text("ownerName", "name of the controlling owner"),
    source_text("ownerUid", "uid of the controlling owner"),
)
CREATED = source_instant("creationTimestamp", "metadata.creationTimestamp")
LAST_SEEN = Column("lastSeen", INSTANT, "last instant until the day's end at which it existed", "instant")
MISSING_FROM = source_instant("missingFrom", "first full listing of its kind after that without it")
