"""What a backfill remembers is read back as it was written; another file in its place is told, not followed."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from chargeback.contracts.partition import Partition
from chargeback.ledger.recomputation import Standing
from chargeback.ledger.recomputed_figures import Figure
from orchestration.backfill_memory import BackfillMemory, MemoryUnreadable, keep, recall
from orchestration.plan import recalled, remember
from resources.local_store import LocalStore
from tests.foreign_records import FOREIGN

MEMORY = BackfillMemory(
    first_day="2026-10-03",
    last_day="2026-10-04",
    clusters=("slurm-a",),
    months=("2026-10",),
    code_version="c0de",
    started_at="2026-10-20T12:00:00+00:00",
    before=Standing(
        charged={("2026-10", "Vision", "slurm-a", "h100"): Figure(Fraction(7200, 7), Decimal("12.34"))},
        held={("slurm-a", "h100"): Figure(Fraction(1, 3))},
        contents={"runs|slurm-a|2026-10-03": "ab"},
    ),
    versions={"runs": 7},
    done=frozenset({"slurm-a|2026-10-03"}),
)
DAY = Partition.of_day("slurm-a", "2026-10-03")


def test_a_memory_is_read_back_as_it_was_kept(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    keep(store, MEMORY)

    assert recall(store, MEMORY.key) == MEMORY


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_another_file_in_the_place_of_a_memory_is_one_sentence_with_its_place_and_what_to_do(
    tmp_path: Path, content: bytes
) -> None:
    store = LocalStore(tmp_path)
    store.put(MEMORY.key, content)

    with pytest.raises(MemoryUnreadable) as told:
        recall(store, MEMORY.key)

    assert str(told.value).startswith(f"{MEMORY.key}: what this backfill remembers cannot be read (")
    assert "delete it and give the command again" in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_a_damaged_note_of_what_was_billed_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    store = LocalStore(tmp_path)
    remember(store, DAY, "ab")
    assert recalled(store, DAY) == "ab"

    store.put("billed/slurm-a/2026-10-03.json", content)

    assert recalled(store, DAY) is None
