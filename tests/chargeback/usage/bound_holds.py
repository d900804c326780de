"""Bindings of a few holds out of tables written as text; every table that a test does not give is empty."""

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.bindings import BINDINGS
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.usage.bindings import bindings_of_day
from chargeback.usage.inventory import INVENTORY
from tests.tables import instant

DAY = Interval(instant("2026-07-03T00:00Z"), instant("2026-07-04T00:00Z"))
CONTRACTS = (RAW_BINDINGS, RAW_DEVICE_MAPS, RAW_PODS, RAW_CLAIMS, RAW_SLICES, RAW_DEVICES)


def evidence(inventory: pl.DataFrame | None = None, **tables: pl.DataFrame) -> list[pl.DataFrame]:
    """The tables that bindings_of_day takes after holds and runs, in its order."""
    given = [tables.pop(contract.table, contract.empty()) for contract in CONTRACTS]
    assert not tables
    return [*given, pl.DataFrame(schema=INVENTORY) if inventory is None else inventory]


def bound(
    holds: pl.DataFrame, runs: pl.DataFrame, inventory: pl.DataFrame | None = None, **tables: pl.DataFrame
) -> pl.DataFrame:
    """contracts.bindings of the holds, in any order of rows the same."""
    given = evidence(inventory, **tables)
    common = {"cluster": "c", "day": "2026-07-03", "interval": DAY}
    found = bindings_of_day(holds, runs, *given, **common)
    assert BINDINGS.breaches(found) == []
    turned = [frame.reverse() for frame in (holds, runs, *given)]
    assert bindings_of_day(*turned, **common).equals(found)
    return found


def who_has_what(bindings: pl.DataFrame) -> list[tuple[str, str, str]]:
    """(run, gpu, evidence), sorted."""
    return sorted(bindings.select("run", "gpu", "evidence").rows())


def gpus_of(host: str, count: int, accelerator: str = "a100") -> pl.DataFrame:
    """INVENTORY of one host with whole GPUs."""
    return pl.DataFrame([(host, accelerator, 1, count, 0)], schema=INVENTORY, orient="row")
