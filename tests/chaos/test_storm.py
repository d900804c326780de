"""A month whose processes are killed at random and whose store fails ends as an undisturbed one: cent, byte and hash.

Run by `make chaos`: CHAOS_KILLS says how many kills, CHAOS_SEED draws the same ones again; below 50 kills each month
bears only a few.
"""

import os
from pathlib import Path

import pytest

from tests.chaos.attempts import BillMonth, Landing, RunDay, RunMonth
from tests.chaos.killing import fork_server
from tests.chaos.storm import KILLS_OF_A_LIFE, Storm
from tests.services.seaweedfs import S3Server, s3_server

__all__ = ["s3_server"]  # the fixture

pytestmark = pytest.mark.skipif(
    "CHAOS_KILLS" not in os.environ, reason="a storm takes minutes of two cores: make chaos"
)

KILLS = int(os.environ.get("CHAOS_KILLS", "5"))
SEED = int(os.environ.get("CHAOS_SEED", "1"))
A_FEW = {Landing: 3, RunDay: 2, RunMonth: 2, BillMonth: 1}


def test_a_month_billed_in_a_storm_ends_as_an_undisturbed_one(
    s3_server: S3Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kills_of_a_life = KILLS_OF_A_LIFE if KILLS >= 50 else A_FEW

    with fork_server() as context:
        figures = Storm(s3_server, tmp_path, SEED, context, kills_of_a_life).until(KILLS)

    with capsys.disabled():
        print(f"\n{figures}")  # a storm that failed can be made again by its seed
    assert figures.differences == []
    assert figures.kills.total() >= KILLS
    assert figures.compared
