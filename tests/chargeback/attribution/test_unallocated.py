"""Work that nobody held: found to the millisecond, only where it is plain that nobody held it, charged to nobody."""

from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.attribution.unallocated import unallocated_activity_of_day
from chargeback.billing_period import Interval, day_interval
from chargeback.contracts.bindings import BINDINGS
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.contracts.unallocated_activity import UNALLOCATED_ACTIVITY
from chargeback.usage.inventory import INVENTORY
from chargeback.usage.set_members import MEMBERS
from tests.chargeback.attribution.reference import unheld_by_hand
from tests.chargeback.attribution.small_estates import SmallEstate
from tests.tables import a_table_of, instant

DAY = Interval(instant("2026-07-08T00:00Z"), instant("2026-07-09T00:00Z"))
ALL_DAY = {"host": "n1", "accelerator": "a100", "sharing": "whole", "split": "one host"}
NOBODY, UNBOUND = HOLDS.empty(), BINDINGS.empty()
NO_MEMBERS = pl.DataFrame(schema=MEMBERS)
TWO_GPUS = a_table_of(
    RAW_DEVICES, "device  gpu\n0       GPU-a\n1       GPU-b", host="n1", model="NVIDIA A100", seen_from=DAY.start,
    seen_until=DAY.end,
)  # fmt: skip
BUSY_FROM_TEN_TO_HALF_PAST_ELEVEN = pl.concat(
    a_table_of(RAW_SAMPLES, "device  at_milliseconds  active_ppm\n"
               f"{device}  36000000  900000\n{device}  41400000  0")
    for device in (0, 1)
)  # fmt: skip


def unheld(
    holds: pl.DataFrame = NOBODY, bindings: pl.DataFrame = UNBOUND, *,
    samples: pl.DataFrame = BUSY_FROM_TEN_TO_HALF_PAST_ELEVEN, devices: pl.DataFrame = TWO_GPUS,
    members: pl.DataFrame = NO_MEMBERS, inventory: pl.DataFrame | None = None, interval: Interval = DAY,
    staleness: int = 7200,
) -> pl.DataFrame:  # fmt: skip
    """contracts.unallocated_activity."""
    rows = unallocated_activity_of_day(
        holds, bindings, samples, devices, inventory=pl.DataFrame(schema=INVENTORY) if inventory is None else inventory,
        members=members, cluster="c", day="d", interval=interval, active_above_ppm=200_000, staleness_seconds=staleness,
    )  # fmt: skip
    assert UNALLOCATED_ACTIVITY.breaches(rows) == []
    return rows


def held(table: Any, text: str, **more: object) -> pl.DataFrame:
    """Holds or bindings on n1 from 10:15 to 10:45, unless said otherwise."""
    defaults = {
        "held_from": instant("2026-07-08T10:15Z"), "held_until": instant("2026-07-08T10:45Z"), "evidence": "prolog map",
    }  # fmt: skip
    return a_table_of(table, text, **{**defaults, **ALL_DAY, **more})


