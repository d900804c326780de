"""Checks of raw_events: each passes on what was billed, and fails on what it is there for."""

from chargeback.contracts.raw_events import RAW_EVENTS
from tests.checks.judging import judged, put
from tests.estates import Estate
from tests.tables import a_table_of

EVENT = """
    cluster  day         NodeName  TimeStart          TimeEnd            State  object  line
    slurm-a  2026-03-31  gpu01     2026-03-31T08:00Z  {until}            DRAIN  o       1
"""


def test_raw_events_readable_passes_for_a_node_that_was_out_for_an_hour(estate: Estate) -> None:
    put(estate, RAW_EVENTS, a_table_of(RAW_EVENTS, EVENT.format(until="2026-03-31T09:00Z")))

    assert judged("raw_events_readable", estate).is_pass


def test_raw_events_readable_fails_for_an_event_that_ends_before_it_starts(estate: Estate) -> None:
    put(estate, RAW_EVENTS, a_table_of(RAW_EVENTS, EVENT.format(until="2026-03-31T07:00Z")))

    judgement = judged("raw_events_readable", estate)

    assert judgement.is_failure
    assert judgement.told.startswith("gpu01 | end at or after 2026-03-31 08:00:00")
