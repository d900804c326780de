"""Node listings in every layout that Slurm prints them in, and which listing is in force on a day."""

from datetime import datetime

import orjson
import polars as pl
import pytest

from chargeback.billing_period import Interval
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.usage.extract import ParsedExtract, UnreadableExtract
from chargeback.usage.inventory import inventory_of
from chargeback.usage.slurm_nodes import parse_nodes, raw_nodes_of_day
from tests.tables import a_table_of, instant, shared_file

DAY = Interval(instant("2026-03-10T00:00Z"), instant("2026-03-11T00:00Z"))
ALIASES = {"a100": "a100-sxm4-80gb"}


def parsed(text: str) -> ParsedExtract:
    """The listing as a cluster's."""
    return parse_nodes(text.encode(), cluster="slurm-a")


def observed(text: str, name: str, extracted_at: datetime) -> pl.DataFrame:
    """A landed listing."""
    return parsed(text).frame.with_columns(object=pl.lit(name), extracted_at=pl.lit(extracted_at))


def test_a_real_listing_of_many_lines_a_node_gives_its_configured_gpus() -> None:
    content = shared_file("services", "slurm", "dumps", "scontrol-show-node.txt").read_bytes()

    found = parse_nodes(content, cluster="slurm-a")

    assert found.frame["NodeName"].to_list() == ["a100-1", "a100-2", "h100-1", "mig-1"]
    assert found.frame["Gres"].to_list() == ["gpu:a100:8", "gpu:a100:8", "gpu:h100:8", "gpu:a100_1g.10gb:7"]
    assert found.frame["RealMemory"].to_list() == [512_000] * 4
    assert found.frame["line"].to_list() == [1, 19, 37, 55]
    assert found.quarantined == ()


def test_a_listing_of_one_line_a_node_reads_the_same() -> None:
    many = shared_file("services", "slurm", "dumps", "scontrol-show-node.txt").read_text()
    one = "\n".join(" ".join(record.split()) for record in many.strip().split("\n\n"))

    columns = ["NodeName", "Gres", "CfgTRES", "CPUTot", "RealMemory", "State", "Partitions"]
    assert parsed(one).frame.select(columns).equals(parsed(many).frame.select(columns))


def test_a_listing_with_configured_tres_only_counts_its_gpus_from_there() -> None:
    content = shared_file("data", "sacct", "hb-jobinfo", "scontrol.txt").read_bytes()

    found = parse_nodes(content, cluster="slurm-a")
    inventory = inventory_of(found.frame, aliases=ALIASES)

    assert len(found.frame) == 183
    assert found.quarantined == ()
    a100 = inventory.filter(pl.col("accelerator") == "a100-sxm4-80gb")
    assert a100["host"].to_list() == [f"a100gpu{n}" for n in range(1, 7)]
    assert a100["capacity_units"].to_list() == [4] * 6


def test_a_json_listing_of_2108_reads_like_the_text() -> None:
    content = shared_file("data", "sacct", "rivosinc", "sinfo_out.json").read_bytes()

    found = parse_nodes(content, cluster="slurm-a").frame

    assert len(found) == 4
    assert found["CPUTot"].to_list() == [64] * 4
    assert found["Gres"].null_count() == 4


def test_a_json_listing_of_2311_has_numbers_with_a_set_flag_and_states_in_a_list() -> None:
    node = {"name": "gpu01", "gres": "gpu:h100:8", "tres": "cpu=64,gres/gpu=8", "cpus": 64, "partitions": ["a", "b"],
            "real_memory": {"set": True, "infinite": False, "number": 512_000}, "state": ["IDLE", "DRAIN"]}  # fmt: skip

    row = parsed(orjson.dumps({"nodes": [node]}).decode()).frame.row(0, named=True)

    assert (row["NodeName"], row["RealMemory"]) == ("gpu01", 512_000)
    assert (row["State"], row["Partitions"]) == ("IDLE+DRAIN", "a,b")


def test_a_json_of_sinfo_2311_lists_each_node_once_though_it_is_in_two_partitions() -> None:
    group = {"nodes": {"nodes": ["gpu01"]}, "gres": {"total": "gpu:h100:8(S:0-1)", "used": "gpu:h100:1"},
             "cpus": {"maximum": 64}, "memory": {"maximum": 512_000}, "node": {"state": ["MIXED"]}}  # fmt: skip
    groups = [{**group, "partition": {"name": "long"}}, {**group, "partition": {"name": "gpu"}}]

    found = parsed(orjson.dumps({"sinfo": groups}).decode())

    assert found.frame["Partitions"].to_list() == ["gpu,long"]
    assert inventory_of(found.frame, aliases={})["capacity_units"].to_list() == [8]


