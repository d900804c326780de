"""Columns that stand in many tables: same name, same quantity, same unit, everywhere."""

import polars as pl

from chargeback.contracts.contract import INSTANT, Column
from chargeback.contracts.names import USAGE_KINDS

CLUSTER = Column("cluster", pl.String(), "one scheduler domain, as named in the settings")
DAY = Column("day", pl.String(), "local day of the billing calendar, 2026-10-05")
MONTH = Column("month", pl.String(), "billing month, 2026-10")
HOUR_START = Column("hour_start", INSTANT, "start of the hour: local midnight + k x 3600 s, in UTC", "instant")
RUN = Column(
    "run",
    pl.String(),
    "one attempt of a workload: JobIDRaw@Start for Slurm (never started: @Submit), the pod's UID for Kubernetes",
)
HOST = Column("host", pl.String(), "host name; a folded set (gpu[01-02]) where a count could not be split over hosts")
ACCELERATOR = Column(
    "accelerator", pl.String(), "what is priced: h100-sxm5-80gb, a100-sxm4-80gb:3g.40gb; the gres type until mapped"
)
SHARING = Column(
    "sharing",
    pl.String(),
    "how the GPU is shared: not, by MIG, Slurm shards or MPS, device-plugin replicas, KAI or Run:ai fraction, HAMi or "
    "Volcano vGPU",
    values=("whole", "mig", "shard", "mps", "time-slice", "fraction", "vgpu"),
)
UNITS_PER_GPU = Column(
    "units_per_gpu", pl.Int64(), "units that one physical GPU has; the denominator", "units", minimum=1
)
TIER = Column("tier", pl.String(), "standard, preemptible or reserved", values=("standard", "preemptible", "reserved"))
CURRENCY = Column("currency", pl.String(), "ISO 4217 code; one a lake")
OBJECT = Column("object", pl.String(), "key of the landing object that says so")
LINE = Column("line", pl.Int64(), "line in that object where the record begins; the record's number in JSON", minimum=1)
EXTRACTED_AT = Column("extracted_at", INSTANT, "when the object was extracted from its source", "instant")
TEAM = Column("team", pl.String(), "team that is charged; `unattributed` if nobody is known")
COST_CENTRE = Column("cost_centre", pl.String(), "cost centre; empty for unattributed")
PROJECT = Column("project", pl.String(), "project; empty for unattributed")
COMPANY = Column("company", pl.String(), "company whose books carry it; empty for unattributed")
CUSTOMER_CLASS = Column(
    "customer_class", pl.String(), "class of the card whose prices the owner pays; empty: the prices that are stated"
)
QUANTITY_UNIT = Column("quantity_unit", pl.String(), "what is counted", values=("GPU-second", "slice-second"))
CARD_VERSION = Column("card_version", pl.String(), "version of the rate card", nullable=True)
KIND = Column(
    "kind",
    pl.String(),
    "allocation; reserved-unused; what is forgiven of either, a line of its own; platform-operations, on no line",
    values=USAGE_KINDS,
)


def source_text(name: str, meaning: str) -> Column:
    """A column of a raw table in the source's own spelling: text, null where the source has no such field."""
    return Column(name, pl.String(), meaning, nullable=True)


def source_instant(name: str, meaning: str) -> Column:
    """An instant in a raw table, null where the source does not say."""
    return Column(name, INSTANT, meaning, "instant", nullable=True)
