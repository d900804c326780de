"""The jobs that the UI runs, partition by partition, make what `chargeback bill` makes, to the byte.

Two days and their month here; the worked month, whole, is a target of its own (`make month-test`).
"""

import shutil
from pathlib import Path

import dagster as dg

from assets.materialisation import month_called
from orchestration.definitions import definitions_for
from orchestration.jobs import DAY_JOB, MONTH_JOB
from tests.estates import MONTH, Estate


def assert_the_ui_makes_the_same(billed: Estate, folder: Path) -> None:
    """Run the jobs of each day and of the month in another folder, over the same settings and landing."""
    estate = Estate(folder)
    estate.folder.mkdir()
    shutil.copy(billed.config, estate.config)
    shutil.copytree(billed.folder / "lake" / "landing", estate.folder / "lake" / "landing")
    definitions, instance = definitions_for(estate.settings), dg.DagsterInstance.ephemeral()
    days = [partition.key for partition in month_called(MONTH, estate.settings).days]

    for job, partitions in ((DAY_JOB, days), (MONTH_JOB, [MONTH])):
        for key in partitions:
            result = definitions.resolve_job_def(job).execute_in_process(
                instance=instance, partition_key=key, raise_on_error=False
            )
            assert result.success, key

    assert estate.contents() == billed.contents()
    assert estate.published() == billed.published()


def test_the_jobs_of_the_ui_make_the_same_contents(billed_estate: Estate, tmp_path: Path) -> None:
    assert_the_ui_makes_the_same(billed_estate, tmp_path / "by-the-ui")
