"""`chargeback map`: what it shows, what it signs, and each thing that it refuses."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from chargeback.contracts.maps import MAPS
from chargeback.contracts.partition import Partition
from orchestration.map_tables import _decides
from tests.checks.judging import rows_of
from tests.estates import MONTH, Estate
from tests.orchestration.commands_here import done, ran, refused
from tests.orchestration.test_signing_commands import NEW, PEOPLE, new_key

SIGN = ("map", "sign", "tiers", "--by", "Ops Desk", "--reason", "as agreed", "--key")


@pytest.fixture
def estate(billed_estate: Estate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Estate:
    """A billed lake with a pinned keyring of three people."""
    estate = billed_estate.copied_to(tmp_path / "maps")
    monkeypatch.chdir(estate.folder)
    monkeypatch.delenv("CHARGEBACK_KEY_PASSPHRASE", raising=False)
    (estate.folder / "keys").mkdir(mode=0o700)
    for name, holder, role in PEOPLE:
        new_key(name, holder, role, "--into", "first.json", *NEW)
    (root,) = re.findall(r"fingerprint ([0-9a-f]{64})", refused("key", "verify", "first.json"))
    estate.trust(root)
    done("land", "first.json", "--source", "keyrings")
    return estate


def listed() -> dict[str, str]:
    rows = json.loads(ran("map", "list", "--month", MONTH, "--format", "json").output)
    return {row["map"]: row["signature"] for row in rows}


def test_a_map_is_shown_explained_signed_and_then_stands_signed_in_the_month(estate: Estate) -> None:
    before = listed()
    told = csv.DictReader(io.StringIO(ran("map", "explain", "tiers", "--month", MONTH, "--format", "csv").output))
    tiers = {row["name"]: (row["is"], int(row["runs"])) for row in told}

    said = done(*SIGN, "keys/lead.pem")

    assert before["tiers"].startswith("unsigned: no record of approvals/")
    assert before["calendar"] == "empty: nothing to sign"
    assert before["billing weights"].startswith("in rate card 2026.1, unsigned")
    assert tiers["scavenger"][0] == "preemptible"
    assert any(to == "standard: nobody mapped it" and runs for to, runs in tiers.values())
    assert "landed as landing/approvals/" in said
    assert listed()["tiers"].startswith("signed: approved by Ada Berg (finance-lead")
    estate.bill()
    stands = {row["map"]: row["is_signed"] for row in rows_of(estate, MAPS).iter_rows(named=True)}
    assert stands == {"accelerators": False, "tiers": True}


def test_another_content_of_the_map_is_unsigned_again(estate: Estate) -> None:
    done(*SIGN, "keys/lead.pem")
    text = estate.config.read_text()

    estate.config.write_text(text.replace('scavenger = "preemptible"', 'scavenger = "standard"'))

    assert "altered after signing, or another one" in listed()["tiers"]

    estate.config.write_text(text.replace('tiers = {scavenger = "preemptible"}', ""))

    assert listed()["tiers"].startswith("unsigned: ")  # emptied is another content too
    assert "draft of map tiers" in done(
        "map", "sign", "tiers", "--by", "Ops Desk", "--reason", "x", "--draft", "d.json"
    )


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ((*SIGN, "keys/platform.pem"), "a map is approved by"),
        (("map", "sign", "tiers", "--by", "Ada Berg", "--reason", "x", "--key", "keys/lead.pem"), "nobody approves"),
        (("map", "sign", "tiers", "--by", " ", "--reason", "x", "--key", "keys/lead.pem"), "say who prepared"),
        (("map", "sign", "tiers", "--by", "O", "--reason", "x"), "say either who signs"),
        (("map", "sign", "calendar", "--by", "O", "--reason", "x", "--key", "keys/lead.pem"), "is empty"),
        (("map", "sign", "weights", "--by", "O", "--reason", "x", "--key", "keys/lead.pem"), "must be one of: tiers"),
        ((*SIGN, "keys/lead.pem", "--until", "yesterday"), "--until"),
        (("map", "list", "--format", "xml"), "--format"),
    ],
)
def test_what_does_not_sign_a_map_is_one_sentence(estate: Estate, command: tuple[str, ...], why: str) -> None:
    assert why in refused(*command)
    assert estate.workspace.landing.objects("approvals", None) == []


def test_a_draft_is_signed_by_somebody_else_and_counts_once_it_lands(estate: Estate) -> None:
    done(
        "map", "sign", "accelerators", "--by", "Ops Desk", "--reason", "the node records' names", "--draft", "map.json"
    )

    done("key", "sign", "map.json", "--key", "keys/controller.pem")
    done("land", "map.json", "--source", "approvals")

    assert listed()["accelerators"].startswith("signed: approved by Bo Chen (controller")
    assert Partition.of_month(MONTH).key in estate.workspace.lake.states(MAPS, [Partition.of_month(MONTH)])


def test_accelerators_in_use_and_the_calendar_are_explained(estate: Estate) -> None:
    rows = json.loads(ran("map", "explain", "accelerators", "--month", MONTH, "--format", "json").output)

    assert {row["in use"] for row in rows} >= {"yes"}
    assert "name" in ran("map", "explain", "accelerators", "--month", MONTH).output
    assert json.loads(ran("map", "explain", "calendar", "--format", "json").output) == []


def test_tiers_are_explained_by_the_name_that_decides_them_in_each_scheduler() -> None:
    mapped = {"gpu": "preemptible", "vision/night": "preemptible", "day": "reserved"}

    def decides(scheduler: str, qos: str, queue: str) -> str:
        return _decides({"scheduler": scheduler, "account": "vision", "qos": qos, "queue": queue}, mapped)

    assert decides("slurm", "normal", "gpu") == "normal"  # a partition is mapped here, and maps nothing in Slurm
    assert decides("slurm", "", "gpu") == "(no QOS)"
    assert decides("kubernetes", "", "night") == "vision/night"
    assert decides("kubernetes", "high", "day") == "day"
    assert decides("kubernetes", "gpu", "day") == "gpu"
    assert decides("kubernetes", "high", "other") == "high"
    assert decides("kubernetes", "", "") == "(neither)"


def test_a_reason_with_brackets_is_printed_whole(billed_estate: Estate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(billed_estate.folder)

    assert "no [signing] trust_root is set" in done("map", "list", "--month", MONTH)
