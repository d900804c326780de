"""Which keyring is in force: a chain from the pinned first one, each change approved by two; all else is refused."""

import json
from dataclasses import replace
from datetime import timedelta
from itertools import permutations

import pytest

from chargeback.signatures.fields import Unreadable
from chargeback.signatures.keyring import Keyring, KeyringFile, read_keyring
from chargeback.signatures.keyring_chain import (
    KeyringRefused,
    LandedKeyring,
    chain_until,
    keyring_in_force,
    standing_of,
)
from tests.chargeback.signatures.people import (
    AUDITOR,
    CLERK,
    CONTROLLER,
    END,
    KEYRING,
    KEYS,
    LEAD,
    OWNER,
    PLATFORM,
    ROOT,
    SIGNED_AT,
    approved_file,
    key,
    landed_keyring,
    next_keyring,
    private_key,
)

FIRST = landed_keyring(KeyringFile(KEYRING))
NEWCOMER = private_key(20)
SECOND = next_keyring(KEYRING, *KEYS, key(NEWCOMER, "New Kay", "finance"))


def in_force(*landed: LandedKeyring, root: str = ROOT) -> Keyring:
    found = keyring_in_force(landed, trust_root=root)
    assert isinstance(found, Keyring), found
    return found


def refusal_of(*landed: LandedKeyring, root: str = ROOT) -> str:
    found = keyring_in_force(landed, trust_root=root)
    assert isinstance(found, KeyringRefused), found
    return "; ".join(found.reasons)


def test_the_first_keyring_is_in_force_because_it_is_pinned() -> None:
    assert in_force(FIRST) == KEYRING


@pytest.mark.parametrize("signers", [(LEAD, CONTROLLER), (LEAD, PLATFORM), (CLERK, AUDITOR), (CONTROLLER, CLERK)])
def test_a_change_that_two_holders_of_different_roles_approved_is_in_force(signers: tuple[object, ...]) -> None:
    assert in_force(FIRST, landed_keyring(approved_file(SECOND, *signers))) == SECOND  # type: ignore[arg-type]


def test_the_order_in_which_keyrings_landed_changes_nothing() -> None:
    third = next_keyring(SECOND)
    files = [FIRST, landed_keyring(approved_file(SECOND, LEAD, CONTROLLER)),
             landed_keyring(approved_file(third, LEAD, CONTROLLER))]  # fmt: skip

    assert {in_force(*order).version for order in permutations(files)} == {3}


def test_the_approvals_of_one_change_may_come_in_two_files() -> None:
    one, other = (landed_keyring(approved_file(SECOND, signer)) for signer in (LEAD, CONTROLLER))

    assert in_force(FIRST, one, other) == SECOND


@pytest.mark.parametrize(
    "signers, told",
    [
        ((), "approved by nobody whose approval counts"),
        ((LEAD,), "approved by Ada Berg (finance-lead"),
        ((PLATFORM, AUDITOR), "approved by Aud Moe (auditor"),
        ((OWNER, LEAD), "a keyring is approved by finance-lead or finance"),
        ((NEWCOMER, LEAD), "which is not in keyring version 1"),
    ],
)
def test_a_change_that_too_few_may_approve_is_refused(signers: tuple[object, ...], told: str) -> None:
    reasons = refusal_of(FIRST, landed_keyring(approved_file(SECOND, *signers)))  # type: ignore[arg-type]

    assert "it needs two current holders of different roles, different persons, one of them of finance-lead" in reasons
    assert told in reasons


def test_two_holders_of_one_role_may_not_change_the_keyring() -> None:
    other_lead = private_key(21)
    first = replace(KEYRING, keys=(*KEYS, key(other_lead, "Two Lead", "finance-lead")))

    reasons = refusal_of(
        landed_keyring(KeyringFile(first)),
        landed_keyring(approved_file(next_keyring(first), LEAD, other_lead)),
        root=first.fingerprint,
    )

    assert "needs two current holders of different roles" in reasons


def test_one_person_with_two_keys_and_two_roles_is_not_two_persons() -> None:
    other_key = private_key(22)
    first = replace(KEYRING, keys=(*KEYS, key(other_key, "ada berg", "controller")))

    reasons = refusal_of(
        landed_keyring(KeyringFile(first)),
        landed_keyring(approved_file(next_keyring(first), LEAD, other_key)),
        root=first.fingerprint,
    )

    assert "different persons" in reasons


def test_who_prepared_a_change_does_not_approve_it() -> None:
    own = next_keyring(KEYRING, prepared_by="Ada Berg")

    assert "nobody approves what they prepared" in refusal_of(
        FIRST, landed_keyring(approved_file(own, LEAD, CONTROLLER))
    )


def test_a_key_that_ended_changes_no_keyring() -> None:
    late = END + timedelta(days=1)

    reasons = refusal_of(FIRST, landed_keyring(approved_file(SECOND, LEAD, CONTROLLER, at=late), late))

    assert "was not valid" in reasons


def test_a_key_that_the_change_itself_brings_does_not_approve_it() -> None:
    assert "not in keyring version 1" in refusal_of(FIRST, landed_keyring(approved_file(SECOND, CONTROLLER, NEWCOMER)))


