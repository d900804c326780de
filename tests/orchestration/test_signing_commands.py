"""`chargeback key` and `chargeback rate-card`: what they say, what they write, and each thing that they refuse."""

import re
import stat
from pathlib import Path

import pytest

from chargeback.contracts.partition import Partition
from chargeback.contracts.rate_card import RATE_CARD
from tests.estates import INPUTS, LAST_DAY, MONTH, Estate, sacct
from tests.orchestration.commands_here import done, ran, refused

CARD = (INPUTS / "rate-card.yaml").read_text()
PHRASE_VARIABLE, PHRASE = "CHARGEBACK_KEY_PASSPHRASE", "a long phrase"
SIGN = ("rate-card", "sign", "card.yaml", "--reason", "agreed on 12 March", "--key")
NEW = ("--prepared-by", "Ops Desk", "--reason", "who approves")
PEOPLE = (("lead", "Ada Berg", "finance-lead"), ("controller", "Bo Chen", "controller"),
          ("platform", "platform lead", "platform"))  # fmt: skip


def new_key(name: str, holder: str, role: str, *more: str) -> str:
    return done("key", "new", "--to", f"keys/{name}.pem", "--holder", holder, "--role", role, *more)


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Estate:
    """A lake with a card beside it, and no key yet."""
    estate = Estate.begun_in(tmp_path / "lake-of-keys", people=False)
    monkeypatch.chdir(estate.folder)
    monkeypatch.delenv(PHRASE_VARIABLE, raising=False)
    (estate.folder / "keys").mkdir(mode=0o700)
    (estate.folder / "card.yaml").write_text(CARD)
    return estate


@pytest.fixture
def estate(begun: Estate) -> Estate:
    """The same with a pinned keyring of three people."""
    for name, holder, role in PEOPLE:
        new_key(name, holder, role, "--into", "first.json", *NEW)
    (root,) = re.findall(r"fingerprint ([0-9a-f]{64})", refused("key", "verify", "first.json"))
    begun.trust(root)
    done("land", "first.json", "--source", "keyrings")
    return begun


def test_a_first_keyring_says_how_it_is_pinned_and_lands_only_afterwards(begun: Estate) -> None:
    new_key("lead", "Ada Berg", "finance-lead", "--into", "first.json", *NEW)

    assert 'to trust it: [signing] trust_root = "' in refused("key", "verify", "first.json")
    assert "pin the first keyring before it lands" in refused("land", "first.json", "--source", "keyrings")
    assert "is a first keyring, which is pinned and not signed" in refused(
        "key", "sign", "first.json", "--key", "keys/lead.pem"
    )


@pytest.mark.parametrize("command", [("key", "list"), ("rate-card", "verify", "card.yaml"), (*SIGN, "keys/lead.pem")])
def test_without_a_pinned_keyring_nobodys_signature_counts(begun: Estate, command: tuple[str, ...]) -> None:
    assert "pin the first keyring as [signing] trust_root in chargeback.toml" in refused(*command)


def test_the_keyring_in_force_is_listed_with_validity_and_what_each_may_approve(estate: Estate) -> None:
    told = done("key", "list")

    assert "keyring version 1, fingerprint " in told
    assert "pinned in chargeback.toml" in told
    for part in ("Ada Berg", "controller", "platform lead", "valid", "rate-card, closing", "to open"):
        assert part in told
    assert '"role": "platform"' in done("key", "list", "--format", "json")


def test_a_keyring_is_changed_by_two_and_a_revoked_key_leaves_its_cards_unsigned(estate: Estate) -> None:
    done(*SIGN, "keys/lead.pem")
    done("rate-card", "publish", "card.yaml")
    done("key", "list", "--propose", "next.json", "--prepared-by", "Ops Desk", "--reason", "lost laptop")
    proposal = estate.folder / "next.json"
    proposal.write_text(re.sub(r'\{\s*"holder": "Ada Berg"[^}]*\},?\s*', "", proposal.read_text()))

    assert "it needs two current holders" in done("key", "sign", "next.json", "--key", "keys/controller.pem")
    assert "nothing was landed" in refused("land", "next.json", "--source", "keyrings")
    assert "complete: chargeback land next.json" in done("key", "sign", "next.json", "--key", "keys/platform.pem")
    assert "may follow version 1" in done("key", "verify", "next.json")
    done("land", "next.json", "--source", "keyrings")

    assert "which is not in keyring version 2" in refused("rate-card", "verify", "card.yaml")
    assert "in force" in done("key", "verify", "next.json")
    proposal.write_text(proposal.read_text().replace("lost laptop", "stolen laptop"))
    assert "no part of the chain from trust_root: its version 2 is" in refused("key", "verify", "next.json")


