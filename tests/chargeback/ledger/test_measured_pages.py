"""Pages of a month that telemetry saw: what held time did, what to do first, what worked though nobody held it."""

import json
import re
from fractions import Fraction

import polars as pl
import pytest

from chargeback.contracts.unallocated_activity import UNALLOCATED_ACTIVITY
from chargeback.ledger.estate_page import render_summary
from chargeback.ledger.exceptions import QUOTA, exception_parts, unheld_activity
from chargeback.ledger.statement_chart import chart_of_states
from chargeback.ledger.statement_document import read_document
from chargeback.ledger.statement_page import day_name, render_page, sentence
from tests.chargeback.ledger.test_statement_page import Outline
from tests.chargeback.ledger.worked_statements import document_of, measured_statements
from tests.tables import a_table_of


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    statements = measured_statements()
    made = {team: render_page(document_of(statements, team)) for team in ("Vision", "NLP")}
    made["estate"] = render_summary(statements["document"].to_list(), month="2026-03")
    return {name: Outline(page).text for name, page in made.items()}


def test_a_statement_says_what_its_held_hours_did_and_how_much_of_them_was_seen(pages: dict[str, str]) -> None:
    for said in (
        "busy 1,480.00 GPU-hours (48.8 %)", "starved 1,010.00 GPU-hours", "unmeasured 85.00 GPU-hours (2.8 %)",
        "1,480.00 GPU-hours active : activity above 20 %", "4.09 EUR per active GPU-hour",
        "telemetry saw 97.2 % of the held hours", "what it did not see is unmeasured, not idle",
    ):  # fmt: skip
        assert said in pages["Vision"], said


def test_a_statement_names_the_largest_losses_their_owner_and_what_to_do(pages: dict[str, str]) -> None:
    text = pages["Vision"]

    assert text.index("sweep-a · starved") < text.index("Notebook/n9 · held and idle") < text.index("Deploy/chat")
    for said in (
        "it runs and the GPUs wait: feed them faster", "ana01 vision-lab · slurm-a", "2 Mar 1 run 1,000.00 of 2,000.00",
        "stop it while nobody works with it", "GPUs never active: 1 of 69", "Deploy/chat 1 of 4.",
        "Nobody knows what 85.00 GPU-hours did: Deploy/chat 85.00", "1,465.00 GPU-hours were lost in all",
    ):  # fmt: skip
        assert said in text, said
    assert "RayJob/fit" not in text  # another team's


def test_held_stands_against_active_by_class_accelerator_and_cluster_in_gpu_hours_and_node_hours(
    pages: dict[str, str],
) -> None:
    for said in (
        "By class of work batch 2,000.00 960.00 1,000.00 40.00 0.00 48.0 % 250.00",
        "By accelerator H100 SXM5 80 GB 3,030.00 1,480.00",
        "By cluster slurm-a 2,000.00",
    ):
        assert said in pages["Vision"], said


def test_the_precedence_of_owners_is_printed_beside_the_policies(pages: dict[str, str]) -> None:
    for text in pages.values():
        assert "A run belongs to the first of its label, queue, namespace, account, user that the ownership" in text


def test_finance_sees_the_losses_of_all_teams_and_what_worked_though_nobody_held_it(pages: dict[str, str]) -> None:
    for said in (
        "GPU-2026-03-vision-r1 4711: 6,060.00 3,030.00 1,480.00 1,465.00 85.00 6,060.00",
        "RayJob/fit · held after its job ended", "NLP · nlp-lab · k8s-b",
        "A100 SXM4 80 GB GPU-44d2411e gpu07 k8s-b 5 Mar to 6 Mar ml/x 5.00", "Nobody is charged for it",
        "Quota that no pod held", "Job/train ml k8s-b 5 Mar team-a 40.00", "others wait for that quota",
    ):  # fmt: skip
        assert said in pages["estate"], said


def test_the_losses_of_all_teams_are_ranked_together_by_hours(pages: dict[str, str]) -> None:
    ranked = re.findall(r"(\S+) · (starved|held and idle|held after|held, never)", pages["estate"])

    assert [name for name, _ in ranked] == [
        "sweep-a", "Notebook/n9", "sweep-a", "RayJob/fit", "Deploy/chat", "RayJob/fit", "Job/pull", "Deploy/chat",
    ]  # fmt: skip


def test_the_chart_of_states_shows_every_day_and_is_drawn_the_same_twice() -> None:
    days = read_document(document_of(measured_statements(), "Vision"))["state_days"]

    drawn = chart_of_states(days, all_days=["2026-03-02", "2026-03-03", "2026-03-04"])

    assert drawn == chart_of_states(days, all_days=["2026-03-02", "2026-03-03", "2026-03-04"])
    assert drawn.startswith("<svg")
    assert chart_of_states([], all_days=["2026-03-02"]) == ""


def test_the_exact_seconds_of_a_documents_groups_add_up_to_what_was_held() -> None:
    document = read_document(document_of(measured_statements(), "Vision"))

    held = Fraction(document["held"]["gpu_seconds"])

    for grouping in document["utilisation"].values():
        assert sum(Fraction(row["gpu_seconds"]) for row in grouping) == held
    assert sum(Fraction(state["gpu_seconds"]) for state in document["held"]["states"]) == held
    json.loads(document_of(measured_statements(), "Vision"), parse_float=lambda text: pytest.fail(f"{text} is a float"))


def test_unheld_activity_is_added_up_device_by_device_over_its_days() -> None:
    activity = a_table_of(
        UNALLOCATED_ACTIVITY,
        """
        day         hour_start         gpu    active_milliseconds  labels
        2026-03-05  2026-03-05T10:00Z  GPU-1  3600000              ml/run-1
        2026-03-06  2026-03-06T10:00Z  GPU-1  1800000              ml/run-2
        2026-03-05  2026-03-05T10:00Z  GPU-2  60000                -
        2026-03-05  2026-03-05T11:00Z  GPU-3  0                    -
        """,
        cluster="k8s-b", host="n1", accelerator="a100-sxm4-80gb", consumed_ppm_milliseconds=0,
    )  # fmt: skip

    parts = exception_parts(unheld_activity(activity.lazy()), pl.DataFrame(schema=QUOTA), limit=1)["unheld"]

    assert (parts["count"], parts["gpu_seconds"], parts["hours"]) == (2, "5460", "1.52")
    (row,) = parts["rows"]
    assert (row["what"], row["hours"], row["first_day"], row["last_day"], row["detail"]) == (
        "GPU-1", "1.50", "2026-03-05", "2026-03-06", "ml/run-1, ml/run-2",
    )  # fmt: skip


def test_days_and_sentences_are_spelled_as_people_do() -> None:
    assert (day_name("2026-10-05"), day_name("")) == ("5 Oct", "")
    assert sentence("no telemetry of its GPUs") == "No telemetry of its GPUs."