def test_a_key_that_was_taken_out_changes_no_later_keyring() -> None:
    without_lead = next_keyring(KEYRING, *KEYS[1:])
    third = next_keyring(without_lead, *KEYS)

    reasons = refusal_of(
        FIRST,
        landed_keyring(approved_file(without_lead, CONTROLLER, AUDITOR)),
        landed_keyring(approved_file(third, LEAD, CONTROLLER)),
    )

    assert "not in keyring version 2" in reasons


def test_approvals_of_one_change_cannot_be_replayed_on_another() -> None:
    approved = approved_file(SECOND, LEAD, CONTROLLER)
    other = replace(approved, keyring=next_keyring(KEYRING, *KEYS, key(NEWCOMER, "New Kay", "controller")))

    assert "altered after signing, or another one" in refusal_of(FIRST, landed_keyring(other))


def test_a_fork_is_refused() -> None:
    other = next_keyring(KEYRING, *KEYS[1:])

    reasons = refusal_of(
        FIRST,
        landed_keyring(approved_file(SECOND, LEAD, CONTROLLER)),
        landed_keyring(approved_file(other, LEAD, CONTROLLER)),
    )

    assert "keyring version 1 has two successors (a fork)" in reasons


def test_a_gap_is_refused() -> None:
    third = next_keyring(SECOND)

    reasons = refusal_of(FIRST, landed_keyring(approved_file(third, LEAD, CONTROLLER)))

    assert "a version between is missing or was changed" in reasons


def test_a_version_that_skips_a_number_is_refused() -> None:
    skipped = replace(SECOND, version=3)

    assert "is version 3 after" in refusal_of(FIRST, landed_keyring(approved_file(skipped, LEAD, CONTROLLER)))


def test_a_version_that_follows_another_predecessor_is_said_to_do_so() -> None:
    stranger = replace(SECOND, previous="ab" * 32)

    assert "it follows another version 1" in refusal_of(
        FIRST, landed_keyring(approved_file(stranger, LEAD, CONTROLLER))
    )


def test_the_chain_goes_back_to_the_first_and_each_version_of_it_says_what_it_is() -> None:
    third = next_keyring(SECOND)
    landed = [FIRST, landed_keyring(approved_file(SECOND, LEAD, CONTROLLER))]

    chain = chain_until(third, landed)

    assert chain == (KEYRING, SECOND, third)
    assert standing_of(third, chain) == "in force"
    assert standing_of(SECOND, chain).startswith("superseded: it is version 2 of the chain from trust_root, unchanged")
    changed = standing_of(replace(SECOND, reason="mine"), chain)
    assert changed.startswith(f"no part of the chain from trust_root: its version 2 is {SECOND.fingerprint[:12]}")
    assert changed.endswith(f"version 3 ({third.fingerprint[:12]}) is in force")
    with pytest.raises(ValueError, match="version 4 is newer than version 3"):
        standing_of(next_keyring(third), chain)


def test_a_changed_first_keyring_is_refused() -> None:
    changed = replace(KEYRING, keys=(*KEYS, key(NEWCOMER, "New Kay", "finance-lead")))

    reasons = refusal_of(landed_keyring(KeyringFile(changed)))

    assert f"no keyring has the fingerprint {ROOT} that [signing] trust_root pins" in reasons
    assert changed.fingerprint in reasons


def test_another_first_keyring_beside_the_pinned_one_is_refused() -> None:
    other = replace(KEYRING, reason="mine")

    assert "is another first keyring" in refusal_of(FIRST, landed_keyring(KeyringFile(other)))


def test_without_any_keyring_nothing_is_in_force() -> None:
    assert "no first keyring landed" in refusal_of()


def test_only_a_first_keyring_can_be_pinned() -> None:
    second = landed_keyring(approved_file(SECOND, LEAD, CONTROLLER))

    assert "pins version 2" in refusal_of(FIRST, second, root=SECOND.fingerprint)


def test_a_key_keeps_its_holder_role_and_beginning_through_every_version() -> None:
    promoted = next_keyring(KEYRING, *KEYS[:2], replace(KEYS[2], role="finance-lead"), *KEYS[3:])

    reasons = refusal_of(FIRST, landed_keyring(approved_file(promoted, LEAD, CONTROLLER)))

    assert "gives Pat Lind (finance-lead, key " in reasons
    assert "a changed role is a new key" in reasons


def test_a_keyring_is_read_back_as_it_was_written() -> None:
    file = approved_file(SECOND, LEAD, CONTROLLER)

    assert read_keyring(file.content()) == file
    assert file.approvals[0].record.at == SIGNED_AT


def test_signing_twice_with_one_key_leaves_one_approval() -> None:
    assert len(approved_file(SECOND, LEAD, LEAD).approvals) == 1


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"version": "0"}, "must be a whole number from 1"),
        ({"version": "2"}, "version 2 must name a previous keyring"),
        ({"previous": "ab" * 32}, "version 1 must not name a previous keyring"),
        ({"keys": []}, "at least one key"),
        ({"keys": [KEYS[0].document(), {**KEYS[0].document(), "holder": "Eve"}]}, "one key stands twice"),
        ({"keys": "none"}, "at least one key"),
        ({"note": "x"}, "unknown field 'note'"),
    ],
)
def test_what_is_no_keyring_is_refused(change: dict[str, object], reason: str) -> None:
    document = json.loads(KeyringFile(KEYRING).content())
    document["keyring"] |= change

    with pytest.raises(Unreadable, match=reason):
        read_keyring(json.dumps(document).encode())
