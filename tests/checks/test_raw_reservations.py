"""Checks of raw_reservations: each passes on what was billed, and fails on what it is there for."""

from chargeback.contracts.raw_reservations import RAW_RESERVATIONS
from tests.checks.judging import judged, put
from tests.estates import Estate
from tests.tables import a_table_of

RESERVATION = """
    cluster  day         Name   TimeStart          TimeEnd  object  line
    slurm-a  2026-03-31  class  2026-03-31T08:00Z  {until}  o       1
"""


def test_raw_reservations_readable_passes_for_a_morning(estate: Estate) -> None:
    put(estate, RAW_RESERVATIONS, a_table_of(RAW_RESERVATIONS, RESERVATION.format(until="2026-03-31T12:00Z")))

    assert judged("raw_reservations_readable", estate).is_pass


def test_raw_reservations_readable_fails_for_one_that_ends_before_it_starts(estate: Estate) -> None:
    put(estate, RAW_RESERVATIONS, a_table_of(RAW_RESERVATIONS, RESERVATION.format(until="2026-03-31T07:00Z")))

    judgement = judged("raw_reservations_readable", estate)

    assert judgement.is_failure
    assert judgement.told.startswith("class | end at or after 2026-03-31 08:00:00")
