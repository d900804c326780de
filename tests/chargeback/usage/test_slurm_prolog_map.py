"""Which GPUs a prolog saw a job get, beside what `scontrol show job -d` shows."""

from collections.abc import Sequence

import polars as pl
import pytest

from chargeback.billing_period import Interval
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.slurm_job_details import parse_job_details, raw_bindings_of_day
from tests.chargeback.usage.sacct_days import SacctDays, psv
from tests.tables import a_table_of, instant

HEADER = "job_id|start_epoch|host|uuids|end_epoch\n"
START = int(instant("2026-03-10T10:00Z").timestamp())
DAY = Interval(instant("2026-03-10T00:00Z"), instant("2026-03-11T00:00Z"))


def parsed(text: str) -> ParsedExtract:
    """What landed as slurm/bindings of a cluster."""
    return parse_job_details(text.encode(), cluster="slurm-a")


def scontrol(gres: str, *, host: str = "n1") -> str:
    """Job 7 while it runs, in a zone of its own."""
    return (
        f"JobId=7 JobName=a\n   RunTime=01:00:00\n   StartTime=2026-03-10T10:00:00Z EndTime=Unknown\n"
        f"     Nodes={host} CPU_IDs=0 Mem=1 GRES={gres}\n   OverSubscribe=NO\n"
    )


def bindings_of(*texts: str) -> list[tuple[object, ...]]:
    """gres, count, indices and UUIDs of job 7 on the day."""
    frames = [
        parsed(text).frame.with_columns(
            pl.col("overlaps_until").fill_null(pl.lit(instant("2026-03-10T20:00Z"))),
            object=pl.lit(f"o{number}"), extracted_at=pl.lit(instant("2026-03-10T20:00Z")),
        )
        for number, text in enumerate(texts)
    ]  # fmt: skip
    found = raw_bindings_of_day(pl.concat(frames), cluster="slurm-a", day="2026-03-10", interval=DAY)
    assert RAW_BINDINGS.breaches(found) == []
    return found.select("host", "gres", "count", "device_indices", "device_uuids", "OverSubscribe").rows()


def test_a_line_says_which_gpus_a_run_got_on_a_host_from_when_until_when() -> None:
    found = parsed(HEADER + f"7|{START}|n1|GPU-b,GPU-a|{START + 60}\n8|{START}|n1|MIG-c\n")

    assert found.frame.select(
        "JobIDRaw", "Start", "host", "gres", "count", "device_uuids", "overlaps_until"
    ).rows() == [
        ("7", instant("2026-03-10T10:00Z"), "n1", "gpu", 2, "GPU-a,GPU-b", instant("2026-03-10T10:01Z")),
        ("8", instant("2026-03-10T10:00Z"), "n1", "gpu", 1, "MIG-c", None),
    ]
    assert (found.records, found.quarantined) == (2, ())


def test_a_job_without_gpus_is_left_out_and_counted() -> None:
    found = parsed(HEADER + f"7|{START}|n1|\n")

    assert (found.records, len(found.frame), found.ignored_reasons) == (1, 0, {"job without GPUs": 1})


@pytest.mark.parametrize(
    "line, reason",
    [
        (f"7|{START}|n1", "3 fields"),
        (f"|{START}|n1|GPU-a", "without a job id"),
        (f"7|{START}||GPU-a", "or a host"),
        ("7|2026-03-10T10:00:00|n1|GPU-a", "start_epoch '2026-03-10T10:00:00'"),
        (f"7|{START}000|n1|GPU-a", "seconds since 1970"),
        ("7|0|n1|GPU-a", "start_epoch '0'"),
        (f"7|{START}|n1|GPU-a|soon", "end_epoch 'soon'"),
        (f"7|{START}|n1|GPU-a|{START - 30}", "ends 30 s before it starts"),
    ],
)
def test_a_line_that_cannot_be_read_costs_only_itself(line: str, reason: str) -> None:
    found = parsed(HEADER + f"6|{START}|n1|GPU-z\n{line}\n")

    (refused,) = found.quarantined
    assert (refused.line, len(found.frame)) == (3, 1)
    assert reason in refused.reason


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("gres", ["gpu:a100:2(IDX:0-1)", "gpu:2(IDX:0-1)"])
def test_the_uuids_of_a_prolog_stand_beside_the_indices_of_the_same_grant(gres: str, order: Sequence[int]) -> None:
    texts = (scontrol(gres), HEADER + f"7|{START}|n1|GPU-a,GPU-b\n")

    found = bindings_of(*(texts[at] for at in order))

    assert found == [("n1", gres.partition(":2")[0], 2, "0-1", "GPU-a,GPU-b", "NO")]


