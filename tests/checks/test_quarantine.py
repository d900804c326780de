"""Checks of quarantine: each passes on what was billed, and fails on what it is there for."""

from dataclasses import replace

from chargeback.contracts.quarantine import QUARANTINE
from checks.gate import Reading, evaluate
from checks.quarantine import CHECKS
from tests.checks.judging import DAY, judged, put
from tests.estates import Estate
from tests.tables import a_table_of

ONE_RECORD = """
    cluster  day         source       object            line  reason                           excerpt
    slurm-a  2026-03-31  slurm/sacct  landing/some.psv  7     End 2026 is before Start 2027    4711|...
"""


def test_quarantine_share_passes_while_everything_can_be_read(billed_estate: Estate) -> None:
    assert judged("quarantine_share", billed_estate).is_pass


def test_quarantine_share_fails_when_a_record_could_not_be_read(estate: Estate) -> None:
    put(estate, QUARANTINE, a_table_of(QUARANTINE, ONE_RECORD))

    judgement = judged("quarantine_share", estate)

    assert judgement.is_failure
    assert judgement.told == "landing/some.psv line 7 | a readable record | End 2026 is before Start 2027"


def test_a_limit_in_the_settings_tolerates_as_many_records_and_not_one_more(estate: Estate) -> None:
    put(estate, QUARANTINE, a_table_of(QUARANTINE, ONE_RECORD))
    workspace, settings = estate.workspace, estate.settings

    verdicts = []
    for limit in (1, 0):
        limited = replace(settings, policies=replace(settings.policies, quarantine_limit=limit))
        verdict, _, _ = evaluate(
            CHECKS[0], Reading(workspace.lake, workspace.landing, limited, DAY), workspace.evidence
        )
        verdicts.append(verdict.passed)

    assert verdicts == [True, False]
