"""What a file would bill, on public data whose right values are known."""

import json
from fractions import Fraction
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.usage.inspect_extract import inspect_extract
from chargeback.usage.inspection import Inspection
from tests.chargeback.usage.sacct_days import SacctDays, psv
from tests.tables import CASES, SHARED, shared_file

UTC_ZONE = ZoneInfo("UTC")
AMSTERDAM = ZoneInfo("Europe/Amsterdam")
DUMPS = ("services", "slurm", "dumps", "backdated")


def inspect(content: bytes, *, zone: ZoneInfo | None = UTC_ZONE, **more) -> Inspection:
    found = inspect_extract(
        content, name="f", cluster=more.pop("cluster", ""), zone=zone, billing_zone=UTC_ZONE, **more
    )
    shown = found.as_json()
    parts = sum(found.ignored.values()) + len(found.quarantined) + len(found.unknown_gpu_count) + found.holds
    assert found.records == parts
    assert json.loads(json.dumps(shown)) == shown
    for sums in (found.by_accelerator, found.by_account, found.by_cluster, found.by_month):
        assert sum(sums.values(), Fraction(0)) == found.gpu_seconds
    return found


def test_a_public_cluster_bills_what_it_held_and_lists_what_nobody_counted() -> None:
    content = shared_file("data", "sacct", "hb-jobinfo", "sacct.txt").read_bytes()

    found = inspect(content, zone=AMSTERDAM, cluster="habrok").as_json()

    assert found["gpu_seconds"] == "793454"
    assert found["by_accelerator"] == {"a100": "641557", "v100": "151897"}
    assert found["by_account"] == {"unknown": "793454"}
    assert found["by_cluster"] == {"habrok": "793454"}
    unknown = {entry["id"]: entry["seconds"] for entry in found["unknown_gpu_count"]}
    assert set(unknown) == {"4034541", "4046412", "5908801_3", "5896251", "5919551", "5933918", "2250708"}
    assert sum(unknown.values()) == 240_230
    assert (found["records"], found["holds"]) == (242, 9)
    assert found["ignored"]["job step: repeats its job's allocation"] == 142
    assert {entry["id"] for entry in found["running"]} == {"8298012", "8202099"}


def test_the_job_across_the_clock_change_is_not_an_hour_longer() -> None:
    content = shared_file("data", "sacct", "hb-jobinfo", "sacct.txt").read_bytes()
    row = next(line for line in content.decode().splitlines() if line.startswith("7195760☃"))
    as_gpu_job = row.replace("billing=", "gres/gpu=1,billing=").encode() + b"\n"

    found = inspect(as_gpu_job, zone=AMSTERDAM)

    assert found.gpu_seconds == 864_027


def test_device_seconds_equal_what_sreport_says_for_each_account_and_user() -> None:
    report = shared_file(*DUMPS, "sreport-cluster-UserUtilizationByAccount.psv").read_text().splitlines()
    rows = [line.split("|") for line in report if line.startswith("gpuc|")]
    expected = {(account, login): int(used) for _, login, _, account, tres, used in rows if tres == "gres/gpu"}
    days = SacctDays([shared_file(*DUMPS, "sacct-X-dup.psv").read_bytes()], cluster="gpuc")

    holds = days.holds("2026-11-27").join(days.runs("2026-11-27"), on="run")

    seconds = (pl.col("held_until") - pl.col("held_from")).dt.total_seconds() * pl.col("device_count")
    found = holds.group_by("account", "user").agg(seconds.sum().alias("used"))
    assert {(account, user): used for account, user, used in found.rows()} == expected
    assert sum(expected.values()) == 667


@pytest.mark.parametrize(
    "name", ["sacct-X-dup.psv", "sacct-X-dup-ALL.psv", "sacct-X-dup.us-delim", "sacct-steps-dup.psv", "sacct.json"]
)
def test_every_dump_of_the_same_jobs_bills_the_same(name: str) -> None:
    found = inspect(shared_file(*DUMPS, name).read_bytes())

    assert (found.as_json()["gpu_seconds"], found.holds) == ("4069/7", 32)
    assert found.unknown_gpu_count == (("10", 4),)


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("S05", "14400"),
        ("S06", "21600/7"),
        ("S07", "3600"),
        ("S09", "17837"),
        ("S10", "7200"),
        ("S12", "72000"),
        ("S16", "7200"),
        ("S17", "72000"),
        ("S18", "0"),
        ("S28", "3600"),
        ("S29", "10800"),
    ],
)
def test_a_case_that_others_got_wrong_bills_its_right_value(case: str, expected: str) -> None:
    content = (CASES / case / "sacct.psv").read_bytes()

    found = inspect(content, zone=ZoneInfo("Europe/Paris"))

    assert found.as_json()["gpu_seconds"] == expected
    assert len(found.quarantined) == (1 if case == "S07" else 0)


