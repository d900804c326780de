"""Private keys: only their owner reads them, never in the lake, and no message repeats what stands in them."""

import os
import stat
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from chargeback.signatures.keys import public_key_of
from resources.private_keys import PassphraseNeeded, make_private_key, passphrase_of, read_private_key
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings, read_settings
from resources.signing_settings import Signing

SHORT = {
    "lake": {"root": "lake"},
    "billing": {"currency": "EUR", "first_day": date(2026, 10, 1)},
    "clusters": {"c": {}},
}
PHRASE = "a long phrase"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A lake in a folder of this one."""
    (tmp_path / "lake" / "landing").mkdir(parents=True)
    return read_settings(SHORT, folder=tmp_path)


@pytest.mark.parametrize("passphrase", [None, PHRASE])
def test_a_key_is_written_for_its_owner_only_and_read_again(
    settings: Settings, tmp_path: Path, passphrase: str | None
) -> None:
    path = tmp_path / "ada.pem"
    before = os.umask(0)
    try:
        made = make_private_key(path, passphrase=passphrase, settings=settings)
    finally:
        os.umask(before)

    read = read_private_key(path, passphrase=passphrase, settings=settings)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert public_key_of(read) == public_key_of(made)
    assert (b"ENCRYPTED" in path.read_bytes()) is (passphrase is not None)


@pytest.mark.parametrize("where", ["lake/ada.pem", "lake/landing/ada.pem", ".dagster/ada.pem", "link/ada.pem",
                                   "elsewhere/../lake/ada.pem"])  # fmt: skip
def test_a_private_key_in_the_lake_is_refused_through_whatever_path(
    settings: Settings, tmp_path: Path, where: str
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "lake" / "landing")
    (tmp_path / "elsewhere").mkdir()

    for act in (make_private_key, read_private_key):
        with pytest.raises(SettingsRefused, match="keep private keys elsewhere"):
            act(tmp_path / where, passphrase=None, settings=settings)

    assert list((tmp_path / "lake").rglob("*.pem")) == []


def test_an_existing_file_is_never_overwritten(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "ada.pem").write_text("mine")

    with pytest.raises(SettingsRefused, match="never overwritten"):
        make_private_key(tmp_path / "ada.pem", passphrase=None, settings=settings)

    assert (tmp_path / "ada.pem").read_text() == "mine"


def test_a_folder_that_does_not_exist_is_refused(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(SettingsRefused, match="does not exist"):
        make_private_key(tmp_path / "no" / "ada.pem", passphrase=None, settings=settings)


def test_a_key_that_others_may_read_is_refused(settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "ada.pem"
    make_private_key(path, passphrase=None, settings=settings)
    path.chmod(0o640)

    with pytest.raises(SettingsRefused, match=r"may be read by others \(mode 0640\): chmod 600"):
        read_private_key(path, passphrase=None, settings=settings)


def test_an_encrypted_key_needs_its_passphrase_and_no_message_repeats_it(settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "ada.pem"
    make_private_key(path, passphrase=PHRASE, settings=settings)

    with pytest.raises(PassphraseNeeded, match="is encrypted"):
        read_private_key(path, passphrase=None, settings=settings)
    with pytest.raises(SettingsRefused, match="or the passphrase is another one") as refused:
        read_private_key(path, passphrase="another phrase", settings=settings)

    assert "another phrase" not in str(refused.value)
    assert path.read_text().splitlines()[1] not in str(refused.value)


def test_what_is_no_ed25519_key_is_refused(settings: Settings, tmp_path: Path) -> None:
    other = tmp_path / "other.pem"
    other.write_bytes(
        X25519PrivateKey.generate().private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    other.chmod(0o600)
    (tmp_path / "text.pem").write_text("no key")
    (tmp_path / "text.pem").chmod(0o600)

    with pytest.raises(SettingsRefused, match="of another kind"):
        read_private_key(other, passphrase=None, settings=settings)
    with pytest.raises(SettingsRefused, match="is no PEM private key"):
        read_private_key(tmp_path / "text.pem", passphrase=None, settings=settings)
    with pytest.raises(SettingsRefused, match="cannot be read"):
        read_private_key(tmp_path / "none.pem", passphrase=None, settings=settings)


def test_the_passphrase_comes_from_the_variable_that_the_settings_name(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = replace(settings, signing=Signing(passphrase_env="OUR_PHRASE"))
    monkeypatch.setenv("OUR_PHRASE", PHRASE)

    assert passphrase_of(named) == PHRASE
    assert passphrase_of(settings) is None


@pytest.mark.parametrize(
    "section, reason",
    [
        ({"trust_root": "abc"}, "signing.trust_root is 'abc'; it must be the fingerprint of the first keyring"),
        ({"trust_root": 7}, "signing.trust_root is 7"),
        ({"trust": "x"}, "unknown setting signing.trust"),
        ({"passphrase_env": "a phrase"}, "must be the name of an environment variable"),
    ],
)
def test_a_section_that_cannot_be_is_refused(section: dict[str, object], reason: str) -> None:
    with pytest.raises(SettingsRefused, match=reason):
        read_settings({**SHORT, "signing": section}, folder=Path("/"))


def test_a_section_that_is_said_holds_and_none_pins_nothing() -> None:
    assert read_settings(SHORT, folder=Path("/")).signing == Signing(None, "CHARGEBACK_KEY_PASSPHRASE")
    assert read_settings({**SHORT, "signing": {"trust_root": "a1" * 32}}, folder=Path("/")).signing.trust_root == (
        "a1" * 32
    )
