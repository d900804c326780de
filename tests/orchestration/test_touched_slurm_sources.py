"""Device maps, node events, reservations and samples of running jobs touch exactly the days whose facts they change.

Every answer is held against the slow definition too: each day folded from all that landed, against what stands there.
"""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from orchestration.touched import Touched
from resources.landing import LandedObject
from tests.raw_estate import RawEstate

NOW = datetime(2026, 10, 5, 0, 10, tzinfo=UTC)
EXTENSIONS = {"slurm/devices": "csv", "slurm/events": "psv", "slurm/reservations": "psv", "slurm/bindings": "txt"}


@pytest.fixture
def estate(tmp_path: Path) -> RawEstate:
    """Nothing landed, and the days from 1 October on are open."""
    return RawEstate.begun_in(tmp_path, first_day="2026-10-01")


def land(estate: RawEstate, source: str, text: str, *, day: int) -> LandedObject:
    """Land an extract that was taken ten past midnight before a day of October."""
    at = datetime(2026, 10, day, 0, 10, tzinfo=UTC)
    return estate.land(source, text.encode(), at=at, extension=EXTENSIONS[source])


def touched_days(estate: RawEstate, landed: LandedObject) -> list[str]:
    """The days of October that an object touches; they are the ones that the slow definition finds."""
    touched = estate.touched(landed, now=NOW)
    assert set(touched.days) == estate.differing(now=NOW, source=landed.source)
    return [key.removeprefix("slurm-a|2026-10-") for key in touched.days]


def taken(estate: RawEstate, source: str, text: str, *, day: int) -> None:
    """Land an extract and make every day from it."""
    land(estate, source, text, day=day)
    estate.make(now=NOW, source=source)


def says_nothing(estate: RawEstate, landed: LandedObject) -> bool:
    """Whether an object touches no partition, in both definitions."""
    nothing = Touched({}, {}, frozenset({landed.key}), {})
    return estate.touched(landed, now=NOW) == nothing and touched_days(estate, landed) == []


def device_map(*uuids: str) -> str:
    """The map of one host's minor numbers."""
    return "host,minor,nvml_index,uuid\n" + "".join(f"gpu01,{at},{at},{uuid}\n" for at, uuid in enumerate(uuids))


def test_a_device_map_touches_the_days_from_its_extraction_on_if_it_names_another_device(estate: RawEstate) -> None:
    taken(estate, "slurm/devices", device_map("GPU-a", "GPU-b"), day=2)

    replaced = land(estate, "slurm/devices", device_map("GPU-a", "GPU-c"), day=4)

    assert touched_days(estate, replaced) == ["04", "05"]


def test_the_first_device_map_touches_the_days_before_it_too(estate: RawEstate) -> None:
    estate.make(now=NOW, source="slurm/devices")

    assert touched_days(estate, land(estate, "slurm/devices", device_map("GPU-a"), day=3)) == [
        "01", "02", "03", "04", "05",
    ]  # fmt: skip


def test_the_map_of_a_host_in_another_order_of_lines_says_nothing_new(estate: RawEstate) -> None:
    taken(estate, "slurm/devices", device_map("GPU-a", "GPU-b"), day=2)

    header, first, second = device_map("GPU-a", "GPU-b").splitlines(keepends=True)
    again = land(estate, "slurm/devices", header + second + first, day=3)

    assert says_nothing(estate, again)


def events(*rows: str) -> str:
    """An extract of node events: start, end and state of gpu01."""
    lines = [f"slurm-a|gpu01|{row}|disk" for row in rows]
    return "\n".join(["Cluster|NodeName|TimeStart|TimeEnd|State|Reason", *lines, ""])


def test_a_new_node_event_touches_the_days_that_it_lies_on(estate: RawEstate) -> None:
    estate.make(now=NOW, source="slurm/events")

    drained = land(estate, "slurm/events", events("2026-10-02T10:00:00|2026-10-03T02:00:00|DRAIN"), day=5)

    assert touched_days(estate, drained) == ["02", "03"]


def test_a_node_event_that_goes_on_touches_the_newest_days_only(estate: RawEstate) -> None:
    taken(estate, "slurm/events", events("2026-10-01T10:00:00|Unknown|DRAIN"), day=4)

    nightly = land(estate, "slurm/events", events("2026-10-01T10:00:00|Unknown|DRAIN") + "\n", day=5)

    assert touched_days(estate, nightly) == ["05"]