def test_months_begin_in_the_billing_zone() -> None:
    content = (CASES / "S16" / "sacct.psv").read_bytes()
    paris = ZoneInfo("Europe/Paris")

    found = inspect_extract(content, name="f", cluster="c1", zone=paris, billing_zone=paris)

    assert found.by_month == {"2026-07": 3600, "2026-08": 3600}


def test_a_node_listing_says_what_a_shard_is() -> None:
    case = CASES / "S27"
    content = (case / "sacct.psv").read_bytes()

    without, with_nodes = inspect(content), inspect(content, nodes=(case / "nodes.txt").read_bytes())

    assert without.unknown_gpu_count == (("101", 3600),)
    assert with_nodes.by_accelerator == {"nvidia_gb10": 1800, "untyped": 900}


def test_gres_types_are_accelerators_once_they_are_mapped() -> None:
    content = (CASES / "S06" / "sacct.psv").read_bytes()

    found = inspect(content, aliases={"a100": "a100-sxm4-40gb"})

    assert list(found.by_accelerator) == ["a100-sxm4-40gb:3g.20gb"]


def test_every_wall_second_of_the_public_midnight_file_is_listed_as_uncounted() -> None:
    content = shared_file("data", "sacct", "gcm", "sample-sacct-output-midnight-edge-case.txt").read_bytes()

    found = inspect(content)

    assert sum(seconds for _, seconds in found.unknown_gpu_count) == 3_578_857
    assert found.ignored["job step: repeats its job's allocation"] == 880


PUBLIC_FILES = sorted(
    path
    for folder in ("data/sacct", "services/slurm/dumps", "worked-month")
    for path in SHARED.joinpath(folder).rglob("*")
    if path.is_file()
)


@pytest.mark.parametrize("path", PUBLIC_FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_every_public_file_is_named_and_counted_without_a_stack_trace(path: Path) -> None:
    found = inspect(path.read_bytes())

    assert found.source
    assert found.problem is None or "\n" not in found.problem


@pytest.mark.parametrize(
    ("parts", "source"),
    [
        (("data", "sacct", "hb-jobinfo", "scontrol.txt"), "slurm/nodes"),
        (("data", "sacct", "rivosinc", "sinfo_out.json"), "slurm/nodes"),
        (("data", "sacct", "rivosinc", "squeue_out.json"), "not a source that is read"),
        (("data", "sacct", "rivosinc", "sdiag.json"), "not a source that is read"),
        (("data", "sacct", "rivosinc", "license_out.json"), "not a source that is read"),
        (("data", "sacct", "gcm", "sample-sinfo-output.txt"), "not a source that is read"),
        (("data", "sacct", "gcm", "sample-sacctmgr-qos.txt"), "not a source that is read"),
        (("data", "sacct", "gcm", "sample-scontrol-output.txt"), "not a source that is read"),
        (("worked-month", "events.psv"), "slurm/events"),
        ((*DUMPS, "sacctmgr-reservation.psv"), "slurm/reservations"),
        ((*DUMPS, "showjob-mid.txt"), "slurm/bindings"),
        ((*DUMPS, "sreport-user-top.psv"), "not a source that is read"),
    ],
)
def test_a_file_is_named_by_its_shape(parts: tuple[str, ...], source: str) -> None:
    found = inspect(shared_file(*parts).read_bytes())

    assert (found.source, found.holds, found.gpu_seconds) == (source, 0, 0)


def test_a_queue_listing_is_not_billed() -> None:
    found = inspect((CASES / "S23" / "squeue.txt").read_bytes())

    assert (found.source, found.gpu_seconds) == ("not a source that is read", 0)


def test_a_file_that_cannot_be_read_says_what_to_do() -> None:
    found = inspect(b"a|b\n1|2\n")

    assert found.as_json()["problem"] == (
        "no header and no known layout: name the columns with --fields JobID,State,Start,..."
    )


states = st.sampled_from(["COMPLETED", "RUNNING", "PENDING", "CANCELLED", "FOO", "REQUEUED"])
tres = st.sampled_from(["-", "gres/gpu=1", "gres/gpu=0", "cpu=4", "gres/gpu=1,gres/gpu:a100=2", "gres/shard=3"])
times = st.sampled_from(["Unknown", "None", "2026-07-03T09:00:00", "2026-07-03T10:00:00", "2026-07-03", "-"])
elapsed = st.sampled_from(["-", "0", "3600", "x"])
ids = st.sampled_from(["1", "1.batch", "2_3", "2_[1-4]", "x"])


@settings(max_examples=30, deadline=None)
@given(rows=st.lists(st.tuples(ids, states, times, times, times, elapsed, tres), max_size=12))
def test_every_record_is_held_ignored_unknown_or_quarantined(rows: list[tuple[str, ...]]) -> None:
    content = psv(*(" ".join(row) for row in rows), header="JobID State Submit Start End ElapsedRaw AllocTRES")

    inspect(content)
