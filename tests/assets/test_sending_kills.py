"""A sending that is killed between any two of its steps: the next one leaves one document a key, and books that tie."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chargeback.ledger.outbox import order_findings, single_findings
from resources.posting_settings import FILE_SYSTEMS
from tests.assets.dying import REVERSED, TEAMS, Killed, dying, raise_killed, work
from tests.assets.sendings import SERVED, SYSTEMS, TAKEN_OVER_AFTER, House, house, journal_of
from tests.services.finance_http import KNOWN

MOST_STEPS = 100
KILLS = int(os.environ.get("POSTING_KILLS", "0"))


def after_the_kill(one: House) -> None:
    """The next sending, once the killed one's time is over."""
    one.clock.now += TAKEN_OVER_AFTER
    one.post("next")
    if one.states()["t1:allocation:r1"] == "acknowledged":
        one.reverse(REVERSED, "next")


def is_whole(one: House) -> None:
    states = one.states()
    assert states == {
        **{f"t{n}:allocation:r1": "acknowledged" for n in range(2, len(TEAMS) + 1)},
        "t1:allocation:r1": "reversed",
        "t1:allocation:r1:storno": "acknowledged",
    }
    assert order_findings(one.rows()) == []
    assert single_findings(one.rows()) == []
    tied = one.tied()
    assert tied.findings == ()
    assert tied.ties
    assert sum(len(each) for each in ({line.remote_id for line in one.system.held_lines("gpu-cb:C1:2026-03")},)) == 7


@pytest.mark.parametrize("name", SYSTEMS if KILLS else ["csv", "erpnext"])
def test_a_sending_may_die_between_any_two_steps(name: str, tmp_path: Path) -> None:
    died, step = 0, 1 if KILLS else 3
    for at in range(1, MOST_STEPS, step):
        with house(name, tmp_path / str(at)) as one:
            one.entries = journal_of(*TEAMS)
            try:
                work(dying(one, at, raise_killed), "killed")
            except Killed:
                died += 1
            else:
                break
            after_the_kill(one)
            is_whole(one)
    assert died >= 30 // step


@pytest.mark.parametrize("at", [2, 9] if not KILLS else range(1, MOST_STEPS))
@pytest.mark.parametrize("name", ["csv", "erpnext"] if not KILLS else SYSTEMS)
def test_a_sending_may_be_killed_by_the_kernel(name: str, at: int, tmp_path: Path) -> None:
    with house(name, tmp_path, timeout_seconds=5) as one:
        one.entries = journal_of(*TEAMS)
        url = one.system._posting.url if name in SERVED else ""  # type: ignore[attr-defined]
        killed = subprocess.run(
            [sys.executable, "-m", "tests.assets.dying", tmp_path / "lake", name, url, str(at)],
            env={**os.environ, "CHARGEBACK_POSTING_PASSWORD": KNOWN}, check=False, capture_output=True,
        )  # fmt: skip
        if KILLS and killed.returncode == 0:
            pytest.skip("it ends before that step")
        assert killed.returncode == -9, killed.stderr.decode()
        after_the_kill(one)
        is_whole(one)


def test_every_format_of_files_is_among_them() -> None:
    assert set(FILE_SYSTEMS) < set(SYSTEMS)
