"""Examples in the documents are what the product itself reads."""

import re
import textwrap
import tomllib
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from chargeback.billing_period import BillingPeriod
from chargeback.pricing.ownership import ownership_findings, read_ownership
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.rate_card import RateCard, read_rate_card
from chargeback.usage.gpu_approvals import parse_approvals
from chargeback.usage.sacct_fields import NAMES
from orchestration.land import given_instant
from resources.settings import read_settings
from tests.architecture.source_tree import ROOT

PAGE = (ROOT / "docs" / "connecting-your-cluster.md").read_text(encoding="utf-8")


def _example(beginning: str) -> str:
    """The indented block of the page that begins so."""
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", PAGE, re.M)
    texts = [textwrap.dedent(block).strip("\n") + "\n" for block in blocks]
    (found,) = [text for text in texts if text.startswith(beginning)]
    return found


def test_the_settings_of_the_example_are_accepted() -> None:
    settings = read_settings(tomllib.loads(_example("[lake]")), folder=Path("/"))

    assert settings.cluster("slurm-a").tiers == {"scavenger": "preemptible"}


def test_the_card_of_the_example_is_accepted_and_priced_in_every_unit() -> None:
    card = read_rate_card(_example("version:").encode(), object_key="card.yaml")

    assert isinstance(card, RateCard), card
    prices = prices_of_month(card, period=BillingPeriod("2026-03", ZoneInfo("Europe/Amsterdam")))
    assert {"GPU-hour", "slice-hour", "month_730"} == set(prices["stated_unit"])
    assert str(prices.filter(accelerator="h100-sxm5-80gb")["price"][0]).startswith("2.4000")


def test_the_build_up_of_the_example_makes_the_rate_that_it_states() -> None:
    head = 'version: "2026.3"\neffective_from: 2026-07\ncurrency: EUR\n'

    card = read_rate_card((head + _example("reason:")).encode(), object_key="card.yaml")

    assert isinstance(card, RateCard), card
    assert [build_up.accelerator for build_up in card.build_ups] == ["h100-sxm5-80gb"]
    assert (card.policies.platform_fault_cap_hours, card.policies.preempted_minutes) == (24, 60)
    assert [customers.kind for customers in card.customer_classes] == [
        "internal",
        "federal",
        "external",
        "intercompany",
    ]


def test_the_owners_of_the_example_are_accepted() -> None:
    rows, refusals = read_ownership(_example("cluster,kind").encode(), object_key="owners.csv")

    assert refusals == []
    assert ownership_findings(rows) == []
    assert len(rows) == 5


def test_the_approvals_of_the_example_are_accepted() -> None:
    parsed = parse_approvals(_example("- {cluster").encode())

    assert parsed.findings == ()
    assert [(approval.run, approval.gpus) for approval in parsed.approvals] == [("4711", 2), ("8_3", None)]


def test_sacct_has_every_field_that_the_example_asks_for() -> None:
    asked = re.search(r"--format=(JobIDRaw\S+)", PAGE)

    assert asked
    assert set(asked[1].split(",")) - set(NAMES) == set()


@pytest.mark.parametrize("spelled", ["20261005T010000Z", "2026-10-05T01:00:00Z"])
def test_an_extraction_time_is_read_as_the_example_spells_it(spelled: str) -> None:
    assert given_instant(spelled).isoformat() == "2026-10-05T01:00:00+00:00"
