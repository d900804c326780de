"""What computing days again changed: exact differences that add up, and a page that says so."""

from decimal import Decimal
from fractions import Fraction

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.recomputation import Standing, recomputation
from chargeback.ledger.recomputation_page import render_recomputation
from chargeback.ledger.recomputed_figures import (
    Figure,
    Figures,
    Key,
    changed_partitions,
    changes_by,
    charged_figures,
    figures_as_rows,
    figures_of_rows,
    held_figures,
    total_change,
)
from chargeback.money import Currency
from tests.tables import a_table_of

EUR = Currency("EUR")
VISION: Key = ("2026-10", "Vision", "slurm-a", "h100-sxm5-80gb")
NLP: Key = ("2026-10", "NLP", "k8s-b", "a100-sxm4-80gb")
HOUR = Fraction(3600)

figures = st.dictionaries(
    st.tuples(st.just("2026-10"), *(st.sampled_from(names) for names in ("abc", "xy", "pq"))),
    st.builds(
        Figure,
        st.fractions(min_value=0, max_value=10**9, max_denominator=10),
        st.decimals(min_value=0, max_value=10**9, places=2),
    ),
)


def compared(before: Figures, after: Figures, **contents: dict[str, str]) -> dict[str, object]:
    then, now = contents.get("then", {}), contents.get("now", {"team_charges|2026-10": "b"})
    return recomputation(
        Standing(before, {}, then), Standing(after, {}, now), days=["2026-10-03", "2026-10-04"],
        clusters=["slurm-a"], months=["2026-10"], closed_months=[], currency=EUR,
    )  # fmt: skip


def test_lines_of_one_team_cluster_and_accelerator_are_added_exactly() -> None:
    charged = charged_figures(
        TEAM_CHARGES.empty().vstack(
            pl.DataFrame(
                [
                    {**dict.fromkeys(TEAM_CHARGES.column_names), "month": "2026-10", "team": "Vision",
                     "cluster": "slurm-a", "accelerator": "h100-sxm5-80gb", "gpu_seconds": seconds,
                     "amount": Decimal(amount)}
                    for seconds, amount in (("7202/5", "1.10"), ("1/3", "2.05"))
                ],
                schema=TEAM_CHARGES.schema,
            )
        )
    )  # fmt: skip

    assert charged == {VISION: Figure(Fraction(7202, 5) + Fraction(1, 3), Decimal("3.15"))}


def test_what_was_held_is_counted_in_physical_gpus() -> None:
    rows = a_table_of(ATTRIBUTION, """
        run  cluster  accelerator  share_units  units_per_gpu  held_seconds
        1    a        h100         1            1              3600
        2    a        h100         3            7              700
        3    a        a100         1            2              10
    """)  # fmt: skip

    assert held_figures(rows.lazy()) == {("a", "h100"): Figure(Fraction(3900)), ("a", "a100"): Figure(Fraction(5))}


@given(before=figures, after=figures)
def test_differences_of_teams_and_of_places_add_up_to_the_same_total(before: Figures, after: Figures) -> None:
    teams = total_change(changes_by(before, after, (1,)))
    places = total_change(changes_by(before, after, (2, 3)))

    assert teams == places
    assert teams.difference.amount == sum((f.amount for f in after.values()), Decimal(0)) - sum(
        (f.amount for f in before.values()), Decimal(0)
    )
    assert teams.before.gpu_seconds + teams.difference.gpu_seconds == teams.after.gpu_seconds


@given(figures)
def test_remembered_figures_are_the_same_figures(remembered: Figures) -> None:
    assert figures_of_rows(figures_as_rows(remembered)) == remembered


def test_a_partition_that_is_new_gone_or_other_is_counted_at_its_table() -> None:
    before = {"runs|a|1": "x", "runs|a|2": "x", "holds|a|1": "x"}
    after = {"runs|a|1": "y", "runs|a|2": "x", "holds|a|2": "x"}

    assert changed_partitions(before, after) == {"runs": 1, "holds": 2}


def test_a_team_that_came_and_one_that_went_are_rows_of_the_comparison() -> None:
    before = {NLP: Figure(10 * HOUR, Decimal("20.00"))}
    after = {VISION: Figure(4 * HOUR, Decimal("9.54"))}

    document = compared(before, after)

    rows = {row["name"]: row for row in document["teams"]}  # type: ignore[attr-defined]
    assert (rows["NLP"]["hours_difference"], rows["NLP"]["amount_difference"]) == ("-10.00", "-20.00")
    assert (rows["Vision"]["amount_before"], rows["Vision"]["amount_after"]) == ("0.00", "9.54")
    assert document["total"]["hours_difference"] == "-6.00"  # type: ignore[index]
    assert document["total"]["amount_difference"] == "-10.46"  # type: ignore[index]


def test_a_difference_of_one_second_is_not_shown_as_zero() -> None:
    document = compared({VISION: Figure(HOUR)}, {VISION: Figure(HOUR + 1)})

    assert document["figures_changed"]
    assert document["total"]["hours_difference"] == "0.0003"  # type: ignore[index]


def test_equal_contents_are_said_to_be_unchanged() -> None:
    same = {"runs|a|1": "x"}

    document = compared({VISION: Figure(HOUR)}, {VISION: Figure(HOUR)}, then=same, now=same)

    assert not document["changed"]
    assert "Nothing changed" in render_recomputation(document).decode()


def test_the_page_draws_teams_with_a_difference_only_and_asks_no_address_for_anything() -> None:
    still: Key = ("2026-10", "Steady", "slurm-a", "h100-sxm5-80gb")
    before = {VISION: Figure(HOUR, Decimal("2.00")), still: Figure(HOUR, Decimal("2.00"))}
    after = {VISION: Figure(2 * HOUR, Decimal("4.00")), still: Figure(HOUR, Decimal("2.00"))}

    document = compared(before, after)
    page = render_recomputation(document).decode()

    chart = page[page.index("<svg") : page.index("</svg>")]
    assert "Vision" in chart
    assert "Steady" not in chart
    assert "Steady" in page
    assert "+2.00 EUR" in page
    assert "src=" not in page
    assert render_recomputation(document).decode() == page


def test_names_of_teams_cannot_write_into_the_page() -> None:
    hostile: Key = ("2026-10", "<script>alert(1)</script>", "slurm-a", "h100")

    page = render_recomputation(compared({}, {hostile: Figure(HOUR, Decimal("1.00"))})).decode()

    assert "<script>" not in page
