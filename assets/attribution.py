"""The asset attribution."""

import dagster as dg

from assets.bindings import bindings
from assets.capacity import capacity
from assets.holds import holds
from assets.materialisation import Inputs, day_of, materialise
from assets.raw_samples import raw_samples
from assets.runs import runs
from chargeback.attribution.hourly import attribute_hours
from chargeback.attribution.samples_over_time import PPM_PER_PERCENT, READINGS
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.bindings import BINDINGS
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.contracts.runs import RUNS
from resources.lake import Lake
from resources.settings import Settings


# After capacity, though it is not read: gpu_hours_conserved holds one against the other.
@dg.asset(deps=[holds, bindings, runs, raw_samples, capacity])
def attribution(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per hold, GPU (or host and accelerator where the hold is unbound) and hour: held, and what it did."""
    day = day_of(context, settings)
    read = [lake.scan(contract, [day.partition]) for contract in (HOLDS, BINDINGS, RUNS)]
    samples = lake.scan(RAW_SAMPLES, [day.partition])
    active_above_ppm = settings.policies.active_above_percent * PPM_PER_PERCENT
    staleness_seconds = settings.staleness_seconds(day.cluster)
    limits = {"active_above_ppm": active_above_ppm, "staleness_seconds": staleness_seconds}
    return materialise(
        context,
        lake,
        ATTRIBUTION,
        day.partition,
        inputs=Inputs.of(*read, samples, settings=limits),
        rule=lambda: attribute_hours(
            *[scanned.frame.collect() for scanned in read] + [samples.frame.select(READINGS).collect()],
            cluster=day.cluster,
            day=day.day,
            interval=day.interval,
            active_above_ppm=active_above_ppm,
            staleness_seconds=staleness_seconds,
        ),
    )
