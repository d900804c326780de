"""The certificate: every content of the month needs passing evidence for exactly that content."""

from dataclasses import replace

import pytest

from chargeback.contracts.certificate import CERTIFICATE
from chargeback.ledger.certificate import Certified, Evidence, Refused, certify

CONTENTS = {"runs|slurm-a|2026-03-01": "h1", "team_charges|2026-03": "h2", "rate_card|2026-03": "h3"}
REQUIRED = {"runs": ["runs_valid"], "team_charges": ["charges_complete", "charges_recompute"], "rate_card": []}
EVIDENCE = [
    Evidence("runs", "slurm-a|2026-03-01", "runs_valid", "h1", "passed", "e1"),
    Evidence("team_charges", "2026-03", "charges_complete", "h2", "passed", "e2"),
    Evidence("team_charges", "2026-03", "charges_recompute", "h2", "warning", "e3"),
]


def reasons(evidence: list[Evidence], contents: dict[str, str | None] | None = None) -> tuple[str, ...]:
    refused = certify(CONTENTS if contents is None else contents, REQUIRED, evidence, month="2026-03")
    assert isinstance(refused, Refused), refused
    return refused.reasons


def test_a_month_whose_contents_all_passed_is_certified_row_by_row() -> None:
    certified = certify(CONTENTS, REQUIRED, EVIDENCE, month="2026-03")

    assert isinstance(certified, Certified)
    assert CERTIFICATE.breaches(certified.frame) == []
    assert certified.frame.select("table_name", "partition", "check_name", "content_hash", "severity").rows() == [
        ("rate_card", "2026-03", "", "h3", "passed"),
        ("runs", "slurm-a|2026-03-01", "runs_valid", "h1", "passed"),
        ("team_charges", "2026-03", "charges_complete", "h2", "passed"),
        ("team_charges", "2026-03", "charges_recompute", "h2", "warning"),
    ]


def test_the_order_of_contents_and_evidence_changes_nothing() -> None:
    backwards = certify(dict(reversed(CONTENTS.items())), REQUIRED, EVIDENCE[::-1], month="2026-03")

    certified = certify(CONTENTS, REQUIRED, EVIDENCE, month="2026-03")

    assert isinstance(backwards, Certified)
    assert isinstance(certified, Certified)
    assert backwards.frame.equals(certified.frame)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (None, "runs slurm-a|2026-03-01: check runs_valid is missing: run it"),
        ({"outcome": "failed"}, "runs slurm-a|2026-03-01: check runs_valid failed (evidence e1)"),
        ({"content_hash": "old"}, "check runs_valid has evidence for another content (old, now h1): run it again"),
        ({"partition": "slurm-a|2026-03-02"}, "runs slurm-a|2026-03-01: check runs_valid is missing"),
        ({"table": "holds"}, "runs slurm-a|2026-03-01: check runs_valid is missing"),
    ],
)
def test_evidence_that_is_missing_failed_or_of_another_content_refuses_the_month(
    change: dict[str, str] | None, reason: str
) -> None:
    first = [] if change is None else [replace(EVIDENCE[0], **change)]  # type: ignore[arg-type]

    (only,) = reasons(first + EVIDENCE[1:])

    assert reason in only


def test_every_reason_is_given_at_once_and_a_failure_outweighs_a_pass() -> None:
    failed = replace(EVIDENCE[1], outcome="failed", key="e9")

    assert reasons([failed, EVIDENCE[1]]) == (
        "runs slurm-a|2026-03-01: check runs_valid is missing: run it",
        "team_charges 2026-03: check charges_complete failed (evidence e9): mend what it found, then run it again",
        "team_charges 2026-03: check charges_recompute is missing: run it",
    )


def test_a_day_without_content_and_a_month_without_anything_are_refused() -> None:
    absent = {**CONTENTS, "runs|slurm-a|2026-03-02": None}

    assert reasons(EVIDENCE, absent) == ("runs slurm-a|2026-03-02: has no content: materialise it",)
    assert reasons([], {}) == ("2026-03: nothing was materialised: run the month",)


def test_a_table_that_no_contract_knows_is_our_own_fault_and_raises() -> None:
    with pytest.raises(KeyError):
        certify({"unheard_of|2026-03": "h"}, REQUIRED, [], month="2026-03")
