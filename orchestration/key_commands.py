"""`chargeback key new` and `chargeback key list`: who approves, from when until when.

Not here: signing and checking (key_signing.py), how a private key is kept (resources/private_keys.py).
"""

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from chargeback.signatures.fields import Unreadable, read_instant, spelled
from chargeback.signatures.keyring import Keyring, KeyringFile, read_keyring
from chargeback.signatures.keys import ROLES, SHOWN_DIGITS, Key, public_key_of
from chargeback.signatures.kinds import APPROVERS
from orchestration.local_files import refuse_without_folder, write_file
from orchestration.signing_desk import Desk, desk_of
from resources.private_keys import make_private_key, passphrase_of
from resources.setting_kinds import SettingsRefused, one_of

NARROWEST = 150
"""Characters a row, whatever the terminal says: a fingerprint or an instant is never broken."""


def make_key(
    to: Path,
    *,
    holder: str,
    role: str,
    valid_from: str | None,
    valid_until: str | None,
    into: Path | None,
    prepared_by: str,
    reason: str,
    ask_passphrase: bool,
    config: Path | None,
) -> Key:
    """Make a key pair and print the public entry; the private half goes into the file and nowhere else.

    Raises  SettingsRefused before anything is written, if any of it cannot be.
    """
    desk = desk_of(config)
    console = Console(soft_wrap=True, highlight=False)
    one_of(role, ROLES, "--role")
    if not holder.strip():
        raise SettingsRefused("--holder is empty: name the person who holds the key")
    begins = _instant(valid_from, "--valid-from") or desk.now
    ends = _instant(valid_until, "--valid-until")
    if ends is not None and ends <= begins:
        raise SettingsRefused(f"--valid-until {spelled(ends)} is not after the beginning, {spelled(begins)}")
    proposal = _proposal(into, desk, prepared_by, reason) if into else None
    passphrase = passphrase_of(desk.settings)
    if ask_passphrase:
        passphrase = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=True)
    private_key = make_private_key(to, passphrase=passphrase, settings=desk.settings)
    key = Key(holder.strip(), role, public_key_of(private_key), begins, ends)
    kept = "encrypted" if passphrase else "not encrypted"
    console.print(f"private key in {to} (mode 0600, {kept}): it leaves this machine never", markup=False)
    console.print(f"fingerprint {key.fingerprint}", markup=False)
    console.print_json(json.dumps(key.document()))
    if into and proposal:
        changed = replace(proposal, keys=(*proposal.keys, key))
        write_file(into, KeyringFile(changed).content())
        console.print(f"{into} is version {changed.version} with {len(changed.keys)} keys, not approved", markup=False)
    return key


def show_keyring(*, propose: Path | None, prepared_by: str, reason: str, output: str, config: Path | None) -> None:
    """Print the keyring in force, and begin the next version in a file if asked to."""
    desk = desk_of(config)
    one_of(output, ("table", "json"), "--format")
    keyring = desk.keyring()
    console = Console(soft_wrap=True, highlight=False)
    if output == "json":
        shown = [{**key.document(), "fingerprint": key.fingerprint, "state": _state(key, desk.now)}
                 for key in keyring.keys]  # fmt: skip
        said = {"version": str(keyring.version), "fingerprint": keyring.fingerprint, "keys": shown}
        console.print_json(json.dumps(said))
    else:
        console.print(f"keyring version {keyring.version}, fingerprint {keyring.fingerprint}", markup=False)
        console.print(f"trust root {desk.settings.signing.trust_root}, pinned in chargeback.toml", markup=False)
        console.width = max(console.width, NARROWEST)
        console.print(_table(keyring, desk.now))
    if propose:
        proposal = _proposal(propose, desk, prepared_by, reason)
        write_file(propose, KeyringFile(proposal).content())
        console.print(f"{propose} is version {proposal.version} to be: edit it, then have two sign it", markup=False)


def _table(keyring: Keyring, now: datetime) -> Table:
    table = Table("holder", "role", "key", "valid", "now", "approves")
    for key in sorted(keyring.keys, key=lambda each: (each.role, each.holder)):
        kinds = ", ".join(kind for kind, roles in APPROVERS.items() if key.role in roles)
        digits = key.fingerprint[:SHOWN_DIGITS]
        table.add_row(key.holder, key.role, digits, key.validity(), _state(key, now), kinds or "nothing")
    return table


def _state(key: Key, now: datetime) -> str:
    if key.is_valid_at(now):
        return "valid"
    return "not yet" if now < key.valid_from else "ended"


def _proposal(path: Path, desk: Desk, prepared_by: str, reason: str) -> Keyring:
    """The proposal in a file, else a new one: the next version after the one in force, or the first."""
    refuse_without_folder(path)
    if path.exists():
        try:
            return read_keyring(path.read_bytes()).keyring
        except Unreadable as fault:
            raise SettingsRefused(f"{path}: {fault}") from None
    if not prepared_by.strip() or not reason.strip():
        raise SettingsRefused(f"{path} would be a new proposal: say --prepared-by NAME and --reason TEXT")
    if desk.settings.signing.trust_root is None:
        return Keyring(1, "", prepared_by.strip(), reason.strip(), ())
    before = desk.keyring()
    return Keyring(before.version + 1, before.fingerprint, prepared_by.strip(), reason.strip(), before.keys)


def _instant(text: str | None, option: str) -> datetime | None:
    try:
        return read_instant(text, option) if text else None
    except Unreadable as fault:
        raise SettingsRefused(str(fault)) from None
