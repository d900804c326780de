"""Labels that disagree with the scheduler are told, with how far off they are; an index without a table is refused."""

import polars as pl

from chargeback.contracts.bindings import BINDINGS
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.runs import RUNS
from chargeback.usage.label_agreement import indices_without_table, labels_against_holds
from tests.tables import a_table_of, instant

PODS = a_table_of(RUNS, "run  job_id  job_id_raw\nu-a  ml/a  u-a\nu-b  ml/b  u-b", scheduler="kubernetes")
NINE, TEN = instant("2026-07-03T09:00Z"), instant("2026-07-03T10:00Z")
BOUND = a_table_of(BINDINGS, "run  gpu\nu-a  GPU-x", held_from=NINE, held_until=TEN)


def told(devices: str, bindings: pl.DataFrame = BOUND) -> list[tuple[str, ...]]:
    """What is found for labels seen from nine on, unless said otherwise, with three minutes' tolerance."""
    labelled = a_table_of(RAW_DEVICES, devices, host="node-1", gpu="GPU-x", seen_from=NINE)
    return labels_against_holds(labelled, PODS, bindings, tolerance_seconds=180).rows()


def test_a_label_that_stays_on_after_its_hold_is_told_beyond_the_tolerance_and_not_within_it() -> None:
    stale = told("namespace  pod  seen_until\nml         a    2026-07-03T10:25:00Z")
    lagging = told("namespace  pod  seen_until\nml         a    2026-07-03T10:03:00Z")

    assert stale == [
        (
            "node-1 GPU-x labelled ml/a",
            "held 2026-07-03T09:00:00Z .. 2026-07-03T10:00:00Z",
            "labelled 2026-07-03T09:00:00Z .. 2026-07-03T10:25:00Z",
        )
    ]
    assert lagging == []


def test_a_label_of_a_workload_that_has_another_gpu_or_none_is_told() -> None:
    ((key, expected, _),) = told("namespace  pod  seen_until\nml         b    2026-07-03T10:00:00Z")

    assert key == "node-1 GPU-x labelled ml/b"
    assert expected.startswith("a workload that has this GPU")


def test_the_uid_of_a_label_counts_before_its_name_which_is_shown() -> None:
    same_name = "namespace  pod  pod_uid  seen_until\nml         a    u-b      2026-07-03T10:00:00Z"

    assert [key for key, _, _ in told(same_name)] == ["node-1 GPU-x labelled ml/a"]
    assert told(same_name.replace("u-b", "u-a")) == []


def test_one_line_tells_of_a_label_that_came_and_went() -> None:
    twice = "namespace  pod  seen_from             seen_until"
    twice += "\nml         b    2026-07-03T09:00:00Z  2026-07-03T09:10:00Z"
    twice += "\nml         b    2026-07-03T09:40:00Z  2026-07-03T09:50:00Z"

    assert [observed for _, _, observed in told(twice)] == ["labelled 2026-07-03T09:00:00Z .. 2026-07-03T09:50:00Z"]


def test_a_reservation_pod_s_label_stands_for_its_group_and_is_no_disagreement() -> None:
    reserving = PODS.with_columns(gpu_count_basis=pl.lit("holds nothing itself"))
    labelled = a_table_of(RAW_DEVICES, "namespace  pod\nml         b", gpu="GPU-x", seen_from=NINE, seen_until=TEN)

    assert labels_against_holds(labelled, reserving, BOUND, tolerance_seconds=180).is_empty()


def test_each_job_of_a_job_map_is_looked_at_by_its_id() -> None:
    jobs = a_table_of(RUNS, "run  job_id  job_id_raw\n8@x  7_1  8", scheduler="slurm")
    bound = BOUND.with_columns(run=pl.lit("8@x"))
    labelled = a_table_of(RAW_DEVICES, "hpc_job\n8, 9", host="n1", gpu="GPU-x", seen_from=NINE, seen_until=TEN)

    findings = labels_against_holds(labelled, jobs, bound, tolerance_seconds=180)

    assert findings["key"].to_list() == ["n1 GPU-x labelled 9"]


def test_an_index_that_no_table_translates_is_told_where_telemetry_knows_the_host_and_the_hold_is_unbound() -> None:
    on_n1 = {"host": "n1", "accelerator": "a100", "sharing": "whole", "split": "one host"}
    holds = a_table_of(HOLDS, "run\n1@9", held_from=NINE, held_until=TEN, **on_n1)
    runs = a_table_of(RUNS, "run  job_id  job_id_raw\n1@9  1  1", started=NINE)
    indices = a_table_of(
        RAW_BINDINGS, "JobIDRaw  gres      device_indices\n1         gpu:a100  0,4-5", Start=NINE, host="n1"
    )
    maps = a_table_of(RAW_DEVICE_MAPS, "minor  uuid\n4  GPU-b", host="n1")
    seen = a_table_of(RAW_DEVICES, "gpu\nGPU-a", host="n1", seen_from=NINE, seen_until=TEN)
    bound = a_table_of(BINDINGS, "run  gpu\n1@9  GPU-a", held_from=NINE, held_until=TEN, **{**on_n1, "split": ""})

    def refused(bindings: pl.DataFrame, devices: pl.DataFrame) -> list[tuple[str, ...]]:
        return indices_without_table(holds, runs, bindings, indices, maps, devices, aliases={}).rows()

    ((key, expected, observed),) = refused(BINDINGS.empty(), seen)
    assert key == "1 on n1"
    assert expected.startswith("a device map of the host")
    assert observed == "index 0,5 without either: refused, unbound"
    assert refused(bound, seen) == []
    assert refused(BINDINGS.empty(), RAW_DEVICES.empty()) == []