def test_a_prolog_alone_is_enough() -> None:
    assert bindings_of(HEADER + f"7|{START}|n1|GPU-a\n7|{START}|n2|GPU-b\n") == [
        ("n1", "gpu", 1, None, "GPU-a", None), ("n2", "gpu", 1, None, "GPU-b", None),
    ]  # fmt: skip


def test_a_map_that_fits_no_typed_grant_stands_by_itself() -> None:
    mixed = scontrol("gpu:a100:1(IDX:0),gpu:h100:1(IDX:1)")

    assert bindings_of(mixed, HEADER + f"7|{START}|n1|GPU-a,GPU-b\n") == [
        ("n1", "gpu", 2, None, "GPU-a,GPU-b", None), ("n1", "gpu:a100", 1, "0", None, "NO"),
        ("n1", "gpu:h100", 1, "1", None, "NO"),
    ]  # fmt: skip


def test_a_prolog_that_saw_another_count_than_an_untyped_grant_is_believed() -> None:
    assert bindings_of(scontrol("gpu:2(IDX:0-1)"), HEADER + f"7|{START}|n1|GPU-a\n") == [
        ("n1", "gpu", 1, None, "GPU-a", None)
    ]


def test_the_gpu_behind_a_share_is_kept_beside_the_share() -> None:
    assert bindings_of(scontrol("shard:gb10:40(IDX:0(40/80))"), HEADER + f"7|{START}|n1|GPU-a\n") == [
        ("n1", "gpu", 1, None, "GPU-a", None), ("n1", "shard:gb10", 40, "0(40/80)", None, "NO"),
    ]  # fmt: skip


def test_the_same_line_every_night_is_the_first_one_and_another_run_is_another() -> None:
    line = f"7|{START}|n1|GPU-a|\n"

    found = bindings_of(HEADER + line, HEADER + line + f"7|{START + 3600}|n1|GPU-b|\n")

    assert [row[4] for row in found] == ["GPU-a", "GPU-b"]


def test_what_a_prolog_saw_places_an_uneven_count_and_makes_no_job_exclusive() -> None:
    row = psv("7 COMPLETED 2026-03-10T10:00:00 2026-03-10T11:00:00 gres/gpu=3,gres/gpu:a100=3 n[1-2]",
              header="JobIDRaw State Start End AllocTRES NodeList")  # fmt: skip
    seen = a_table_of(
        RAW_BINDINGS,
        """
        JobIDRaw  Start              host  gres      count  device_uuids
        7         2026-03-10T10:00Z  n1    gpu       2      GPU-a,GPU-b
        7         2026-03-10T10:00Z  n2    gpu       1      GPU-c
        """,
    )

    days = SacctDays([row], bindings=seen)

    assert days.runs("2026-03-10")["is_exclusive"].to_list() == [False]
    assert days.holds("2026-03-10").select("host", "device_count", "split").rows() == [
        ("n1", 2, "recorded"), ("n2", 1, "recorded"),
    ]  # fmt: skip


def test_a_map_beside_typed_grants_leaves_their_counts_as_they_were_recorded() -> None:
    row = psv("7 COMPLETED 2026-03-10T10:00:00 2026-03-10T11:00:00 gres/gpu=3,gres/gpu:a100=1,gres/gpu:h100=2 n1",
              header="JobIDRaw State Start End AllocTRES NodeList")  # fmt: skip
    seen = a_table_of(
        RAW_BINDINGS,
        """
        JobIDRaw  Start              host  gres      count  device_uuids
        7         2026-03-10T10:00Z  n1    gpu:a100  1      -
        7         2026-03-10T10:00Z  n1    gpu:h100  2      -
        7         2026-03-10T10:00Z  n1    gpu       3      GPU-a,GPU-b,GPU-c
        """,
    )

    holds = SacctDays([row], bindings=seen).holds("2026-03-10").sort("accelerator")

    assert holds.select("accelerator", "device_count", "split").rows() == [
        ("a100", 1, "one host"),
        ("h100", 2, "one host"),
    ]
