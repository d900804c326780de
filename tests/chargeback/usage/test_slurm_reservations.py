"""Reservations from sacctmgr and from scontrol."""

from zoneinfo import ZoneInfo

import polars as pl
import pytest

from chargeback.billing_period import Interval
from chargeback.contracts.raw_reservations import RAW_RESERVATIONS
from chargeback.usage.extract import UnreadableExtract
from chargeback.usage.slurm_reservations import parse_reservations, raw_reservations_of_day
from tests.tables import instant, shared_file

UTC = ZoneInfo("UTC")
DAY = Interval(instant("2026-03-10T00:00Z"), instant("2026-03-11T00:00Z"))

SCONTROL = b"""ReservationName=maint1 StartTime=2026-03-10T10:00:00 EndTime=2026-03-10T12:00:00 Duration=02:00:00
   Nodes=gpu[01-02] NodeCnt=2 CoreCnt=128 Features=(null) PartitionName=(null) Flags=MAINT,IGNORE_JOBS,SPEC_NODES
   TRES=cpu=128
   Users=root Groups=(null) Accounts=(null) Licenses=(null) State=ACTIVE BurstBuffer=(null) Watts=n/a

ReservationName=class StartTime=2026-03-11T10:00:00 EndTime=2026-03-11T12:00:00 Duration=02:00:00
   Nodes=gpu03 NodeCnt=1 CoreCnt=64 Flags=SPEC_NODES TRES=cpu=64 Users=(null) Accounts=vision,nlp
"""


def test_a_real_extract_of_sacctmgr_names_no_hosts() -> None:
    content = shared_file("services", "slurm", "dumps", "sacctmgr-reservation.psv").read_bytes()

    found = parse_reservations(content, cluster="gpuc", zone=UTC)

    assert found.frame.select("Name", "TRES", "NodeNames").rows() == [("maint1", "cpu=64", None)]
    assert found.frame["TimeEnd"].to_list() == [instant("2026-11-30T14:40:35Z")]


def test_other_spellings_of_the_columns_are_understood() -> None:
    content = b"Name|NodeNames|Start|End|Flags|Assocs\nr|gpu01|2026-03-10T10:00:00|2026-03-10T12:00:00|MAINT|vision\n"

    row = parse_reservations(content, cluster="slurm-a", zone=UTC).frame.row(0, named=True)

    assert (row["NodeNames"], row["Flags"], row["Accounts"]) == ("gpu01", "MAINT", "vision")


def test_records_of_scontrol_say_their_hosts_and_flags() -> None:
    found = parse_reservations(SCONTROL, cluster="slurm-a", zone=UTC)

    assert found.frame.select("Name", "NodeNames", "Accounts", "line").rows() == [
        ("maint1", "gpu[01-02]", None, 1),
        ("class", "gpu03", "vision,nlp", 6),
    ]
    assert found.frame["Flags"].str.contains("MAINT").to_list() == [True, False]


def test_a_reservation_without_a_readable_time_is_quarantined_and_another_text_is_refused() -> None:
    damaged = parse_reservations(SCONTROL[: SCONTROL.index(b" EndTime")], cluster="slurm-a", zone=UTC)

    assert "without a start or an end" in damaged.quarantined[0].reason
    with pytest.raises(UnreadableExtract, match="reservation: the first line does not name"):
        parse_reservations(b"PartitionName=gpu\n", cluster="slurm-a", zone=UTC)


def test_a_reservation_that_was_shortened_counts_as_the_latest_extract_says() -> None:
    header = b"Name|TimeStart|TimeEnd\n"
    long = parse_reservations(header + b"r|2026-03-09T10:00:00|2026-03-12T12:00:00\n", cluster="slurm-a", zone=UTC)
    short = parse_reservations(header + b"r|2026-03-09T10:00:00|2026-03-09T12:00:00\n", cluster="slurm-a", zone=UTC)
    early = long.frame.with_columns(object=pl.lit("a"), extracted_at=pl.lit(instant("2026-03-10T01:00Z")))
    late = short.frame.with_columns(object=pl.lit("b"), extracted_at=pl.lit(instant("2026-03-10T02:00Z")))

    before = raw_reservations_of_day(early, cluster="slurm-a", day="2026-03-10", interval=DAY)
    after = raw_reservations_of_day(pl.concat([late, early]), cluster="slurm-a", day="2026-03-10", interval=DAY)

    assert RAW_RESERVATIONS.breaches(before) == []
    assert before["Name"].to_list() == ["r"]
    assert after.is_empty()


def test_what_is_only_planned_when_the_extract_is_made_is_not_yet_so() -> None:
    planned = parse_reservations(
        b"Name|TimeStart|TimeEnd\nr|2026-03-10T10:00:00|2026-03-10T12:00:00\n", cluster="slurm-a", zone=UTC
    ).frame.with_columns(object=pl.lit("a"), extracted_at=pl.lit(instant("2026-03-09T11:00Z")))

    assert raw_reservations_of_day(planned, cluster="slurm-a", day="2026-03-10", interval=DAY).is_empty()