def test_an_end_of_a_node_event_that_is_told_late_takes_back_the_days_after_it(estate: RawEstate) -> None:
    taken(estate, "slurm/events", events("2026-10-01T10:00:00|Unknown|DRAIN"), day=4)

    ended = land(estate, "slurm/events", events("2026-10-01T10:00:00|2026-10-02T12:00:00|DRAIN"), day=5)

    assert touched_days(estate, ended) == ["02", "03", "04"]


def test_a_node_event_that_is_extracted_again_with_older_ones_says_nothing_new(estate: RawEstate) -> None:
    old, drained = "2026-08-01T10:00:00|2026-08-01T11:00:00|DOWN", "2026-10-02T10:00:00|2026-10-03T02:00:00|DRAIN"
    taken(estate, "slurm/events", events(drained), day=4)

    assert says_nothing(estate, land(estate, "slurm/events", events(old, drained), day=5))


def reservations(*rows: str) -> str:
    """An extract of reservations: name, hosts, start and end."""
    return "\n".join(["Name|NodeNames|TimeStart|TimeEnd|Flags", *(f"{row}|SPEC_NODES" for row in rows), ""])


COURSE = "course|gpu01|2026-10-01T08:00:00|2026-10-03T18:00:00"


def test_a_reservation_touches_the_days_that_it_has_lasted_on_until_its_extraction(estate: RawEstate) -> None:
    estate.make(now=NOW, source="slurm/reservations")

    assert touched_days(estate, land(estate, "slurm/reservations", reservations(COURSE), day=3)) == ["01", "02", "03"]


def test_a_reservation_that_was_shortened_touches_the_day_of_its_end_and_those_that_it_left(estate: RawEstate) -> None:
    taken(estate, "slurm/reservations", reservations(COURSE), day=4)

    shorter = reservations(COURSE.replace("2026-10-03T18", "2026-10-02T12"))

    assert touched_days(estate, land(estate, "slurm/reservations", shorter, day=5)) == ["02", "03"]


def test_a_reservation_beside_one_that_is_planned_says_nothing_new(estate: RawEstate) -> None:
    taken(estate, "slurm/reservations", reservations(COURSE), day=4)

    planned = "exam|gpu01|2026-10-20T08:00:00|2026-10-21T18:00:00"

    assert says_nothing(estate, land(estate, "slurm/reservations", reservations(planned, COURSE), day=5))


def sample(gpus: int = 2, *, run_time: str) -> str:
    """What scontrol shows of job 7, which began on 2 October at ten."""
    return (
        f"JobId=7 JobName=train\n   JobState=RUNNING\n   RunTime={run_time} TimeLimit=7-00\n"
        f"   StartTime=2026-10-02T10:00:00 EndTime=2026-10-09T10:00:00\n"
        f"     Nodes=gpu01 CPU_IDs=4 Mem=2048 GRES=gpu:a100:{gpus}(IDX:0-{gpus - 1})\n   OverSubscribe=NO\n"
    )


def test_a_sample_of_a_running_job_touches_the_days_that_the_run_is_shown_for(estate: RawEstate) -> None:
    estate.make(now=NOW, source="slurm/bindings")

    assert touched_days(estate, land(estate, "slurm/bindings", sample(run_time="14:10:00"), day=3)) == [
        "02", "03", "04",
    ]  # fmt: skip


def test_the_next_sample_touches_the_new_day_only_and_one_with_another_grant_all_days_of_the_run(
    estate: RawEstate,
) -> None:
    taken(estate, "slurm/bindings", sample(run_time="14:10:00"), day=3)

    assert touched_days(estate, land(estate, "slurm/bindings", sample(run_time="1-14:10:00"), day=4)) == ["05"]
    estate.make(now=NOW, source="slurm/bindings")
    assert touched_days(estate, land(estate, "slurm/bindings", sample(4, run_time="2-14:10:00"), day=5)) == [
        "02", "03", "04", "05",
    ]  # fmt: skip


def test_a_second_sample_of_the_same_hour_says_nothing_new(estate: RawEstate) -> None:
    taken(estate, "slurm/bindings", sample(run_time="14:10:00"), day=3)

    assert says_nothing(estate, land(estate, "slurm/bindings", sample(run_time="14:20:00"), day=3))
