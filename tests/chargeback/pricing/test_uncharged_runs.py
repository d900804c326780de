"""Runs that cost nothing: each is named with its reason and the team that would have borne it."""

from chargeback.contracts.runs import RUNS
from chargeback.pricing.ownership import ownership_of_month, read_ownership
from chargeback.pricing.uncharged_runs import UNCHARGED, uncharged_runs
from tests.chargeback.pricing.test_ownership import HEADER
from tests.chargeback.worked_month import MARCH, the_ownership
from tests.tables import a_table_of


def test_never_started_and_uncounted_runs_are_listed_once_and_cpu_jobs_are_not() -> None:
    runs = a_table_of(
        RUNS,
        """
        day         run  job_id  account     gpu_count_basis  declared_gpus  elapsed_seconds  suspended_seconds
        2026-03-03  1@a  1       nlp-lab     never started    -              0                0
        2026-03-03  2@a  2       nlp-lab     never started    0              0                0
        2026-03-03  3@a  3       vision-lab  unknown          -              3600             60
        2026-03-04  3@a  3       vision-lab  unknown          -              7200             60
        2026-03-03  4@a  4       misc        unknown          -              -                -
        2026-03-03  5@a  5       nlp-lab     recorded         8              60               0
        2026-03-03  6@a  6       nlp-lab     no GPUs          0              60               0
        """,
        cluster="slurm-a",
        tier="standard",
    )

    uncharged = uncharged_runs(runs.lazy(), the_ownership(), unknown_accounts=("root",))

    assert dict(uncharged.schema) == UNCHARGED
    assert uncharged.select("team", "job_id", "reason", "wall_seconds").rows() == [
        ("NLP", "1", "never started", 0),
        ("Vision", "3", "GPU count unknown: nobody recorded it, never taken as 0", 7260),
        ("unattributed", "4", "GPU count unknown: nobody recorded it, never taken as 0", 0),
    ]


def test_a_run_of_a_shared_account_is_listed_for_each_of_its_teams() -> None:
    runs = a_table_of(
        RUNS,
        """
        day         run  job_id  account     gpu_count_basis
        2026-03-03  1@a  1       shared-lab  unknown
        """,
        cluster="slurm-a",
    )

    uncharged = uncharged_runs(runs.lazy(), the_ownership())

    assert uncharged["team"].to_list() == ["NLP", "Vision"]


def test_an_uncharged_pod_finds_its_owner_by_its_namespace_queue_as_a_charged_one_does() -> None:
    runs = a_table_of(
        RUNS,
        """
        day         run  job_id  account  scheduler   queue   gpu_count_basis
        2026-03-03  a    ml/a    ml       kubernetes  team-a  never started
        """,
        cluster="k8s-b",
    )
    owner = f"{HEADER}k8s-b,queue,ml/team-a,p,Vision,1,C1,100,2026-01-01,"
    rows, refusals = read_ownership(owner.encode(), object_key="o")

    uncharged = uncharged_runs(runs.lazy(), ownership_of_month(rows, period=MARCH))

    assert refusals == []
    assert uncharged["team"].to_list() == ["Vision"]
