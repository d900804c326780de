"""Node events of sacctmgr: any column order and delimiter, naive times only with a zone, the last word counts."""

from datetime import datetime
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from chargeback.billing_period import Interval
from chargeback.contracts.raw_events import RAW_EVENTS
from chargeback.usage.extract import UnreadableExtract
from chargeback.usage.slurm_events import parse_events, raw_events_of_day
from tests.tables import instant, shared_file

UTC = ZoneInfo("UTC")
DAY = Interval(instant("2026-03-10T00:00Z"), instant("2026-03-11T00:00Z"))
HEADER = "Cluster|NodeName|TimeStart|TimeEnd|State|Reason"


def observed(row: str, name: str, extracted_at: datetime) -> pl.DataFrame:
    """A landed extract of one event."""
    frame = parse_events(f"{HEADER}\n{row}\n".encode(), cluster="c", zone=UTC).frame
    return frame.with_columns(object=pl.lit(name), extracted_at=pl.lit(extracted_at))


def of_day(*observations: pl.DataFrame, interval: Interval = DAY) -> pl.DataFrame:
    """Events of the day; the order of observations must not matter."""
    found = raw_events_of_day(pl.concat(observations), cluster="slurm-a", day="2026-03-10", interval=interval)
    turned = raw_events_of_day(pl.concat(observations[::-1]), cluster="slurm-a", day="2026-03-10", interval=interval)
    assert RAW_EVENTS.breaches(found) == []
    assert found.equals(turned)
    return found


def test_real_events_are_read_and_the_registration_of_the_cluster_is_no_node_event() -> None:
    content = shared_file("services", "slurm", "dumps", "sacctmgr-event.psv").read_bytes()

    found = parse_events(content, cluster="gpuc", zone=UTC)

    assert found.frame["State"].to_list() == ["DRAIN", "DOWN", "DOWN"]
    assert found.frame["line"].to_list() == [3, 4, 5]
    assert (found.records, found.steps_ignored, found.quarantined) == (4, 1, ())


@pytest.mark.parametrize("delimiter", ["|", ",", "\x1f", "\t", "^|^"])
def test_columns_may_stand_in_any_order_between_any_delimiter(delimiter: str) -> None:
    rows = [["State", "TimeEnd", "NodeName", "TimeStart"], ["MAINT", "Unknown", "gpu01", "2026-03-10T00:00:00"]]
    content = "\n".join(delimiter.join(row) for row in rows).encode()

    row = parse_events(content, cluster="slurm-a", zone=UTC).frame.row(0, named=True)

    assert (row["NodeName"], row["State"], row["TimeEnd"]) == ("gpu01", "MAINT", None)
    assert row["TimeStart"] == DAY.start


def test_a_naive_time_is_read_in_the_zone_of_the_cluster_and_refused_without_one() -> None:
    content = f"{HEADER}\nslurm-a|gpu01|2026-03-10T01:00:00|Unknown|DOWN|x\n".encode()

    in_zone = parse_events(content, cluster="slurm-a", zone=ZoneInfo("Europe/Amsterdam"))
    without = parse_events(content, cluster="slurm-a")

    assert in_zone.frame["TimeStart"].to_list() == [DAY.start]
    assert "name the cluster's zone" in without.quarantined[0].reason
    assert without.quarantined[0].line == 2


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        ("slurm-a|gpu01|2026-03-10T00:00", "3 fields, the header 6"),
        ("slurm-a|gpu01|2026-03-10T00:00:00|Unknown|DOWN|a|b", "7 fields"),
        ("slurm-b|gpu01|2026-03-10T00:00:00|Unknown|DOWN|x", "of cluster slurm-b, not of slurm-a"),
        ("slurm-a|gpu01|yesterday|Unknown|DOWN|x", "not readable as a time"),
        ("slurm-a|gpu01|Unknown|Unknown|DOWN|x", "without a start"),
        ("slurm-a|gpu01|2026-03-10T02:00:00|2026-03-10T01:00:00|DOWN|x", "ends before it starts"),
    ],
)
def test_a_damaged_event_is_quarantined_with_its_line(damaged: str, reason: str) -> None:
    found = parse_events(f"{HEADER}\n{damaged}\n".encode(), cluster="slurm-a", zone=UTC)

    assert [(fault.line, reason in fault.reason) for fault in found.quarantined] == [(2, True)]
    assert (len(found.frame), found.records) == (0, 1)


@pytest.mark.parametrize("content", [b"", b"gpu01|DOWN\n", b"NodeName|State\n"])
def test_a_table_whose_columns_are_not_named_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableExtract, match="does not name the columns nodename, timestart, timeend, state"):
        parse_events(content, cluster="slurm-a", zone=UTC)


def test_a_later_extract_that_ends_an_event_outranks_one_in_which_it_went_on() -> None:
    goes_on = observed("c|gpu01|2026-03-08T00:00:00|Unknown|DOWN|x", "a", instant("2026-03-10T02:00Z"))
    ended = observed("c|gpu01|2026-03-08T00:00:00|2026-03-09T12:00:00|DOWN|x", "b", instant("2026-03-11T02:00Z"))

    assert of_day(goes_on)["TimeEnd"].to_list() == [None]
    assert of_day(goes_on, ended).is_empty()


def test_an_event_that_still_goes_on_in_a_later_extract_keeps_the_row_of_the_first() -> None:
    first = observed("c|gpu01|2026-03-08T00:00:00|Unknown|DOWN|x", "a", instant("2026-03-11T02:00Z"))
    again = observed("c|gpu01|2026-03-08T00:00:00|Unknown|DOWN|x", "b", instant("2026-03-12T02:00Z"))

    assert of_day(first, again)["object"].to_list() == ["a"]


def test_an_event_of_no_length_is_kept_on_its_day() -> None:
    moment = observed("c|gpu01|2026-03-10T12:00:00|2026-03-10T12:00:00|DOWN*|x", "a", instant("2026-03-11T02:00Z"))

    assert of_day(moment)["State"].to_list() == ["DOWN"]