def test_who_prepared_a_keyring_does_not_sign_it(estate: Estate) -> None:
    done("key", "list", "--propose", "next.json", "--prepared-by", "ada berg", "--reason", "mine")

    told = refused("key", "sign", "next.json", "--key", "keys/lead.pem")

    assert "nobody approves what they prepared" in told
    assert "nothing was signed" in told


def test_a_signed_card_is_verified_published_and_lands_once(estate: Estate) -> None:
    done(*SIGN, "keys/lead.pem")

    assert "signed: approved by Ada Berg" in done("rate-card", "verify", "card.yaml")
    assert "counts: approved by Ada Berg" in done("key", "verify", "card.approval.json")
    assert "unsigned: no record of approvals/ approves rate card 2026.1" in done("rate-card", "explain", "card.yaml")
    done("rate-card", "publish", "card.yaml")
    assert "EUR signed: approved by Ada Berg" in done("rate-card", "explain", "card.yaml")
    landed = estate.tree()
    assert "was landed before as" in done("rate-card", "publish", "card.yaml")

    assert estate.tree() == landed
    (estate.folder / "card.approval.json").unlink()
    assert "signed: approved by Ada Berg" in done("rate-card", "verify", "card.yaml")


def test_a_card_is_signed_neither_by_platform_nor_by_who_prepared_it(estate: Estate) -> None:
    told = refused(*SIGN, "keys/platform.pem")

    assert "a rate-card is approved by finance-lead or controller" in told
    assert "is approved by platform lead, who prepared it: nobody approves what they prepared" in told
    assert "nothing was signed" in told
    assert not (estate.folder / "card.approval.json").exists()


def test_a_card_that_does_not_say_who_prepared_it_is_not_signed(estate: Estate) -> None:
    (estate.folder / "card.yaml").write_text(CARD.replace("prepared_by: platform lead\n", ""))

    assert "write prepared_by: NAME into it" in refused(*SIGN, "keys/lead.pem")


def test_a_card_that_was_altered_after_signing_is_not_published(estate: Estate) -> None:
    done(*SIGN, "keys/lead.pem")
    before = estate.tree()
    (estate.folder / "card.yaml").write_text(CARD.replace("1.68", "1.69"))

    verified, published = (refused("rate-card", act, "card.yaml") for act in ("verify", "publish"))

    assert "altered after signing, or another one" in verified
    assert "nothing was landed" in published
    assert estate.tree() == before


def test_an_approval_cannot_be_published_with_another_version_of_the_card(estate: Estate) -> None:
    done(*SIGN, "keys/lead.pem")
    (estate.folder / "card.yaml").write_text(CARD.replace('"2026.1"', '"2026.2"').replace("2026-01", "2026-02"))

    assert "approves rate card 2026.1, not 2026.2" in refused("rate-card", "publish", "card.yaml")


def test_an_approval_that_ends_before_the_cards_first_month_does_is_refused(estate: Estate) -> None:
    (estate.folder / "card.yaml").write_text(CARD.replace('"2026.1"', '"2026.9"').replace("2026-01", "2099-01"))

    told = refused(*SIGN, "keys/lead.pem", "--until", "2099-01-15T00:00:00Z")

    assert "expired: it holds until 2099-01-15T00:00:00Z" in told
    done(*SIGN, "keys/lead.pem", "--until", "2099-01-31T23:00:00Z")


