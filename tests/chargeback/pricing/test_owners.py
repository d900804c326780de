"""Who bears a run's day, whatever it is found by: the first kind of key that somebody owns decides, nothing is lost."""

import json
from collections import defaultdict
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.pricing.owners import DEFAULT_PRECEDENCE, with_owners
from chargeback.pricing.ownership import ownership_of_month, read_ownership
from resources.policy_settings import OWNER_KINDS, Policies
from tests.chargeback.pricing.test_ownership import HEADER
from tests.chargeback.worked_month import MARCH

DAY = "2026-03-07"
USAGE = {
    **dict.fromkeys(("run", "cluster", "day", "scheduler", "account", "user", "wckey", "queue", "labels"), pl.String()),
    "gpu_hours": pl.Int64(),
}


def a_run(run: str, **given: str | None) -> dict[str, object]:
    """A Kubernetes run of one GPU-hour in namespace ml; labels as a JSON object."""
    usual = {"cluster": "c", "day": DAY, "scheduler": "kubernetes", "account": "ml", "gpu_hours": 1}
    return {**dict.fromkeys(USAGE), **usual, "run": run, **given}


def labels(**given: str) -> str:
    """Labels as runs keep them."""
    return json.dumps(given, sort_keys=True)


def owners(*lines: str) -> pl.DataFrame:
    """Ownership of March from lines `kind,key,team[,percent]`."""
    rows = []
    for line in lines:
        kind, key, team, *percent = line.split(",")
        rows.append(f"c,{kind},{key},p,{team},1,C1,{percent[0] if percent else 100},2026-01-01,")
    read, refusals = read_ownership((HEADER + "\n".join(rows)).encode(), object_key="o")
    assert refusals == []
    return ownership_of_month(read, period=MARCH)


def owned(runs: list[dict[str, object]], ownership: pl.DataFrame, **more: object) -> pl.DataFrame:
    """The runs with their owners; root and default are unknown accounts."""
    return with_owners(pl.DataFrame(runs, schema=USAGE), ownership, unknown_accounts=("root", "default"), **more)


def teams(runs: list[dict[str, object]], ownership: pl.DataFrame, **more: object) -> dict[str, str]:
    """run -> team, of runs that one team bears wholly."""
    owned = with_owners(
        pl.DataFrame(runs, schema=USAGE), ownership, **{"unknown_accounts": ("root", "default"), **more}
    )
    assert len(owned) == len(runs)
    return dict(owned.select("run", "team").sort("run").rows())


def gpu_hours(runs: list[dict[str, object]], ownership: pl.DataFrame, **more: object) -> dict[str, Fraction]:
    """team -> GPU-hours."""
    owned = with_owners(
        pl.DataFrame(runs, schema=USAGE), ownership, **{"unknown_accounts": ("root", "default"), **more}
    )
    sums: dict[str, Fraction] = defaultdict(Fraction)
    for row in owned.iter_rows(named=True):
        sums[row["team"]] += row["gpu_hours"] * Fraction(row["part_numerator"], row["part_denominator"])
    return dict(sums)


K19 = [a_run("pod1", labels=labels(team="b")), a_run("pod2", labels=labels()), a_run("pod3")]
K19_OWNERS = ("namespace,ml,A", "label,ml/team=b,B")


def test_a_label_that_finance_named_for_the_namespace_moves_a_charge_and_a_lost_label_falls_to_the_namespace() -> None:
    assert teams(K19, owners(*K19_OWNERS)) == {"pod1": "B", "pod2": "A", "pod3": "A"}


def test_a_label_moves_nothing_in_a_namespace_for_which_finance_did_not_name_it() -> None:
    elsewhere = [a_run("1", account="other", labels=labels(team="b")), a_run("2", labels=labels(team="c"))]

    assert teams(elsewhere, owners(*K19_OWNERS)) == {"1": "unattributed", "2": "A"}


@settings(max_examples=60, deadline=None)
@given(
    precedence=st.lists(st.sampled_from(OWNER_KINDS), unique=True),
    named=st.lists(st.sampled_from([*K19_OWNERS, "queue,ml/q,Q,40", "user,ana,U", "account,ml,X,50"]), unique=True),
)
def test_the_three_gpu_hours_of_a_namespace_stay_three_whatever_the_precedence(
    precedence: list[str], named: list[str]
) -> None:
    runs = [run | {"queue": "q", "user": "ana"} for run in K19]

    found = gpu_hours(runs, owners(*named), precedence=precedence)

    assert sum(found.values()) == 3


def test_the_precedence_is_one_printed_policy() -> None:
    assert Policies().owner_precedence == DEFAULT_PRECEDENCE == ("label", "queue", "namespace", "account", "user")


@pytest.mark.parametrize(
    ("run", "team"),
    [
        (a_run("r", queue="q"), "Q"),
        (a_run("r", account="other", queue="q"), "unattributed"),
        (a_run("r", scheduler="slurm", account="lab", queue="gpu"), "P"),
        (a_run("r", scheduler="slurm", account="ml", queue="q"), "A"),
        (a_run("r", account="default", queue="q"), "D"),
        (a_run("r", account="default"), "unattributed"),
        (a_run("r", account="default", user="ana"), "U"),
    ],
)
def test_a_queue_is_a_partition_in_slurm_and_a_namespace_s_own_in_kubernetes(run: dict[str, object], team: str) -> None:
    ownership = owners("namespace,ml,A", "queue,ml/q,Q", "queue,gpu,P", "queue,default/q,D", "user,ana,U",
                       "account,default,X")  # fmt: skip

    assert teams([run], ownership) == {"r": team}


def test_of_two_labels_that_finance_named_the_one_named_first_decides() -> None:
    run = a_run("r", labels=labels(team="b", project="x"))

    assert teams([run], owners("label,ml/team=b,B", "label,ml/project=x,X")) == {"r": "B"}
    assert teams([run], owners("label,ml/project=x,X", "label,ml/team=b,B")) == {"r": "X"}


def test_a_label_with_a_prefix_is_named_whole() -> None:
    run = a_run("r", labels=labels(**{"example.org/team": "b"}))

    assert teams([run], owners("label,ml/example.org/team=b,B")) == {"r": "B"}


def test_what_a_label_s_owner_does_not_bear_is_unattributed_and_not_the_namespace_s() -> None:
    found = gpu_hours([a_run("r", labels=labels(team="b"))], owners("label,ml/team=b,B,60", "namespace,ml,A"))

    assert found == {"B": Fraction(3, 5), "unattributed": Fraction(2, 5)}


def test_usage_without_queues_and_labels_is_owned_by_account_and_user() -> None:
    bare = pl.DataFrame([a_run("r")], schema=USAGE).drop("queue", "labels", "scheduler")

    found = with_owners(bare, owners(*K19_OWNERS), unknown_accounts=())

    assert found["team"].to_list() == ["A"]
    assert found.columns == [*bare.columns, "owner_kind", "team", "cost_centre", "project", "company", "customer_class",
                             "part_numerator", "part_denominator"]  # fmt: skip
