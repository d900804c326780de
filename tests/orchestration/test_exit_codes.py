"""What a bill or a backfill comes to is told to scripts by its exit code: a run that stopped outranks a refusal."""

import pytest

from orchestration.bill_command import exit_code_of


@pytest.mark.parametrize(
    ("failures", "refused", "code"),
    [((), (), 0), ((), ("no rate card",), 1), (("2026-10: disk full",), (), 3), (("disk full",), ("no rate card",), 3)],
)
def test_done_is_0_a_refusal_1_and_a_run_that_stopped_3(
    failures: tuple[str, ...], refused: tuple[str, ...], code: int
) -> None:
    assert exit_code_of(failures=failures, refused=refused) == code
