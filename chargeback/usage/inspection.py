"""The answer of an inspection: what a file is, what it would bill and what is wrong with it.

Not here: how it is found (inspect_extract.py), and how it is shown on a terminal.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from fractions import Fraction

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.contract import INSTANT
from chargeback.usage.extract import Quarantined

ALL_TIME = Interval(datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC))
PLACE = {"object": pl.lit(""), "extracted_at": pl.lit(ALL_TIME.start).cast(INSTANT)}
"""Where and when the records of a file that was not landed stand."""

UNKNOWN = "unknown"
HOLDING = "holding"

NEVER_STARTED = "never started"
NO_TIME = "held for no time"
NO_GPUS = "no GPUs"
BILLS_NOTHING = "bills nothing by itself"


@dataclass(frozen=True, slots=True)
class Telemetry:
    """What device telemetry says. Times are milliseconds over all devices; `expected` is from a device's first sample
    to its last, `observed` the part in which a sample of its activity held. All are zero for a single scrape.

    `activity_metrics` and `labelled` count devices: by the metric that says how busy they are ("none" if there is
    none), and by the kind of workload label that they carry. `faults` count values that are not believed.
    """

    devices: int
    slices: int
    hosts: int
    samples: int
    seen_from: datetime | None
    seen_until: datetime | None
    scrape_seconds: int | None
    observed_milliseconds: int
    active_milliseconds: int
    expected_milliseconds: int
    activity_metrics: Mapping[str, int]
    labelled: Mapping[str, int]
    faults: Mapping[str, int]

    def as_json(self) -> dict[str, object]:
        """For scripts; instants as 2026-10-05T01:00:00Z."""
        instants = {name: _spelled(getattr(self, name)) for name in ("seen_from", "seen_until")}
        return {**asdict(self), **instants}


def _spelled(instant: datetime | None) -> str | None:
    return instant.isoformat().replace("+00:00", "Z") if instant else None


@dataclass(frozen=True, slots=True)
class Inspection:
    """The answer. records = ignored + quarantined + unknown_gpu_count + holds, always. Sums are physical GPU-seconds.

    `unknown_gpu_count` and `running` are (job id, seconds); the account of a pod is its namespace. `telemetry` is there
    for telemetry only; `problem` is one line where the file cannot be read.
    """

    name: str
    source: str
    records: int
    ignored: Mapping[str, int]
    quarantined: tuple[Quarantined, ...] = ()
    unknown_gpu_count: tuple[tuple[str, int], ...] = ()
    running: tuple[tuple[str, int], ...] = ()
    holds: int = 0
    gpu_seconds: Fraction = Fraction(0)
    by_accelerator: Mapping[str, Fraction] = field(default_factory=dict)
    by_account: Mapping[str, Fraction] = field(default_factory=dict)
    by_cluster: Mapping[str, Fraction] = field(default_factory=dict)
    by_month: Mapping[str, Fraction] = field(default_factory=dict)
    telemetry: Telemetry | None = None
    problem: str | None = None

    def as_json(self) -> dict[str, object]:
        """The interface that scripts rely on; quantities as reduced exact strings: 793454, 5401/2."""
        exact = {name: getattr(self, name) for name in ("by_accelerator", "by_account", "by_cluster", "by_month")}
        return {
            "source": self.source,
            "records": self.records,
            "ignored": dict(self.ignored),
            "quarantined": [{"line": record.line, "reason": record.reason} for record in self.quarantined],
            "unknown_gpu_count": [{"id": name, "seconds": seconds} for name, seconds in self.unknown_gpu_count],
            "running": [{"id": name, "seconds": seconds} for name, seconds in self.running],
            "holds": self.holds,
            "gpu_seconds": str(self.gpu_seconds),
            **{name: {key: str(value) for key, value in sums.items()} for name, sums in exact.items()},
            "telemetry": self.telemetry.as_json() if self.telemetry else None,
            "problem": self.problem,
        }
