"""Evidence holds for exactly the contents that a check read, and never changes."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from resources.evidence import Evidence, EvidenceDamaged, EvidenceStore
from resources.local_store import LocalStore
from resources.object_store import ObjectStore

MARCH = {"holds|slurm-a|2026-03-31": "aaa", "capacity|slurm-a|2026-03-31": "bbb"}
PASSED = Evidence(
    table="holds",
    partition="slurm-a|2026-03-31",
    check="holds_inside_day",
    passed=True,
    blocking=True,
    suite_version="1",
    read=MARCH,
    metrics={"rows": 3, "held_seconds": 10_800, "amount": "12.34"},
    samples=[],
)
FAILED = replace(PASSED, passed=False, samples=[{"run": "4711@x", "seconds": 3, "host": None}])


@pytest.fixture
def evidence(store: ObjectStore) -> EvidenceStore:
    return EvidenceStore(store)


def test_evidence_is_found_for_the_contents_that_were_read(evidence: EvidenceStore) -> None:
    key = evidence.record(FAILED)

    found = evidence.latest("holds", "slurm-a|2026-03-31", "holds_inside_day", {**MARCH, "runs|other": "ccc"})

    assert found == FAILED
    assert evidence.read(key) == FAILED
    assert key.startswith("evidence/holds/slurm-a|2026-03-31/holds_inside_day-")


def test_evidence_of_an_earlier_content_is_no_evidence(evidence: EvidenceStore) -> None:
    evidence.record(PASSED)

    changed = evidence.latest("holds", PASSED.partition, PASSED.check, {**MARCH, "holds|slurm-a|2026-03-31": "new"})
    gone = evidence.latest("holds", PASSED.partition, PASSED.check, {"holds|slurm-a|2026-03-31": "aaa"})
    other_check = evidence.latest("holds", PASSED.partition, "holds_mapped", MARCH)
    other_day = evidence.latest("holds", "slurm-a|2026-03-30", PASSED.check, MARCH)

    assert (changed, gone, other_check, other_day) == (None, None, None, None)


def test_the_same_outcome_recorded_again_is_the_same_object(evidence: EvidenceStore, store: ObjectStore) -> None:
    first = evidence.record(PASSED)

    again = evidence.record(replace(PASSED, read=dict(reversed(MARCH.items()))))

    assert again == first
    assert len(store.list("evidence/")) == 1


def test_a_check_whose_name_begins_like_anothers_is_another(evidence: EvidenceStore) -> None:
    evidence.record(replace(PASSED, check="holds_inside"))
    evidence.record(replace(PASSED, check="holds_inside-day"))

    assert evidence.latest("holds", PASSED.partition, "holds", MARCH) is None
    found = evidence.latest("holds", PASSED.partition, "holds_inside", MARCH)
    assert found is not None
    assert found.check == "holds_inside"


def test_evidence_under_other_thresholds_is_told_apart(evidence: EvidenceStore) -> None:
    strict = replace(FAILED, suite_version="2")
    evidence.record(PASSED)
    evidence.record(strict)

    assert evidence.latest("holds", PASSED.partition, PASSED.check, MARCH, suite_version="2") == strict
    assert evidence.latest("holds", PASSED.partition, PASSED.check, MARCH, suite_version="1") == PASSED
    assert evidence.latest("holds", PASSED.partition, PASSED.check, MARCH, suite_version="3") is None


def test_evidence_that_was_changed_by_hand_is_refused(evidence: EvidenceStore, store: ObjectStore) -> None:
    key = evidence.record(FAILED)
    store.put(key, store.get(key).replace(b'"passed":false', b'"passed":true'))

    with pytest.raises(EvidenceDamaged, match="not those that were recorded"):
        evidence.latest("holds", PASSED.partition, PASSED.check, MARCH)


def test_evidence_that_was_moved_to_another_day_is_refused(evidence: EvidenceStore, store: ObjectStore) -> None:
    key = evidence.record(PASSED)
    moved = key.replace("2026-03-31", "2026-03-30")
    store.put(moved, store.get(key))

    with pytest.raises(EvidenceDamaged, match=r"speaks of holds_inside_day of holds slurm-a\|2026-03-31"):
        evidence.read(moved)


def test_a_float_in_evidence_is_refused(evidence: EvidenceStore) -> None:
    with pytest.raises(TypeError, match="no single spelling"):
        evidence.record(replace(PASSED, metrics={"share": 0.1}))  # type: ignore[dict-item]


def test_of_two_outcomes_for_the_same_contents_and_suite_the_failed_one_counts_whenever_recorded(
    evidence: EvidenceStore,
) -> None:
    for outcomes in ((FAILED, PASSED), (PASSED, FAILED, PASSED)):
        for outcome in outcomes:
            evidence.record(outcome)

        found = evidence.latest("holds", PASSED.partition, PASSED.check, MARCH, suite_version="1")

        assert found == FAILED


def test_a_clock_that_was_set_back_does_not_make_a_failure_the_older_outcome(tmp_path: Path) -> None:
    evidence = EvidenceStore(LocalStore(tmp_path))
    evidence.record(PASSED)
    yesterday = tmp_path / evidence.record(FAILED)
    os.utime(yesterday, (0, 0))

    assert evidence.latest("holds", PASSED.partition, PASSED.check, MARCH, suite_version="1") == FAILED
