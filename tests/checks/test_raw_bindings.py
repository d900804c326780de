"""Checks of raw_bindings: each passes on what was billed, and fails on what it is there for."""

from chargeback.contracts.raw_bindings import RAW_BINDINGS
from tests.checks.judging import judged, put
from tests.estates import Estate
from tests.tables import a_table_of

BINDING = """
    cluster  day         JobIDRaw  Start                 host   gres      count  object  line
    slurm-a  2026-03-31  {job}     2026-03-31T08:00:00Z  gpu01  gpu:h100  1      o       1
"""


def test_raw_bindings_readable_passes_for_a_job_that_accounting_knows(estate: Estate) -> None:
    put(estate, RAW_BINDINGS, a_table_of(RAW_BINDINGS, BINDING.format(job="3")))

    judgement = judged("raw_bindings_readable", estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["bindings"] == 1


def test_raw_bindings_readable_fails_for_a_job_without_an_accounting_record_and_stops_nothing(estate: Estate) -> None:
    put(estate, RAW_BINDINGS, a_table_of(RAW_BINDINGS, BINDING.format(job="999")))

    judgement = judged("raw_bindings_readable", estate)

    assert judgement.is_failure
    assert not judgement.evidence.blocking
    assert judgement.told.startswith("999 on gpu01")