def test_partitions_are_refused_as_not_node_records() -> None:
    content = shared_file("data", "sacct", "gcm", "sample-scontrol-output.txt").read_bytes()

    with pytest.raises(UnreadableExtract, match="not node records of cluster slurm-a: PartitionName records"):
        parse_nodes(content, cluster="slurm-a")


@pytest.mark.parametrize("content", [b"", b"AVAIL|HOSTNAMES\nup|gpu01\n", b'{"jobs": []}', b"{", b"\xff\xfe"])
def test_anything_else_is_refused_in_one_line(content: bytes) -> None:
    with pytest.raises(UnreadableExtract, match="slurm-a") as refusal:
        parse_nodes(content, cluster="slurm-a")

    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        ("NodeName=", "without a name"),
        ("NodeName=gpu02 Arch=x86_64 CoresPer", "neither Gres nor CfgTRES"),
        ("NodeName=gpu02 Gres=gpu:h100:eight", "not readable"),
        ("NodeName=gpu02 Gres=gpu:8 CPUTot=many", "CPUTot is 'many'"),
        ("NodeName=gpu[02 Gres=gpu:8", "host list"),
        ("NodeName=gpu01 Gres=gpu:4", "stands more than once"),
    ],
)
def test_a_damaged_record_is_quarantined_with_its_line_and_the_others_count(damaged: str, reason: str) -> None:
    found = parsed(f"NodeName=gpu01 Gres=gpu:h100:8\n{damaged}\nNodeName=gpu03 Gres=gpu:h100:8\n")

    assert found.frame["NodeName"].to_list() == ["gpu01", "gpu03"]
    assert [(fault.line, reason in fault.reason) for fault in found.quarantined] == [(2, True)]
    assert found.records == 3


def test_a_folded_node_name_stands_for_all_its_hosts() -> None:
    found = parsed("NodeName=gpu[01-03] CPUTot=64 Gres=gpu:h100:8")

    assert found.frame["NodeName"].to_list() == ["gpu01", "gpu02", "gpu03"]


def test_the_latest_listing_before_the_end_of_a_day_is_in_force_else_the_first_after_it() -> None:
    listings = pl.concat(
        [
            observed("NodeName=a Gres=gpu:1", "one", instant("2026-03-05T00:00Z")),
            observed("NodeName=a Gres=gpu:2\nNodeName=b Gres=gpu:2", "two", instant("2026-03-10T12:00Z")),
            observed("NodeName=a Gres=gpu:4", "three", instant("2026-03-11T00:00Z")),
        ]
    )

    on_the_day = raw_nodes_of_day(listings, cluster="slurm-a", day="2026-03-10", interval=DAY)
    before_all = Interval(instant("2026-03-01T00:00Z"), instant("2026-03-02T00:00Z"))
    too_early = raw_nodes_of_day(listings, cluster="slurm-a", day="2026-03-01", interval=before_all)

    assert RAW_NODES.breaches(on_the_day) == []
    assert on_the_day["Gres"].to_list() == ["gpu:2", "gpu:2"]
    assert too_early["object"].to_list() == ["one"]


def test_landing_the_same_listing_every_night_rewrites_no_day_and_the_order_of_arrival_says_nothing() -> None:
    text = "NodeName=a Gres=gpu:1"
    nights = [observed(text, f"n{night}", instant(f"2026-03-0{night}T02:00Z")) for night in range(5, 9)]

    one = raw_nodes_of_day(nights[0], cluster="slurm-a", day="2026-03-10", interval=DAY)
    all_of_them = raw_nodes_of_day(pl.concat(nights[::-1]), cluster="slurm-a", day="2026-03-10", interval=DAY)

    assert all_of_them.equals(one)


def test_slices_of_several_profiles_leave_the_remainder_on_the_largest() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\nm1  gpu:a100_1g.10gb:2,gpu:a100_3g.40gb:1\nm2  gpu:a100_2g.20gb:4")

    rows = inventory_of(nodes, aliases=ALIASES).rows()

    assert rows == [
        ("m1", "a100-sxm4-80gb:1g.10gb", 7, 2, 0),
        ("m1", "a100-sxm4-80gb:3g.40gb", 7, 3 + 2, 2),
        ("m2", "a100-sxm4-80gb:2g.20gb", 7, 14, 6),
    ]


def test_gpus_whose_memory_slices_run_out_first_count_by_memory() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\nm1  gpu:a100_1g.20gb:8")

    assert inventory_of(nodes, aliases=ALIASES).row(0) == ("m1", "a100-sxm4-80gb:1g.20gb", 7, 14, 6)