def test_a_version_that_landed_with_other_bytes_is_not_published_again(estate: Estate) -> None:
    estate.land("rate-cards", CARD.encode(), extension="yaml")
    (estate.folder / "card.yaml").write_text("# with a comment\n" + CARD)
    done(*SIGN, "keys/lead.pem")

    assert "landed before with other bytes" in refused("rate-card", "publish", "card.yaml")


def test_a_key_of_no_keyring_signs_nothing(estate: Estate) -> None:
    new_key("eve", "Eve", "finance-lead")

    assert "is not in keyring version 1: two of its holders have to add it first" in refused(*SIGN, "keys/eve.pem")


def test_a_private_key_is_kept_out_of_the_lake_and_of_what_is_printed(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = ("--holder", "Eve", "--role", "finance")
    inside = refused("key", "new", "--to", "lake/eve.pem", *eve)
    monkeypatch.setenv(PHRASE_VARIABLE, PHRASE)
    told = new_key("eve", "Eve", "finance")
    monkeypatch.delenv(PHRASE_VARIABLE)
    file = estate.folder / "keys" / "eve.pem"
    pem = file.read_text().splitlines()

    assert "keep private keys elsewhere" in inside
    assert "ENCRYPTED" in pem[0]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "mode 0600, encrypted" in told
    assert not any(line in told for line in (*pem[1:-1], PHRASE))
    assert f"set {PHRASE_VARIABLE}" in refused(*SIGN, "keys/eve.pem")
    assert not any(
        b"PRIVATE KEY" in path.read_bytes() for path in (estate.folder / "lake").rglob("*") if path.is_file()
    )


def test_a_passphrase_is_asked_for_twice_and_not_shown(begun: Estate) -> None:
    result = ran("key", "new", "--to", "keys/eve.pem", "--holder", "Eve", "--role", "finance", "--ask-passphrase",
                 typed=f"{PHRASE}\n{PHRASE}\n")  # fmt: skip

    assert result.exit_code == 0
    assert PHRASE not in result.output
    assert "ENCRYPTED" in (begun.folder / "keys" / "eve.pem").read_text()


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (("--holder", "Eve", "--role", "boss"), "--role is 'boss'; it must be one of: finance-lead"),
        (("--holder", " ", "--role", "finance"), "--holder is empty"),
        (
            ("--holder", "Eve", "--role", "finance", "--valid-until", "2020-01-01T00:00:00Z"),
            "is not after the beginning",
        ),
        (("--holder", "Eve", "--role", "finance", "--valid-from", "today"), "must be an instant in UTC"),
        (("--holder", "Eve", "--role", "finance", "--into", "new.json"), "say --prepared-by NAME and --reason TEXT"),
        (("--holder", "Eve", "--role", "finance", "--into", "no/new.json", *NEW), "there is no folder no; make it"),
    ],
)
def test_a_key_that_cannot_be_is_refused_before_anything_is_written(
    begun: Estate, arguments: tuple[str, ...], reason: str
) -> None:
    assert reason in refused("key", "new", "--to", "keys/eve.pem", *arguments)
    assert list((begun.folder / "keys").iterdir()) == []


def test_what_is_neither_keyring_nor_record_is_not_signed(estate: Estate) -> None:
    for act in (("key", "sign", "card.yaml", "--key", "keys/lead.pem"), ("key", "verify", "card.yaml")):
        assert "is neither a keyring nor a signed record" in refused(*act)
    assert "no such file: none.json" in refused("key", "verify", "none.json")


def test_a_lake_whose_trust_root_is_another_has_an_unsigned_card_again_and_bills_the_month_anew(estate: Estate) -> None:
    done(*SIGN, "keys/lead.pem")
    done("rate-card", "publish", "card.yaml")
    estate.land("slurm/sacct", sacct(LAST_DAY))
    assert estate.bill().month_run is not None
    assert not estate.bill().changed

    text = estate.config.read_text()
    estate.config.write_text(text.replace(text.partition('trust_root = "')[2][:64], "ab" * 32))
    billed = estate.bill()

    assert billed.changed
    rows = estate.workspace.lake.scan(RATE_CARD, [Partition.of_month(MONTH)]).frame.collect()
    assert rows["is_signed"].to_list() == [False] * 4
    assert "that [signing] trust_root pins" in rows["signature"][0]