def seconds_by_gpu(rows: pl.DataFrame) -> dict[tuple[int, str], int]:
    """Hour and GPU -> seconds active."""
    keyed = rows.select(pl.col("hour_start").dt.hour(), "gpu", pl.col("active_milliseconds") // 1000)
    return {(hour, gpu): seconds for hour, gpu, seconds in keyed.rows()}


def test_work_is_cut_at_the_hour_and_left_out_while_its_gpu_is_held() -> None:
    rows = unheld(held(HOLDS, "run\n1"), held(BINDINGS, "run  gpu\n1  GPU-a"))

    assert seconds_by_gpu(rows) == {
        (10, "GPU-a"): 1800, (11, "GPU-a"): 1800, (10, "GPU-b"): 3600, (11, "GPU-b"): 1800,
    }  # fmt: skip
    assert rows["consumed_ppm_milliseconds"].to_list() == (rows["active_milliseconds"] * 900_000).to_list()


def test_while_a_hold_on_the_host_is_not_wholly_bound_any_gpu_there_may_be_its() -> None:
    two_gpus = held(HOLDS, "run  device_count\n1  2")

    unbound = unheld(two_gpus)
    half_bound = unheld(two_gpus, held(BINDINGS, "run  gpu\n1  GPU-a"))
    elsewhere = unheld(two_gpus.with_columns(host=pl.lit("n2")))

    assert seconds_by_gpu(unbound) == seconds_by_gpu(half_bound)
    assert seconds_by_gpu(unbound)[10, "GPU-b"] == 1800
    assert seconds_by_gpu(elsewhere)[10, "GPU-b"] == 3600


def test_a_hold_that_stands_on_a_set_of_hosts_may_be_on_each_of_them() -> None:
    over_two = held(HOLDS, "run  device_count\n1  3", host="n[1-2]", split="not split")
    members = pl.DataFrame([("n[1-2]", "n1"), ("n[1-2]", "n2")], schema=MEMBERS, orient="row")

    assert seconds_by_gpu(unheld(over_two, members=members))[10, "GPU-a"] == 1800


def test_a_slice_is_held_with_its_gpu_and_a_neighbouring_slice_is_not() -> None:
    slices = TWO_GPUS.with_columns(gpu=pl.lit("GPU-a"), gpu_instance=pl.col("device").cast(pl.String))

    by_slice = unheld(held(HOLDS, "run\n1"), held(BINDINGS, "run  gpu\n1  GPU-a/0"), devices=slices)
    by_gpu = unheld(held(HOLDS, "run\n1"), held(BINDINGS, "run  gpu\n1  GPU-a"), devices=slices)

    assert {key: s for key, s in seconds_by_gpu(by_slice).items() if key[0] == 10} == {
        (10, "GPU-a/0"): 1800, (10, "GPU-a/1"): 3600,
    }  # fmt: skip
    assert set(seconds_by_gpu(by_gpu).values()) == {1800}


def test_a_gpu_that_telemetry_sees_as_one_is_held_while_a_slice_of_it_is() -> None:
    rows = unheld(held(HOLDS, "run\n1"), held(BINDINGS, "run  gpu\n1  GPU-a/7"))

    assert seconds_by_gpu(rows)[10, "GPU-a"] == 1800
    assert seconds_by_gpu(rows)[10, "GPU-b"] == 3600


def test_the_accelerator_is_what_the_host_has_of_that_kind_else_what_the_exporter_says() -> None:
    rows = [("n1", "a100-sxm4-80gb", 1, 2, 0), ("n1", "a100-sxm4-80gb:3g.40gb", 7, 7, 1), ("n2", "h100", 1, 8, 0)]
    inventory = pl.DataFrame(rows, schema=INVENTORY, orient="row")
    mixed = pl.concat([inventory, pl.DataFrame([("n1", "v100", 1, 1, 0)], schema=INVENTORY, orient="row")])
    one_slice = TWO_GPUS.with_columns(
        gpu_instance=pl.when(pl.col("device") == 1).then(pl.lit("4")).otherwise(pl.lit("")),
        slice_profile=pl.when(pl.col("device") == 1).then(pl.lit("3g.40gb")).otherwise(pl.lit("")),
    )

    known = unheld(devices=one_slice, inventory=inventory)

    assert dict(known.select("gpu", "accelerator").rows()) == {
        "GPU-a": "a100-sxm4-80gb", "GPU-b/4": "a100-sxm4-80gb:3g.40gb",
    }  # fmt: skip
    assert set(unheld(inventory=mixed)["accelerator"]) == {"nvidia a100"}


def test_labels_that_stood_on_the_gpu_in_the_hour_are_told() -> None:
    labelled = a_table_of(RAW_DEVICES, """
        gpu    namespace  pod  hpc_job  seen_from          seen_until
        GPU-a  ml         a    ''       2026-07-08T09:00Z  2026-07-08T10:30Z
        GPU-a  ''         ''   7        2026-07-08T10:31Z  2026-07-08T12:00Z
    """, host="n1")  # fmt: skip

    rows = unheld(devices=labelled)

    assert rows["labels"].to_list() == ["7, ml/a", "7"]


def test_without_telemetry_nothing_is_known_to_have_run() -> None:
    assert unheld(samples=RAW_SAMPLES.empty(), devices=RAW_DEVICES.empty()).is_empty()


@settings(max_examples=25, deadline=None)
@given(
    day=st.sampled_from(
        [("UTC", "2026-03-10"), ("Europe/Amsterdam", "2026-10-25"), ("Australia/Lord_Howe", "2026-04-05")]
    ),
    seeds=st.lists(st.integers(0, 2**31), min_size=10, max_size=30),
    staleness=st.sampled_from([30, 90, 3600]),
)
def test_it_is_what_one_finds_by_asking_for_every_moment_who_held_the_gpu(
    day: tuple[str, str], seeds: list[int], staleness: int
) -> None:
    interval = day_interval(day[1], ZoneInfo(day[0]))
    estate = SmallEstate(interval)
    for seed in seeds:
        estate.add_host(seed)
    holds, bindings, _, samples = estate.frames()
    devices = estate.devices()

    rows = unheld(holds, bindings, samples=samples, devices=devices, interval=interval, staleness=staleness)

    hour = ((pl.col("hour_start") - interval.start).dt.total_seconds() // 3600).alias("hour")
    found = rows.select(hour, "gpu", "active_milliseconds", "consumed_ppm_milliseconds").rows()
    assert {(hour, gpu): figures for hour, gpu, *figures in found} == unheld_by_hand(
        holds, bindings, samples, devices, interval=interval, active_above_ppm=200_000, staleness_seconds=staleness
    )
