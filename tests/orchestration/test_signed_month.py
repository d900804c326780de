"""The worked month through a card that finance signed, by the commands that people type: keys, keyring, card, bill."""

import csv
import re
from pathlib import Path

import polars as pl
import pytest

from chargeback.contracts.partition import Partition
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.statements import STATEMENTS
from chargeback.contracts.team_charges import TEAM_CHARGES
from tests.chargeback.worked_month import lines_as_text
from tests.estates import INPUTS, MONTH, Estate, prepared
from tests.orchestration.commands_here import done, refused
from tests.orchestration.test_worked_month import by_the_commands

pytestmark = pytest.mark.timeout(2400)  # a whole month of runs, on machines of any speed

CARD = (INPUTS / "rate-card.yaml").read_text()
FINGERPRINT = re.compile(r"fingerprint ([0-9a-f]{64})")
NEW = ("--prepared-by", "Ops Desk", "--reason", "who approves")


@pytest.fixture
def estate(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Estate:
    """The worked month as the commands billed it, with the card unsigned, to be changed."""
    march = prepared(tmp_path_factory, "worked-month", by_the_commands).copied_to(tmp_path / "march")
    monkeypatch.chdir(march.folder)
    (march.folder / "keys").mkdir(mode=0o700)
    (march.folder / "card.yaml").write_text(CARD)
    return march


def pin_and_change_a_keyring(estate: Estate) -> None:
    """Two people make keys and are pinned; they add the platform's key, each of them signing the change."""
    for name, holder, role in (("lead", "Ada Berg", "finance-lead"), ("controller", "Bo Chen", "controller")):
        key = ("--to", f"keys/{name}.pem", "--holder", holder, "--role", role)
        done("key", "new", *key, "--into", "first.json", *NEW)
    (root,) = FINGERPRINT.findall(refused("key", "verify", "first.json"))
    estate.trust(root)
    assert "pinned as the trust root" in done("key", "verify", "first.json")
    done("land", "first.json", "--source", "keyrings")

    platform = ("--to", "keys/platform.pem", "--holder", "platform lead", "--role", "platform")
    done("key", "new", *platform, "--into", "second.json", *NEW)
    done("key", "sign", "second.json", "--key", "keys/lead.pem")
    half = refused("land", "second.json", "--source", "keyrings")
    assert "approved by Ada Berg (finance-lead" in half
    assert "nothing was landed" in half
    done("key", "sign", "second.json", "--key", "keys/controller.pem")
    done("land", "second.json", "--source", "keyrings")


def bill(estate: Estate) -> None:
    """Bill the month again, whose days stand as they are."""
    outcome = estate.bill()
    assert (outcome.refused, outcome.failures, outcome.days_run) == ((), (), ())
    assert outcome.changed


def verdict(estate: Estate) -> tuple[bool, str]:
    """Whether the card that prices the month is signed, and in which words."""
    rows = estate.workspace.lake.scan(RATE_CARD, [Partition.of_month(MONTH)]).frame.collect()
    (said,) = rows.select("is_signed", "signature").unique().rows()
    return bool(said[0]), str(said[1])


def marks_on_statements(estate: Estate) -> set[bool]:
    """Whether the statements of the month say that their card is signed."""
    rows = estate.workspace.lake.scan(STATEMENTS, [Partition.of_month(MONTH)]).frame.collect()
    signed = rows["document"].str.contains('"is_signed":true', literal=True)
    return set(signed.to_list())


def contents_of_days(estate: Estate) -> dict[str, str]:
    """What stands in the tables of days."""
    return {key: content for key, content in estate.contents().items() if "slurm-a" in key}


def lines_of(estate: Estate) -> pl.DataFrame:
    """The month's statement lines."""
    return estate.workspace.lake.scan(TEAM_CHARGES, [Partition.of_month(MONTH)]).frame.collect()


def test_a_signed_card_prices_the_worked_month_to_the_same_cents_until_a_byte_of_its_meaning_is_altered(
    estate: Estate,
) -> None:
    days = contents_of_days(estate)
    assert (verdict(estate)[0], marks_on_statements(estate)) == (False, {False})
    pin_and_change_a_keyring(estate)
    sign = ("rate-card", "sign", "card.yaml", "--reason", "agreed on 12 March", "--key")
    told = refused(*sign, "keys/platform.pem")
    assert "a rate-card is approved by finance-lead or controller" in told

    done(*sign, "keys/lead.pem")
    done("rate-card", "publish", "card.yaml")
    bill(estate)

    is_signed, told = verdict(estate)
    assert is_signed
    assert told.startswith("signed: approved by Ada Berg (finance-lead, key ")
    assert marks_on_statements(estate) == {True}
    with (INPUTS / "expected-lines.csv").open() as file:
        assert lines_as_text(lines_of(estate)) == [tuple(row) for row in csv.reader(file)][1:]
    assert contents_of_days(estate) == days

    (landed,) = (estate.folder / "lake" / "landing" / "rate-cards").rglob("*.yaml")
    landed.unlink()
    estate.land("rate-cards", CARD.replace("2.385", "2.386").encode(), extension="yaml")
    bill(estate)

    is_signed, told = verdict(estate)
    assert not is_signed
    assert told.startswith("unsigned: landing/approvals/")
    assert "altered after signing, or another one" in told
    assert marks_on_statements(estate) == {False}
