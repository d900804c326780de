"""`chargeback rate-card new|explain|diff` at the terminal, for scripts and as a page."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from orchestration.cli import app
from resources.people_objects import PeopleRefused
from tests.chargeback.pricing.built_cards import H100, HEAD
from tests.estates import Estate

CLASSES = """\
customer_classes:
  internal: {kind: internal}
  medicine: {kind: internal, mark_up: 10 %}
"""
SLICES = """\
    slices:
      3g.40gb: {billing_weight: 1/2}
      2g.20gb: {billing_weight: 2/7}
    geometries:
      three: 1 x 3g.40gb + 1 x 2g.20gb
"""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["rate-card", *map(str, arguments)], env={"COLUMNS": "140"})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without settings, to stand in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CHARGEBACK_TOML", raising=False)
    return tmp_path


@pytest.fixture
def card(folder: Path) -> Path:
    """A card with a build-up, slices and two internal classes of which one pays more."""
    path = folder / "card.yaml"
    path.write_text(HEAD + CLASSES + "accelerators:\n" + H100 + SLICES)
    return path


def test_a_card_is_explained_component_by_component_with_what_a_year_and_a_cent_do(card: Path) -> None:
    said = run("explain", card).stdout

    assert "h100-sxm5-80gb  1.9900 EUR per GPU-hour" in said
    assert "256 GPUs × 8,760 h × 80 % (practical capacity) = 1,794,048 billable GPU-hours a year" in said
    assert re.search(r"depreciation +1,792,000.00 +0.998858 +50.2 % +█+ +8,960,000.00 ÷ 5 years", said)
    assert re.search(r"power +510,182.40 +0.284375 +14.3 %", said)
    assert re.search(r"rate +3,570,182.40 +1.990015 +100.0 % +rounded once, half-even, to 4 decimals: 1.9900", said)
    assert re.search(r"life of 6 instead of 5 years +1.823539 +−0.166476 +−8.4 % +−298,666.67", said)
    assert re.search(r"tariff of 0.15 instead of 0.14 EUR per kWh +2.010327 +\+0.020312 +\+1.0 % +\+36,441.60", said)


def test_an_explanation_tells_what_is_unfair_and_what_nobody_pays_for(card: Path) -> None:
    said = run("explain", card).stdout

    assert (
        "h100-sxm5-80gb standard: medicine (internal) pays 2.1890, 0.1990 more; 1.9900 per GPU-hour, what internal pays"
    ) in said
    assert "geometry three (1 x 3g.40gb + 1 x 2g.20gb): fully held, it recovers 11/14 of the GPU; 3/14" in said
    assert "h100-sxm5-80gb is written off from 2031-01 on" in said


def test_the_same_explanation_is_there_for_scripts(card: Path) -> None:
    document = json.loads(run("explain", card, "--format", "json").stdout)
    rows = run("explain", card, "--format", "csv").stdout.splitlines()

    assert document["accelerators"][0]["rate"] == "1.9900"
    assert [part["per_year"] for part in document["accelerators"][0]["components"]][:2] == ["1792000.00", "448000.00"]
    assert rows[0] == "accelerator,part,from,per_year,per_gpu_hour,per_cent"
    assert rows[1] == 'h100-sxm5-80gb,depreciation,"8,960,000.00 ÷ 5 years",1792000.00,0.998858,50.2'
    assert len(rows) == 1 + 9 + 1 + 2


def test_the_page_is_self_contained_shows_both_pictures_and_is_the_same_twice(card: Path) -> None:
    page, again = run("explain", card, "--format", "html").stdout, run("explain", card, "--format", "html").stdout

    assert page == again
    assert page.count("<svg") == 2
    assert not re.search(r"(src|href)=\"?http|@import|<script", page)
    assert "NOT SIGNED" in page
    assert "rounded once, half-even, to 4 decimals: 1.9900" in page
    assert "medicine (internal) pays 2.1890" in page


def test_the_page_of_a_card_of_prices_alone_has_no_picture(folder: Path) -> None:
    (folder / "c.yaml").write_text(HEAD + "accelerators:\n  a100:\n    standard: {price: 1.10, unit: GPU-hour}\n")

    page = run("explain", "c.yaml", "--format", "html").stdout

    assert "<svg" not in page
    assert "the price is stated without a build-up, nobody can recompute it" in page


def test_markup_in_a_name_stays_text_on_the_page(folder: Path) -> None:
    (folder / "c.yaml").write_text(
        HEAD + "prepared_by: <script>x</script>\naccelerators:\n  a:\n    standard: {price: 1, unit: GPU-hour}\n"
    )

    assert "&lt;script&gt;" in run("explain", "c.yaml", "--format", "html").stdout


def test_a_card_that_does_not_recompute_is_refused_with_the_rate_that_it_should_state(folder: Path) -> None:
    (folder / "c.yaml").write_text(HEAD + "accelerators:\n" + H100.replace("1.9900", "2.40"))

    refused = run("explain", "c.yaml")

    assert isinstance(refused.exception, PeopleRefused)
    assert "its inputs make 1.9900, 0.4100 less" in str(refused.exception)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("explain", "none.yaml"), "none.yaml: no such file; `chargeback rate-card new none.yaml` starts one"),
        (("explain", "card.yaml", "--format", "pdf"), "--format is 'pdf'; it must be one of: table, json, csv, html"),
        (("diff", "card.yaml", "card.yaml", "--format", "html"), "--format is 'html'"),
        (("new", "card.yaml", "--accelerator", "h100"), "card.yaml is there already and is not overwritten"),
        (("new", "n.yaml"), "nothing is in use in a lake here"),
        (("new", "no/n.yaml", "--accelerator", "h100"), "no/n.yaml: there is no folder no; make it first"),
        (("new", "n.yaml", "--accelerator", "a100:3g.40gb"), "is no accelerator: write the whole GPU"),
        (("new", "n.yaml", "--accelerator", "h100", "--version", "v2"), "--version is 'v2', must be numbers with dots"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said_in_a_line(card: Path, arguments: tuple[str, ...], reason: str) -> None:
    refused = run(*arguments)

    assert refused.exit_code != 0
    assert reason in str(refused.exception)


def test_a_difference_is_shown_by_price_and_by_the_component_behind_it(card: Path) -> None:
    newer = card.with_name("new.yaml")
    newer.write_text(
        card.read_text()
        .replace("tariff_per_kwh: 0.14", "tariff_per_kwh: 0.16")
        .replace("1.9900", "2.0306")
        .replace("2026.2", "2026.3")
    )

    said = run("diff", card, newer).stdout
    document = json.loads(run("diff", card, newer, "--format", "json").stdout)
    rows = run("diff", card, newer, "--format", "csv").stdout.splitlines()

    assert "rate card 2026.2 → 2026.3 · EUR · 6 of 6 prices change" in said
    assert re.search(r"h100-sxm5-80gb +standard +1.990000 +2.030600 +\+0.040600 +\+2.04 % +GPU-hour", said)
    assert re.search(r"h100-sxm5-80gb +power +0.284375 +0.325000 +\+0.040625 +\+14.29 % +GPU-hour", said)
    assert document["changed"] == 6
    assert rows[2] == "h100-sxm5-80gb,price,standard,GPU-hour,1.990000,2.030600,0.040600,2.04"


def test_cards_in_two_currencies_are_not_compared(card: Path) -> None:
    other = card.with_name("usd.yaml")
    other.write_text(card.read_text().replace("EUR", "USD"))

    assert "is in EUR, 2026.2 in USD" in str(run("diff", card, other).exception)


def test_a_new_card_is_refused_until_it_is_filled_in_and_then_recomputes(folder: Path) -> None:
    begun = run("new", "n.yaml", "--accelerator", "h100-sxm5-80gb", "--effective-from", "2026-11", "--version", "7.1")
    empty = folder / "n.yaml"
    reasons = str(run("explain", "n.yaml").exception).splitlines()
    filled = empty.read_text()
    for field, value in (
        ("gpus", "256"), ("in_service", "2026-01"), ("life_years", "5"), ("capital_cost", "8960000"),
        ("support_per_year", "448000"), ("space_per_year", "96000"), ("interconnect_per_year", "160000"),
        ("storage_per_year", "120000"), ("staff_per_year", "380000"), ("software_per_year", "64000"),
    ):  # fmt: skip
        filled = filled.replace(f"  {field}: ", f"  {field}: {value} ").replace(
            f"  {field}:\n", f"  {field}: {value}\n"
        )
    filled = filled.replace("kw_per_gpu: ,", "kw_per_gpu: 1.25,").replace("pue: ,", "pue: 1.30,")
    filled = filled.replace("tariff_per_kwh: }", "tariff_per_kwh: 0.14}")
    empty.write_text(filled)

    priceless = str(run("explain", "n.yaml").exception)
    empty.write_text(filled.replace("price: , unit", "price: 1.9900, unit"))
    said = run("explain", "n.yaml").stdout

    assert "fill in the costs, then: chargeback rate-card explain n.yaml" in begun.stdout
    assert len(reasons) == 14
    assert priceless.endswith("price is missing: the build-up makes 1.9900 per GPU-hour, state that")
    assert "Rate card 7.1 · from 2026-11 on · EUR\nunsigned: nobody has looked for a signature" in said


def test_a_new_card_proposes_the_larger_of_compute_and_memory_share(folder: Path) -> None:
    run("new", "n.yaml", "--accelerator", "h200-sxm-141gb")

    text = (folder / "n.yaml").read_text()
    assert "#   3g.71gb: {billing_weight: 1/2}    # compute 3/7, memory 4/8" in text
    assert "#   4g.71gb: {billing_weight: 4/7}    # compute 4/7, memory 4/8" in text


def test_a_new_card_of_a_lake_knows_its_gpus_and_what_it_supersedes(folder: Path, billed_estate: Estate) -> None:
    begun = run("new", "n.yaml", "--effective-from", "2026-05", "--config", billed_estate.config)

    text = (folder / "n.yaml").read_text()
    assert "known from the lake" in begun.stdout
    assert 'version: "2026.2"' in text
    assert 'supersedes: "2026.1"' in text
    assert re.search(r"  h100-sxm5-80gb:\n    build_up:\n      gpus: \d+ +# the most in any hour of the lake", text)


def test_a_card_is_held_against_those_that_landed(card: Path, billed_estate: Estate) -> None:
    said = run("explain", card, "--config", billed_estate.config).stdout

    assert "rate cards 2026.1 and 2026.2 both price h100-sxm5-80gb from 2026-03 on" in said
