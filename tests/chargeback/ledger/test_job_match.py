"""Which runs somebody means who types a job, in any of the forms in which people type one."""

import polars as pl
import pytest

from chargeback.contracts.runs import RUNS
from chargeback.ledger.job_match import jobs_meant, may_be_meant, nearest
from tests.tables import a_table_of

UID = "3f2a9c14-77de-4b1f-9d7c-0a1b2c3d4e5f"
TABLE = a_table_of(
    RUNS,
    f"""
    cluster  scheduler   run                        job_id       job_id_raw  user   account  job_name  workload
    slurm-a  slurm       4711@2026-03-05T10:00:00Z  4711         4711        ana    vision   sft       Job/sft
    slurm-a  slurm       4711@2026-03-05T13:00:00Z  4711         4711        ana    vision   sft       Job/sft
    slurm-a  slurm       123@2026-03-06T10:00:00Z   123_9        123         ana    vision   sweep     Job/sweep
    slurm-a  slurm       130@2026-03-06T10:00:00Z   123_4        130         ana    vision   sweep     Job/sweep
    slurm-a  slurm       19@2026-03-07T10:00:00Z    19+0         19          bo     nlp      pair      Job/pair
    slurm-a  slurm       20@2026-03-07T10:00:00Z    19+1         20          bo     nlp      pair      Job/pair
    slurm-b  slurm       4711@2026-03-08T10:00:00Z  4711         4711        cy     physics  md        Job/md
    slurm-a  slurm       55@2026-03-01T10:00:00Z    55           55          ana    vision   old       Job/old
    slurm-a  slurm       55@2026-03-30T10:00:00Z    55           55          bo     nlp      new       Job/new
    k8s-c    kubernetes  {UID}                      ml/train-0   {UID}       -      ml       train-0   Job/train
    k8s-c    kubernetes  aaaaaaaa-0000              ml/train-1   aaaaaaaa    -      ml       train-1   Job/train
    k8s-c    kubernetes  bbbbbbbb-0000              web/serve-1  bbbbbbbb    -      web      serve-1   Deployment/serve
    """,
)


def meant(asked: str) -> list[tuple[str, str, int]]:
    """What to type, cluster and number of runs of each job that may be meant."""
    rows = TABLE.filter(may_be_meant(asked))
    return [(each.asked, each.cluster, len(each.runs)) for each in jobs_meant(rows, asked)]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("123_4", [("123_4", "slurm-a", 1)]),
        ("130", [("123_4", "slurm-a", 1)]),  # its JobIDRaw
        ("19+1", [("19+1", "slurm-a", 1)]),
        ("4711@2026-03-05T13:00:00Z", [("4711", "slurm-a", 1)]),
        ("123_4.batch", [("123_4", "slurm-a", 1)]),
        ("ml/train-0", [("ml/train-0", "k8s-c", 1)]),
        ("train-0", [("ml/train-0", "k8s-c", 1)]),
        (UID, [("ml/train-0", "k8s-c", 1)]),
        (UID[:8], [("ml/train-0", "k8s-c", 1)]),
        ("Job/train", [("Job/train", "k8s-c", 2)]),
        ("train", [("Job/train", "k8s-c", 2)]),
        ("serve", [("Deployment/serve", "k8s-c", 1)]),
        ("sweep", [("Job/sweep", "slurm-a", 2)]),
        ("9999", []),
        ("", []),
        ("[a-z]+(", []),
    ],
)
def test_an_id_means_its_job_in_every_form_in_which_it_is_typed(
    asked: str, expected: list[tuple[str, str, int]]
) -> None:
    assert meant(asked) == expected


def test_a_requeued_job_is_one_job_with_every_run_and_the_same_id_on_two_clusters_is_two() -> None:
    assert meant("4711") == [("4711", "slurm-a", 2), ("4711", "slurm-b", 1)]
    assert meant("4711.0") == meant("4711")


def test_the_number_of_an_array_or_heterogeneous_job_may_mean_any_of_its_parts() -> None:
    assert meant("123") == [("123_4", "slurm-a", 1), ("123_9", "slurm-a", 1)]
    assert meant("19") == [("19+0", "slurm-a", 1), ("19+1", "slurm-a", 1)]


def test_an_id_that_the_scheduler_gave_out_twice_is_two_jobs() -> None:
    assert meant("55") == [("55", "slurm-a", 1), ("55", "slurm-a", 1)]


def test_what_is_nearest_is_a_number_by_distance_and_a_name_by_its_spelling() -> None:
    assert nearest("4712", ["4711", "130", "55", "123_4", "train"]) == ["4711", "130", "55"]
    assert nearest("trian-0", ["train-0", "serve-1", "", "train-1"]) == ["train-0", "train-1"]
    assert nearest("zzzz", ["train-0"]) == []


def test_days_repeat_a_run_and_change_nothing() -> None:
    rows = pl.concat([TABLE, TABLE]).filter(may_be_meant("4711"))

    assert [len(each.runs) for each in jobs_meant(rows, "4711")] == [2, 1]
