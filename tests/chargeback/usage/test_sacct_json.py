"""`sacct --json` of three releases says what the text says."""

import json
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from chargeback.usage.extract import UnreadableExtract
from chargeback.usage.sacct_json import parse_sacct_json
from chargeback.usage.sacct_text import parse_sacct_text
from chargeback.usage.tres import parse_tres
from tests.tables import CASES, shared_file

DUMPS = ("services", "slurm", "dumps", "backdated")


def case(name: str) -> dict:
    return json.loads((CASES / "S21" / name).read_text())


def parse(document: object) -> pl.DataFrame:
    parsed = parse_sacct_json(json.dumps(document).encode(), cluster="c1")
    assert parsed.quarantined == ()
    return parsed.frame


def test_the_same_job_in_two_releases_has_the_same_state_count_and_seconds() -> None:
    old, new = parse(case("sacct_2108.json")), parse(case("sacct_2311.json"))

    for frame in (old, new):
        assert frame.select("State", "ElapsedRaw", "Suspended").rows() == [("COMPLETED", 7200, 0)]
        assert parse_tres(frame["AllocTRES"][0]).device_count == 4
    assert old.select("Start", "End", "JobID", "User").equals(new.select("Start", "End", "JobID", "User"))


def test_an_infinite_limit_is_none_and_a_limit_in_minutes_is_seconds() -> None:
    assert parse(case("sacct_2108.json"))["TimelimitRaw"].to_list() == [86_400]
    assert parse(case("sacct_2311.json"))["TimelimitRaw"].to_list() == [None]


@pytest.mark.parametrize("value", [4294967294, 4294967295, None, {"set": False, "infinite": False, "number": 7}])
def test_a_sentinel_is_no_value(value: object) -> None:
    document = case("sacct_2311.json")
    document["jobs"][0]["time"]["limit"] = value
    document["jobs"][0]["allocation_nodes"] = value

    frame = parse(document)

    assert frame.select("TimelimitRaw", "NNodes").rows() == [(None, None)]


def test_arrays_and_heterogeneous_jobs_show_the_ids_that_people_know() -> None:
    document = case("sacct_2311.json")
    task, part = (json.loads(json.dumps(document["jobs"][0])) for _ in range(2))
    task |= {"job_id": 25, "array": {"job_id": 8, "task_id": {"set": True, "infinite": False, "number": 3}}}
    part |= {"job_id": 20, "het": {"job_id": 19, "job_offset": {"set": True, "infinite": False, "number": 1}}}
    document["jobs"] = [task, part]

    assert parse(document).select("JobIDRaw", "JobID").rows() == [("25", "8_3"), ("20", "19+1")]


def test_steps_inside_a_job_are_counted_and_ignored() -> None:
    document = case("sacct_2311.json")
    document["jobs"][0]["steps"] = [{}, {}]

    parsed = parse_sacct_json(json.dumps(document).encode(), cluster="c1")

    assert (parsed.records, parsed.steps_ignored, len(parsed.frame)) == (3, 2, 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"jobs": [', "cut off or broken"),
        (b'{"statistics": {}}', "without `jobs`"),
        (b'{"meta": {"plugin": {"data_parser": "data_parser/v9.9.99"}}, "jobs": []}', "v9.9.99 is not known"),
        (b'{"meta": {"plugin": {"type": "openapi/dbv0.0.38"}}, "jobs": [{"job_id": 1}]}', "squeue --json"),
    ],
)
def test_json_that_is_not_sacct_s_is_refused_in_one_line(content: bytes, message: str) -> None:
    with pytest.raises(UnreadableExtract, match=message):
        parse_sacct_json(content, cluster="c1")


def test_a_job_that_is_no_object_or_lacks_what_counts_is_quarantined_with_its_number() -> None:
    document = case("sacct_2311.json")
    good = document["jobs"][0]
    document["jobs"] = [good, 7, {**good, "state": None}, {**good, "job_id": "x"}]

    parsed = parse_sacct_json(json.dumps(document).encode(), cluster="c1")

    assert [record.line for record in parsed.quarantined] == [2, 3, 4]
    assert parsed.records == 4


@pytest.mark.parametrize("name", ["sacct-X-dup.us-delim", "sacct-X-dup-ALL.psv", "sacct-steps-dup.psv", "sacct.json"])
def test_every_dump_of_a_real_slurm_says_the_same(name: str) -> None:
    columns = ["JobIDRaw", "Submit", "Start", "End", "JobID", "User", "Account", "QOS", "Partition", "JobName", "State"]
    columns += ["ElapsedRaw", "Suspended", "TimelimitRaw", "NodeList", "WCKey", "started_until"]
    zone = ZoneInfo("UTC")
    expected = parse_sacct_text(shared_file(*DUMPS, "sacct-X-dup.psv").read_bytes(), cluster="gpuc", zone=zone)
    content = shared_file(*DUMPS, name).read_bytes()

    read = parse_sacct_json if name.endswith("json") else parse_sacct_text
    parsed = read(content, cluster="gpuc", zone=zone)

    order = ["JobIDRaw", "Submit", "Start"]
    assert (
        parsed.frame.select(columns)
        .sort(order, nulls_last=True)
        .equals(expected.frame.select(columns).sort(order, nulls_last=True))
    )
    assert (len(parsed.frame), parsed.quarantined) == (34, ())
