"""Bindings: which GPUs a hold has is what evidence says, strongest first; how long it has them, the scheduler says."""

import polars as pl
import pytest

from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.runs import RUNS
from chargeback.usage.bindings import contested_devices
from tests.chargeback.usage.bound_holds import bound, evidence, gpus_of, who_has_what
from tests.tables import a_table_of, instant

NINE, TEN = instant("2026-07-03T09:00Z"), instant("2026-07-03T10:00Z")
WHOLE = {"host": "n1", "accelerator": "a100", "sharing": "whole", "split": "one host"}


def runs_of(*numbers: int) -> pl.DataFrame:
    """Slurm runs `1@9`, `2@9`, ... that started at nine."""
    rows = "\n".join(f"{n}@9  {n}  {n}" for n in numbers)
    return a_table_of(RUNS, f"run  job_id  job_id_raw\n{rows}", started=NINE, scheduler="slurm")


def held(text: str, **defaults: object) -> pl.DataFrame:
    """Holds of whole GPUs on n1 from nine to ten, unless said otherwise."""
    return a_table_of(HOLDS, text, **{"held_from": NINE, "held_until": TEN, **WHOLE, **defaults})


def granted(text: str) -> pl.DataFrame:
    """raw_bindings of jobs on n1 that started at nine."""
    return a_table_of(RAW_BINDINGS, text, Start=NINE, host="n1")


def devices(text: str) -> pl.DataFrame:
    """raw_devices on n1."""
    return a_table_of(RAW_DEVICES, text, host="n1", seen_from=NINE, seen_until=TEN)


FOUR_GPUS = devices("""
    device  gpu
    0       GPU-a
    1       GPU-b
    2       GPU-c
    3       GPU-d
""")


def test_a_prolog_map_names_the_gpus_of_a_job_and_telemetry_their_numbers() -> None:
    bindings = bound(
        held("run  device_count\n1@9  2"),
        runs_of(1),
        raw_bindings=granted("JobIDRaw  gres      count  device_uuids\n1         gpu:a100  2      GPU-c,GPU-z"),
        raw_devices=FOUR_GPUS,
    )

    assert who_has_what(bindings) == [("1@9", "GPU-c", "prolog map"), ("1@9", "GPU-z", "prolog map")]
    assert bindings["device"].to_list() == [2, None]
    assert bindings["held_from"].to_list() == [NINE, NINE]
    assert not bindings["is_estimate"].any()


def test_an_index_is_a_minor_number_and_finds_its_gpu_through_the_hosts_map_whatever_the_exporter_counts() -> None:
    holds = held("run  device_count\n1@9  1\n2@9  1")
    indices = granted("""
        JobIDRaw  gres      count  device_indices
        1         gpu:a100  1      0
        2         gpu:a100  1      4
    """)
    mapped = a_table_of(RAW_DEVICE_MAPS, "minor  nvml_index  uuid\n0  6  GPU-a\n4  0  GPU-b", host="n1")
    exported = devices("device  gpu    gpu_index\n0       GPU-b  0\n1       GPU-a  6")

    bindings = bound(holds, runs_of(1, 2), raw_bindings=indices, raw_device_maps=mapped, raw_devices=exported)
    refused = bound(holds, runs_of(1, 2), raw_bindings=indices, raw_devices=exported)

    assert who_has_what(bindings) == [("1@9", "GPU-a", "scontrol index"), ("2@9", "GPU-b", "scontrol index")]
    assert refused.is_empty()


def test_without_a_map_minor_numbers_that_the_exporter_says_will_do() -> None:
    bindings = bound(
        held("run  device_count\n1@9  3"),
        runs_of(1),
        raw_bindings=granted("JobIDRaw  gres  count  device_indices\n1         gpu   3      0-1,3"),
        raw_devices=FOUR_GPUS.with_columns(minor=3 - pl.col("device").cast(pl.Int64)),
    )

    assert bindings["gpu"].to_list() == ["GPU-a", "GPU-c", "GPU-d"]


