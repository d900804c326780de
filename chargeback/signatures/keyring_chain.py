"""Which keyring is in force: the last of a chain that begins with the one pinned outside the lake.

Each version names the one before it by hash and bears the approvals of two holders who are current in that one, of
different roles, different persons, one of them of finance. Anything else that landed as a keyring (a fork, a gap,
another first one, a change that too few approved) refuses the whole, since what is missing may be a revocation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from chargeback.signatures.fields import same_person
from chargeback.signatures.judgement import Approvable, Counted, LandedRecord, judge
from chargeback.signatures.keyring import Keyring, KeyringFile
from chargeback.signatures.keys import Key
from chargeback.signatures.kinds import FINANCE

IN_FORCE = "in force"


@dataclass(frozen=True, slots=True)
class LandedKeyring:
    """A keyring's file where it stands, and when it came there."""

    file: KeyringFile
    landed_at: datetime
    object_key: str


@dataclass(frozen=True, slots=True)
class KeyringRefused:
    """Why no keyring is in force, one line a reason: nothing that anybody signed counts."""

    reasons: tuple[str, ...]


def keyring_in_force(landed: Sequence[LandedKeyring], *, trust_root: str) -> Keyring | KeyringRefused:
    """The last version of the chain from the pinned first one, whatever the order in which the files landed.

    `trust_root` is the fingerprint of the first keyring. Approvals of one version may come in several files.
    """
    versions: dict[str, list[LandedKeyring]] = {}
    for each in landed:
        versions.setdefault(each.file.keyring.fingerprint, []).append(each)
    if trust_root not in versions:
        return KeyringRefused((_no_root(landed, trust_root),))
    current = versions.pop(trust_root)[0].file.keyring
    if current.version != 1:
        return KeyringRefused((f"trust_root {trust_root} pins version {current.version}: pin the first keyring",))
    while children := _children(versions, current):
        if len(children) > 1:
            places = " and ".join(versions[child][0].object_key for child in children)
            return KeyringRefused((f"keyring version {current.version} has two successors (a fork): {places}",))
        successor = versions.pop(children[0])
        if reasons := change_refused(successor, current=current):
            return KeyringRefused(reasons)
        current = successor[0].file.keyring
    if versions:
        return KeyringRefused(tuple(_unchained(each[0], current) for each in versions.values()))
    return current


def chain_until(current: Keyring, landed: Sequence[LandedKeyring]) -> tuple[Keyring, ...]:
    """The versions from the first one to the current one, each named by hash in the one after it."""
    known = {each.file.keyring.fingerprint: each.file.keyring for each in landed}
    chain = [current]
    while (before := known.get(chain[-1].previous)) is not None:
        chain.append(before)
    return tuple(reversed(chain))


def standing_of(keyring: Keyring, chain: Sequence[Keyring]) -> str:
    """What a keyring that is not newer than the one in force is: in force, superseded, or no part of the chain.

    `chain` ends with the version in force. Raises ValueError for a newer one, which is a proposal.
    """
    current = chain[-1]
    if keyring.version > current.version:
        raise ValueError(f"version {keyring.version} is newer than version {current.version}, which is in force")
    if keyring.fingerprint == current.fingerprint:
        return IN_FORCE
    told = f"version {current.version} ({current.fingerprint[:12]}) is in force"
    (same_number,) = (each for each in chain if each.version == keyring.version)
    if same_number.fingerprint == keyring.fingerprint:
        return f"superseded: it is version {keyring.version} of the chain from trust_root, unchanged; {told}"
    return (
        f"no part of the chain from trust_root: its version {keyring.version} is {same_number.fingerprint[:12]}, this "
        f"is {keyring.fingerprint[:12]}: changed, or never put in force; {told}"
    )


def change_refused(successor: Sequence[LandedKeyring], *, current: Keyring) -> tuple[str, ...]:
    """Why a version may not follow the current one, one line a reason; none if it may.

    `successor` are the files of that one version. Source: docs/decisions/0021.
    """
    keyring, where = successor[0].file.keyring, successor[0].object_key
    if keyring.previous != current.fingerprint or keyring.version != current.version + 1:
        return (_unchained(successor[0], current),)
    if turned := [key for key in keyring.keys if (old := current.key(key.fingerprint)) and not _same(old, key)]:
        return (f"{where} gives {turned[0].told()} another holder, role or beginning: a changed role is a new key",)
    thing = Approvable("keyring", str(keyring.version), keyring.fingerprint, keyring.prepared_by)
    judged = [
        judge(LandedRecord(approval, each.landed_at, each.object_key), thing, keyring=current)
        for each in successor
        for approval in each.file.approvals
    ]
    counted = [each for each in judged if isinstance(each, Counted)]
    if any(_may_change(one, other) for one, other in combinations(counted, 2)):
        return ()
    signers = ", ".join(sorted({each.key.told() for each in counted})) or "nobody whose approval counts"
    needed = f"two current holders of different roles, different persons, one of them of {', '.join(FINANCE)}"
    return (
        f"{where}: keyring version {keyring.version} is approved by {signers}; it needs {needed}",
        *(reason for each in judged if not isinstance(each, Counted) for reason in each),
    )


def _may_change(one: Counted, other: Counted) -> bool:
    return (
        one.key.role != other.key.role
        and not same_person(one.key.holder, other.key.holder)
        and (one.key.role in FINANCE or other.key.role in FINANCE)
    )


def _same(old: Key, new: Key) -> bool:
    return (old.holder, old.role, old.valid_from) == (new.holder, new.role, new.valid_from)


def _children(versions: Mapping[str, Sequence[LandedKeyring]], current: Keyring) -> list[str]:
    return sorted(name for name, files in versions.items() if files[0].file.keyring.previous == current.fingerprint)


def _unchained(landed: LandedKeyring, current: Keyring) -> str:
    """Why a keyring is not the one that follows the current version: what it is, by its number and its predecessor."""
    keyring, where = landed.file.keyring, landed.object_key
    ends = f"the chain from trust_root ends at version {current.version} ({current.fingerprint[:12]})"
    if keyring.version == 1:
        return f"{where} is another first keyring than the one that trust_root pins"
    if keyring.version <= current.version:
        return f"{where} is version {keyring.version} ({keyring.fingerprint[:12]}); {ends}: only the next can follow"
    if keyring.version == current.version + 1:
        return (
            f"{where} is version {keyring.version} after {keyring.previous[:12]}; {ends}: it follows another version "
            f"{current.version}"
        )
    return (
        f"{where} is version {keyring.version} after {keyring.previous[:12]}; {ends}: a version between is missing or "
        "was changed"
    )


def _no_root(landed: Sequence[LandedKeyring], trust_root: str) -> str:
    firsts = sorted({each.file.keyring.fingerprint for each in landed if each.file.keyring.version == 1})
    found = f"; the first keyring that landed has {', '.join(firsts)}" if firsts else "; no first keyring landed"
    return f"no keyring has the fingerprint {trust_root} that [signing] trust_root pins{found}"
