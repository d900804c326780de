"""`chargeback key sign` and `chargeback key verify`: a keyring proposal, or a record of any kind.

Not here: rate cards, whose content is read and hashed first (rate_card_signing.py).
"""

from pathlib import Path

from rich.console import Console

from chargeback.signatures.fields import Unreadable
from chargeback.signatures.judgement import Approvable, Counted, LandedRecord, judge
from chargeback.signatures.keyring import Keyring, KeyringFile, read_keyring
from chargeback.signatures.keyring_chain import IN_FORCE, LandedKeyring, change_refused, standing_of
from chargeback.signatures.recognition import signed_kind_of
from chargeback.signatures.record import Record, SignedRecord, read_record, sign_record
from orchestration.local_files import read_file, write_file
from orchestration.signing_desk import Desk, desk_of, holder_of
from resources.people_objects import PeopleRefused
from resources.setting_kinds import SettingsRefused


def sign_file(file: Path, *, key: Path, config: Path | None) -> SignedRecord:
    """Sign a keyring proposal or a draft in its own file; refused where the signature would not count.

    Raises  SettingsRefused, PeopleRefused with every reason.
    """
    desk = desk_of(config)
    console = Console(soft_wrap=True, highlight=False)
    proposal = _read(file)
    if isinstance(proposal, KeyringFile):
        if proposal.keyring.version == 1:
            raise SettingsRefused(
                f"{file} is a first keyring, which is pinned and not signed: [signing] trust_root = "
                f'"{proposal.keyring.fingerprint}"'
            )
        signed = signed_with(proposal.keyring.draft_of_approval(), desk=desk, key=key, name=file.name)
        changed = proposal.approved(signed)
        write_file(file, changed.content())
        missing = change_refused([LandedKeyring(changed, desk.now, file.name)], current=desk.keyring())
        next_step = missing[0] if missing else f"complete: chargeback land {file} --source keyrings"
    else:
        signed = signed_with(proposal.record, desk=desk, key=key, name=file.name)
        write_file(file, signed.content())
        next_step = f"chargeback land {file} --source approvals"
    console.print(f"signed {signed.record.told()} into {file}", markup=False)
    console.print(next_step, markup=False)
    return signed


def signed_with(draft: Record, *, desk: Desk, key: Path, name: str) -> SignedRecord:
    """A draft approved now by a private key, if that counts. Raises PeopleRefused with every reason if not."""
    keyring = desk.keyring()
    private_key = desk.private_key(key)
    holder_of(private_key, keyring)
    signed = sign_record(draft, key=private_key, at=desk.now)
    judged = judge(LandedRecord(signed, desk.now, name), claimed_by(draft), keyring=keyring)
    if not isinstance(judged, Counted):
        raise PeopleRefused((*judged, "nothing was signed"))
    return signed


def verify_file(file: Path, *, config: Path | None) -> int:
    """Say who signed what and whether it counts: 0 if it does, else 1."""
    desk = desk_of(config)
    console = Console(soft_wrap=True, highlight=False)
    read = _read(file)
    if isinstance(read, SignedRecord):
        judged = judge(LandedRecord(read, desk.now, file.name), claimed_by(read.record), keyring=desk.keyring())
        console.print(f"{read.record.told()}: prepared by {read.record.prepared_by}", markup=False)
        return _told(judged, console)
    keyring = read.keyring
    console.print(f"keyring version {keyring.version}, fingerprint {keyring.fingerprint}", markup=False)
    root = desk.settings.signing.trust_root
    if keyring.version == 1:
        pinned = keyring.fingerprint == root
        pin = f'to trust it: [signing] trust_root = "{keyring.fingerprint}"'
        other = f"trust_root pins another one, {root}" if root else pin
        console.print("pinned as the trust root" if pinned else other, markup=False)
        return 0 if pinned else 1
    current = desk.keyring()
    if keyring.version > current.version:
        return _verify_change(read, current, desk, file.name, console)
    standing = standing_of(keyring, desk.people.signed.chain(current))
    console.print(standing, markup=False)
    return 0 if standing == IN_FORCE else 1


def _verify_change(read: KeyringFile, current: Keyring, desk: Desk, name: str, console: Console) -> int:
    thing = claimed_by(read.keyring.draft_of_approval())
    for approval in read.approvals:
        _told(judge(LandedRecord(approval, desk.now, name), thing, keyring=current), console)
    missing = change_refused([LandedKeyring(read, desk.now, name)], current=current)
    console.print("\n".join(missing) or f"may follow version {current.version}", markup=False)
    return 1 if missing else 0


def _told(judged: Counted | tuple[str, ...], console: Console) -> int:
    if isinstance(judged, Counted):
        console.print(f"counts: {judged.told()}", markup=False)
        return 0
    console.print("\n".join(f"does not count: {reason}" for reason in judged), markup=False)
    return 1


def claimed_by(record: Record) -> Approvable:
    """The thing that a record says it approves; whether that thing is what stands there, its user has to ask."""
    return Approvable(record.kind, record.subject, record.content_sha256, record.prepared_by)


def _read(file: Path) -> KeyringFile | SignedRecord:
    content = read_file(file)
    kind = signed_kind_of(content)
    if kind is None:
        raise SettingsRefused(f"{file} is neither a keyring nor a signed record: it names no such format")
    try:
        return read_keyring(content) if kind == "keyring" else read_record(content)
    except Unreadable as fault:
        raise SettingsRefused(f"{file}: {fault}") from None
