"""What a million GPU-hours of work cost: the pool over the hours in which GPUs could be used and were.

    cost per million = (cost per available GPU-hour) / (allocation x active) / (1 - tax) x 10^6

allocation  held hours / available hours; available is what was neither planned nor unplanned out of service
active      active hours / hours that telemetry saw: unmeasured is not idle, so it is in neither
tax         part of active time that is no work of anybody's: burn-in, health checks, checkpoints, restarts, rendezvous

Exact until shown. Not here: what the pool is (recovery.py).
Source: the seed document gpu-scheduling-at-10k-nodes, "True Cost per Million GPU-Hours".
"""

from dataclasses import dataclass
from fractions import Fraction

MILLION = 10**6
POINT = Fraction(1, 100)


@dataclass(frozen=True, slots=True)
class Use:
    """Physical GPU-hours of some stretch of time."""

    available: Fraction = Fraction(0)
    held: Fraction = Fraction(0)
    observed: Fraction = Fraction(0)
    active: Fraction = Fraction(0)
    rated: Fraction = Fraction(0)
    """Held hours that rated usage knows: what telemetry could have seen."""

    def __add__(self, other: "Use") -> "Use":
        return Use(
            self.available + other.available,
            self.held + other.held,
            self.observed + other.observed,
            self.active + other.active,
            self.rated + other.rated,
        )

    @property
    def allocation(self) -> Fraction | None:
        """Held of available; None where nothing was available."""
        return self.held / self.available if self.available else None

    @property
    def active_share(self) -> Fraction | None:
        """Active of observed; None where telemetry saw nothing."""
        return self.active / self.observed if self.observed else None

    @property
    def coverage(self) -> Fraction | None:
        """Observed of held; None where nothing was held."""
        return self.observed / self.rated if self.rated else None


def cost_per_million(
    cost_per_available_hour: Fraction, *, allocation: Fraction, active: Fraction, tax: Fraction = Fraction(0)
) -> Fraction:
    """What a million GPU-hours of work cost, exactly.

    2.50, 0.92, 0.61 and a tax of 0.04 make 4,640,354. The seed document prints about 4,455,000 for the same inputs:
    it left the tax out.
    Raises: ValueError for a share outside (0, 1] or a tax outside [0, 1).
    """
    for name, share in (("allocation", allocation), ("active", active)):
        if not 0 < share <= 1:
            raise ValueError(f"{name} is {share}: a part of what is there, above 0 and at most 1")
    if not 0 <= tax < 1:
        raise ValueError(f"tax is {tax}: a part of active time, 0 or more and below 1")
    return cost_per_available_hour / (allocation * active) / (1 - tax) * MILLION


@dataclass(frozen=True, slots=True)
class WorkCost:
    """The cost of a million GPU-hours of work, and how much dearer they get with one point less; None: not known."""

    per_available_hour: Fraction | None
    per_million: Fraction | None
    allocation_point: Fraction | None
    active_point: Fraction | None


def work_cost(cost_per_available_hour: Fraction | None, use: Use, *, tax: Fraction) -> WorkCost:
    """Of a pool's cost per available hour and what its GPUs did.

    Output: per_million is None where the pool is not known, nothing was held, or telemetry saw nothing or nothing
            active: it is not 0 then and not infinite, it is not known. A point is None where less than one is there.
    """
    allocation, active = use.allocation, use.active_share
    if cost_per_available_hour is None or not allocation or not active:
        return WorkCost(cost_per_available_hour, None, None, None)
    allocation, active = min(allocation, Fraction(1)), min(active, Fraction(1))
    whole = cost_per_million(cost_per_available_hour, allocation=allocation, active=active, tax=tax)

    def dearer(of_allocation: Fraction, of_active: Fraction) -> Fraction | None:
        if of_allocation <= 0 or of_active <= 0:
            return None
        return cost_per_million(cost_per_available_hour, allocation=of_allocation, active=of_active, tax=tax) - whole

    return WorkCost(
        cost_per_available_hour, whole, dearer(allocation - POINT, active), dearer(allocation, active - POINT)
    )