def test_a_job_map_of_the_exporter_binds_only_while_the_label_stands_during_the_hold_and_on_its_host() -> None:
    labelled = devices("""
        device  gpu    hpc_job  seen_from             seen_until
        0       GPU-a  1,7      2026-07-03T09:00:10Z  2026-07-03T11:00:00Z
        1       GPU-b  1        2026-07-03T10:00:00Z  2026-07-03T11:00:00Z
        2       GPU-c  2        2026-07-03T08:00:00Z  2026-07-03T08:59:59Z
    """)
    elsewhere = labelled.with_columns(host=pl.lit("n2"))

    bindings = bound(held("run  device_count\n1@9  2\n2@9  1"), runs_of(1, 2), raw_devices=labelled)

    assert who_has_what(bindings) == [("1@9", "GPU-a", "hpc_job")]
    assert bindings["held_until"].to_list() == [TEN]
    assert bound(held("run  device_count\n1@9  2"), runs_of(1), raw_devices=elsewhere).is_empty()


def test_a_host_that_telemetry_calls_by_its_full_name_is_the_scheduler_s_host() -> None:
    labelled = devices("device  gpu    hpc_job\n0       GPU-a  1")

    def told_of(host: str) -> pl.DataFrame:
        return bound(held("run\n1@9"), runs_of(1), raw_devices=labelled.with_columns(host=pl.lit(host)))

    assert told_of("n1.cluster.example")["device"].to_list() == [0]
    assert told_of("n10.cluster.example").is_empty()


def test_of_more_gpus_than_were_held_those_stay_that_were_labelled_longest_then_the_first_by_name() -> None:
    labelled = devices("""
        device  gpu    hpc_job  seen_from             seen_until
        0       GPU-a  1        2026-07-03T09:50:00Z  2026-07-03T10:20:00Z
        1       GPU-b  1        2026-07-03T09:10:00Z  2026-07-03T09:20:00Z
        1       GPU-b  1        2026-07-03T09:30:00Z  2026-07-03T09:40:00Z
        2       GPU-c  1        2026-07-03T08:00:00Z  2026-07-03T09:30:00Z
        3       GPU-d  1        2026-07-03T09:50:00Z  2026-07-03T10:20:00Z
    """)

    two = bound(held("run  device_count\n1@9  2"), runs_of(1), raw_devices=labelled)
    three = bound(held("run  device_count\n1@9  3"), runs_of(1), raw_devices=labelled)

    assert two["gpu"].to_list() == ["GPU-b", "GPU-c"]
    assert three["gpu"].to_list() == ["GPU-a", "GPU-b", "GPU-c"]


def test_weaker_evidence_fills_what_stronger_evidence_leaves_open_and_each_binding_says_its_own() -> None:
    bindings = bound(
        held("run  device_count\n1@9  4"),
        runs_of(1),
        gpus_of("n1", 4),
        raw_bindings=granted("JobIDRaw  gres  count  device_uuids\n1         gpu   4      GPU-d"),
        raw_devices=FOUR_GPUS.with_columns(
            hpc_job=pl.when(pl.col("device") == 0).then(pl.lit("1")).otherwise("hpc_job")
        ),
    )

    assert who_has_what(bindings) == [
        ("1@9", "GPU-a", "hpc_job"), ("1@9", "GPU-b", "whole node"), ("1@9", "GPU-c", "whole node"),
        ("1@9", "GPU-d", "prolog map"),
    ]  # fmt: skip


