"""What people sign before anything is charged: the sign-off of a parallel month, a sponsor, a cost centre's acceptance.

Each is bound to what its signer saw: the figures and the certificate, the limits, the amount.
Source: docs/decisions/0034. Not here: the rule that asks for them (chargeback/ledger/enforcement.py).
"""

from collections.abc import Iterable, Mapping, Sequence

from chargeback.signatures.canonical import content_sha256
from chargeback.signatures.judgement import Approvable, Counted, LandedRecord, judge
from chargeback.signatures.keyring import Keyring
from chargeback.signatures.keyring_chain import KeyringRefused

SIGN_OFF, SPONSORSHIP, ACCEPTANCE = "sign-off", "sponsorship", "acceptance"
ENFORCEMENT = "enforcement"


def sign_off_of(month: str, *, certificate: str, variance: Mapping[str, object], prepared_by: str = "") -> Approvable:
    """The sign-off of a month: of these figures under this certificate, and of no other."""
    content = content_sha256({"month": month, "certificate": certificate, "variance": variance})
    return Approvable(SIGN_OFF, month, content, prepared_by)


def sponsorship_of(terms: Mapping[str, str], *, prepared_by: str = "") -> Approvable:
    """The sponsor's signature that teams are charged, on these terms."""
    return Approvable(SPONSORSHIP, ENFORCEMENT, content_sha256({"enforcement": dict(terms)}), prepared_by)


def acceptance_of(month: str, cost_centre: str, *, amount: str, prepared_by: str = "") -> Approvable:
    """A cost centre's acceptance to be charged from now on, having seen what it would have paid in a month."""
    content = content_sha256({"month": month, "cost_centre": cost_centre, "amount": amount})
    return Approvable(ACCEPTANCE, f"{month}/{cost_centre}", content, prepared_by)


def why_not_signed(
    things: Sequence[Approvable], records: Iterable[LandedRecord], keyring: Keyring | KeyringRefused | None
) -> tuple[str, ...]:
    """Why none of these things is signed, one line a reason; none if one of them is."""
    if keyring is None:
        return ("no signature counts yet: [signing] trust_root pins no keyring",)
    if isinstance(keyring, KeyringRefused):
        return keyring.reasons
    wanted = {(each.kind, each.subject): each for each in things}
    reasons: list[str] = []
    for landed in sorted(records, key=lambda each: (each.landed_at, each.object_key)):
        record = landed.signed.record
        thing = wanted.get((record.kind, record.subject))
        if thing is not None:
            judged = judge(
                landed, Approvable(thing.kind, thing.subject, thing.content_sha256, record.prepared_by), keyring=keyring
            )
            if isinstance(judged, Counted):
                return ()
            reasons += judged
    told = " or ".join(dict.fromkeys(each.subject for each in things)) or "it"
    kind = things[0].kind if things else "nothing"
    return tuple(reasons) or (f"nobody has signed the {kind} of {told}",)
