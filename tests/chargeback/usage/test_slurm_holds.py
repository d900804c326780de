"""holds of a Slurm day: by host, by type, by share, cut to the day."""

from fractions import Fraction

import polars as pl
import pytest

from chargeback.contracts.raw_bindings import RAW_BINDINGS
from tests.chargeback.usage.sacct_days import SacctDays, gpu_seconds_of, psv
from tests.tables import CASES, a_table_of, shared_file

HEADER = "JobIDRaw State Start End AllocTRES NodeList"
TIMES = "2026-07-03T09:00:00 2026-07-03T10:00:00"
DAY = "2026-07-03"
ALIASES = {"a100": "a100-sxm4-80gb", "h100": "h100-sxm5-80gb"}


def days_of(*rows: str, **more) -> SacctDays:
    return SacctDays([psv(*rows, header=HEADER)], **more)


def shown(days: SacctDays) -> list[tuple]:
    return days.holds(DAY).select("host", "accelerator", "sharing", "device_count", "split").rows()


def test_one_host_has_all_of_it() -> None:
    days = days_of(f"1 COMPLETED {TIMES} gres/gpu=4,gres/gpu:a100=4 gpu01", aliases=ALIASES)

    assert shown(days) == [("gpu01", "a100-sxm4-80gb", "whole", 4, "one host")]


def test_an_even_total_is_split_evenly_and_marked_assumed() -> None:
    content = shared_file("data", "sacct", "hb-jobinfo", "sacct.txt").read_bytes()
    days = SacctDays([content])

    holds = days.holds("2024-04-05").filter(pl.col("run").str.starts_with("7971484@"))

    assert holds.select("host", "device_count", "split").rows() == [
        ("a100gpu2", 2, "assumed"),
        ("a100gpu4", 2, "assumed"),
    ]
    assert gpu_seconds_of(holds) == 932


def test_an_uneven_total_that_nobody_recorded_stands_on_the_set_of_hosts() -> None:
    days = days_of(f"1 COMPLETED {TIMES} gres/gpu=5,gres/gpu:a100=5 gpu[01-02]")

    assert shown(days) == [("gpu[01-02]", "a100", "whole", 5, "not split")]


def test_sampled_counts_of_each_host_are_taken_where_they_add_up() -> None:
    bindings = a_table_of(
        RAW_BINDINGS,
        """
        JobIDRaw  Start              host   gres      count
        1         2026-07-03T09:00Z  gpu01  gpu:a100  4
        1         2026-07-03T09:00Z  gpu02  gpu:a100  1
        2         2026-07-03T09:00Z  gpu01  gpu:a100  1
        """,
    )
    row = f"COMPLETED {TIMES} gres/gpu=5,gres/gpu:a100=5 gpu[01-02]"
    days = days_of(f"1 {row}", f"2 {row}", bindings=bindings)

    assert days.holds(DAY).select("run", "host", "device_count", "split").rows() == [
        ("1@2026-07-03T09:00:00Z", "gpu01", 4, "recorded"),
        ("1@2026-07-03T09:00:00Z", "gpu02", 1, "recorded"),
        ("2@2026-07-03T09:00:00Z", "gpu[01-02]", 5, "not split"),
    ]


def test_a_type_lies_on_the_hosts_that_have_it_and_no_host_gets_more_than_it_has() -> None:
    nodes = b"NodeName=a1 Gres=gpu:a100:4\nNodeName=h[1-2] Gres=gpu:h100:8\nNodeName=a2 Gres=gpu:a100:8\n"
    days = days_of(
        f"1 COMPLETED {TIMES} gres/gpu=8,gres/gpu:a100=3,gres/gpu:h100=5 a1,h1",
        f"2 COMPLETED {TIMES} gres/gpu=12,gres/gpu:a100=12 a[1-2]",
        f"3 COMPLETED {TIMES} gres/gpu=10,gres/gpu:a100=10 a[1-2]",
        nodes=nodes,
    )

    found = days.holds(DAY).select("run", "host", "accelerator", "device_count", "split")

    assert [(run[0], *rest) for run, *rest in found.rows()] == [
        ("1", "a1", "a100", 3, "one host"),
        ("1", "h1", "h100", 5, "one host"),
        ("2", "a1", "a100", 4, "assumed"),
        ("2", "a2", "a100", 8, "assumed"),
        ("3", "a[1-2]", "a100", 10, "not split"),
    ]