def test_a_hold_of_all_gpus_of_a_host_has_them_if_telemetry_knows_exactly_as_many() -> None:
    whole_host = held("run  device_count\n1@9  4")

    bindings = bound(whole_host, runs_of(1), gpus_of("n1", 4), raw_devices=FOUR_GPUS)

    assert set(bindings["evidence"]) == {"whole node"}
    assert len(bindings) == 4
    assert bound(whole_host, runs_of(1), gpus_of("n1", 8), raw_devices=FOUR_GPUS).is_empty()
    assert bound(whole_host, runs_of(1), gpus_of("n1", 4), raw_devices=FOUR_GPUS.head(3)).is_empty()
    assert bound(held("run  device_count\n1@9  3"), runs_of(1), gpus_of("n1", 4), raw_devices=FOUR_GPUS).is_empty()


def test_of_two_holds_that_claim_one_gpu_at_once_the_stronger_evidence_has_it() -> None:
    bindings = bound(
        held("run  device_count\n1@9  1\n2@9  1"),
        runs_of(1, 2),
        raw_bindings=granted("JobIDRaw  gres  count  device_uuids\n2         gpu   1      GPU-a"),
        raw_devices=devices("device  gpu    hpc_job\n0       GPU-a  1"),
    )

    assert who_has_what(bindings) == [("2@9", "GPU-a", "prolog map")]


def test_of_two_equal_claims_neither_has_the_gpu_nobody_weaker_gets_it_and_it_is_told() -> None:
    holds = held("run  device_count\n1@9  1\n2@9  1\n3@9  1")
    maps = granted("JobIDRaw  gres  count  device_uuids\n1         gpu   1      GPU-a\n2         gpu   1      GPU-a")
    labelled = devices("device  gpu    hpc_job\n0       GPU-a  3")

    bindings = bound(holds, runs_of(1, 2, 3), raw_bindings=maps, raw_devices=labelled)
    told = contested_devices(holds, runs_of(1, 2, 3), *evidence(raw_bindings=maps, raw_devices=labelled))

    assert bindings.is_empty()
    assert told["key"].to_list() == ["n1 GPU-a"]
    assert told["expected"].to_list() == ["one hold at a time; claimed by prolog map"]


def test_one_gpu_after_the_other_is_no_contest() -> None:
    until_ten = held("run  device_count\n1@9  1")
    from_ten = held("run  device_count\n2@9  1", held_from=TEN, held_until=instant("2026-07-03T11:00Z"))
    holds = pl.concat([until_ten, from_ten])
    maps = granted("JobIDRaw  gres  count  device_uuids\n1         gpu   1      GPU-a\n2         gpu   1      GPU-a")

    assert who_has_what(bound(holds, runs_of(1, 2), raw_bindings=maps)) == [
        ("1@9", "GPU-a", "prolog map"), ("2@9", "GPU-a", "prolog map"),
    ]  # fmt: skip


def test_a_slice_is_a_gpu_and_its_instance_with_the_profile_that_was_granted_while_it_was_held() -> None:
    slices = held("run  device_count\n1@9  1", sharing="mig", slice_profile="3g.40gb", share_units=3, units_per_gpu=7)
    cut = devices("""
        device  gpu    gpu_instance  slice_profile  hpc_job  seen_from          seen_until
        0       GPU-a  1             3g.40gb        1        2026-07-03T09:00Z  2026-07-03T10:00Z
        1       GPU-a  2             1g.10gb        1        2026-07-03T09:00Z  2026-07-03T10:00Z
        2       GPU-a  5             3g.40gb        ''       2026-07-03T11:00Z  2026-07-03T12:00Z
        2       GPU-a  5             1g.10gb        1        2026-07-03T09:00Z  2026-07-03T10:00Z
    """)

    bindings = bound(slices, runs_of(1), raw_devices=cut)

    assert bindings.select("gpu", "device", "share_units", "units_per_gpu").rows() == [("GPU-a/1", 0, 3, 7)]
    assert not bindings["is_estimate"].any()


def test_a_whole_gpu_is_not_bound_to_a_slice_nor_a_slice_to_a_whole_gpu() -> None:
    holds = held("run  device_count  sharing  slice_profile\n1@9  1  whole  ''\n2@9  1  mig  3g.40gb")
    maps = granted("""
        JobIDRaw  gres              count  device_uuids
        1         gpu               1      MIG-GPU-a/7/0
        2         gpu:a100_3g.40gb  1      GPU-b
    """)

    assert bound(holds, runs_of(1, 2), raw_bindings=maps).is_empty()