def test_a_gpu_without_a_type_has_the_only_type_of_its_host() -> None:
    nodes = (
        b"NodeName=a1 Gres=gpu:a100:4\nNodeName=m1 Gres=gpu:a100:4,gpu:h100:4\nNodeName=s1 Gres=gpu:a100_1g.10gb:7\n"
    )
    days = days_of(
        f"1 COMPLETED {TIMES} gres/gpu=1 a1",
        f"2 COMPLETED {TIMES} gres/gpu=1 m1",
        f"3 COMPLETED {TIMES} gres/gpu=1 nowhere",
        f"4 COMPLETED {TIMES} gres/gpu=1 s1",
        nodes=nodes,
        aliases={**ALIASES, "untyped": "gpu-of-unknown-type"},
    )

    assert [(host, accelerator, sharing) for host, accelerator, sharing, *_ in shown(days)] == [
        ("a1", "a100-sxm4-80gb", "whole"),
        ("m1", "gpu-of-unknown-type", "whole"),
        ("nowhere", "gpu-of-unknown-type", "whole"),
        ("s1", "a100-sxm4-80gb:1g.10gb", "mig"),
    ]


def test_a_slice_is_counted_as_a_slice_at_its_exact_part_of_a_gpu() -> None:
    days = SacctDays([(CASES / "S06" / "sacct.psv").read_bytes()], aliases=ALIASES)

    hold = days.holds(DAY).row(0, named=True)

    assert (hold["accelerator"], hold["slice_profile"], hold["device_count"]) == (
        "a100-sxm4-80gb:3g.20gb",
        "3g.20gb",
        1,
    )
    assert days.gpu_seconds(DAY) == Fraction(3 * 7200, 7)


def test_shards_and_mps_are_parts_of_the_gpus_of_their_host() -> None:
    case = CASES / "S27"
    days = SacctDays([(case / "sacct.psv").read_bytes()], nodes=(case / "nodes.txt").read_bytes())

    assert shown(days) == [
        ("dgx-spark", "nvidia_gb10", "shard", 40, "one host"),
        ("w1", "untyped", "mps", 25, "one host"),
    ]
    assert [gpu_seconds_of(hold) / 3600 for hold in days.holds(DAY).iter_slices(1)] == [Fraction(1, 2), Fraction(1, 4)]


def test_shards_without_a_node_record_are_unknown_not_guessed() -> None:
    days = SacctDays([(CASES / "S27" / "sacct.psv").read_bytes()])

    basis = dict(days.runs(DAY).select("job_id_raw", "gpu_count_basis").rows())

    assert basis == {"101": "unknown", "129": "recorded"}
    assert days.gpu_seconds(DAY) == 900


def test_three_jobs_on_one_node_hold_three_gpus() -> None:
    case = CASES / "S29"
    days = SacctDays([(case / "sacct.psv").read_bytes()], nodes=(case / "nodes.txt").read_bytes())

    assert days.gpu_seconds(DAY) == 3 * 3600


def test_a_job_without_a_host_in_the_extract_is_held_all_the_same() -> None:
    days = SacctDays([psv(f"1 COMPLETED {TIMES} gres/gpu=2", header="JobIDRaw State Start End AllocTRES")])

    assert shown(days) == [("unknown", "untyped", "whole", 2, "one host")]


@pytest.mark.parametrize("gpus", [1, 2, 3, 5, 8, 16])
@pytest.mark.parametrize("hosts", ["gpu01", "gpu[01-02]", "gpu[01-03]"])
def test_however_a_total_is_split_it_is_conserved(gpus: int, hosts: str) -> None:
    nodes = b"NodeName=gpu[01-02] Gres=gpu:a100:8\n"
    days = days_of(f"1 COMPLETED {TIMES} gres/gpu={gpus} {hosts}", nodes=nodes)

    assert days.holds(DAY)["device_count"].sum() == gpus
    assert days.gpu_seconds(DAY) == gpus * 3600


def test_a_hold_is_cut_at_midnight_and_only_its_last_day_is_open() -> None:
    row = "1 RUNNING 2026-07-02T22:00:00 Unknown gres/gpu=1 gpu01 14400"
    days = SacctDays([psv(row, header=f"{HEADER} ElapsedRaw")])

    assert days.holds("2026-07-02").select("is_running").rows() == [(False,)]
    assert days.holds("2026-07-03").select("is_running").rows() == [(True,)]
    assert [days.gpu_seconds(day) for day in ("2026-07-02", "2026-07-03")] == [7200, 7200]