def test_two_slices_of_one_gpu_are_held_by_two_and_the_gpu_itself_by_nobody_meanwhile() -> None:
    holds = held("""
        run  device_count  sharing  slice_profile
        1@9  1             mig      3g.40gb
        2@9  1             mig      3g.40gb
        3@9  1             whole    ''
    """)
    maps = granted("""
        JobIDRaw  gres              count  device_uuids
        1         gpu:a100_3g.40gb  1      MIG-GPU-a/1/0
        2         gpu:a100_3g.40gb  1      MIG-GPU-a/2/0
    """)

    bindings = bound(
        holds, runs_of(1, 2, 3), raw_bindings=maps, raw_devices=devices("device  gpu  hpc_job\n0  GPU-a  3")
    )

    assert who_has_what(bindings) == [("1@9", "GPU-a/1", "prolog map"), ("2@9", "GPU-a/2", "prolog map")]


def test_shards_lie_on_the_gpus_that_the_index_says_with_as_many_of_them_and_may_share_it() -> None:
    shards = held("run  device_count\n1@9  40\n2@9  40", sharing="shard", share_units=1, units_per_gpu=80)
    indices = granted("""
        JobIDRaw  gres        count  device_indices
        1         shard:gb10  40     0(30/80),1(10/80),2(0/80)
        2         shard:gb10  40     0(40/80)
    """)
    minors = FOUR_GPUS.with_columns(minor=pl.col("device").cast(pl.Int64))

    bindings = bound(shards, runs_of(1, 2), raw_bindings=indices, raw_devices=minors)

    assert bindings.select("run", "gpu", "share_units", "units_per_gpu", "is_estimate").rows() == [
        ("1@9", "GPU-a", 30, 80, True), ("1@9", "GPU-b", 10, 80, True), ("2@9", "GPU-a", 40, 80, True),
    ]  # fmt: skip


def test_shards_of_several_gpus_whose_parts_nobody_said_stay_unbound_and_of_one_gpu_all_lie_on_it() -> None:
    shards = held("run  device_count\n1@9  40\n2@9  40", sharing="shard", share_units=1, units_per_gpu=80)
    labelled = devices("device  gpu    hpc_job\n0       GPU-a  1\n1       GPU-b  1\n2       GPU-c  2")

    bindings = bound(shards, runs_of(1, 2), raw_devices=labelled)

    assert bindings.select("run", "gpu", "share_units").rows() == [("2@9", "GPU-c", 40)]


@pytest.mark.parametrize("evidence_of", ["raw_bindings", "whole node"])
def test_a_hold_that_could_not_be_split_over_its_hosts_stays_unbound(evidence_of: str) -> None:
    unsplit = held("run  device_count\n1@9  4", split="not split")
    named = {
        "raw_bindings": {"raw_bindings": granted("JobIDRaw  gres  count  device_uuids\n1         gpu   4      GPU-a")},
        "whole node": {"inventory": gpus_of("n1", 4)},
    }

    assert bound(unsplit, runs_of(1), raw_devices=FOUR_GPUS, **named[evidence_of]).is_empty()


def test_two_kinds_of_gpu_of_one_job_on_one_host_are_told_apart_by_the_granted_type() -> None:
    holds = held("run  device_count  accelerator\n1@9  1  a100\n1@9  1  v100")
    maps = granted("JobIDRaw  gres  count  device_uuids\n1  gpu:a100  1  GPU-a\n1  gpu:v100  1  GPU-v")

    bindings = bound(holds, runs_of(1), raw_bindings=maps)

    assert bindings.select("accelerator", "gpu").rows() == [("a100", "GPU-a"), ("v100", "GPU-v")]
