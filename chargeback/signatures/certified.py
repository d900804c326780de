"""A certificate as a signed document: what was certified, under which policies, code, card and waivers, after which.

Chained: each names the content of the month's before it, so that none can be exchanged alone. Signed by the key of the
deployment, which stands in the keyring in the role `platform`; it says who ran the gate, and approves nothing.
Not here: certifying (chargeback/ledger/certificate.py), where documents stand (assets/certificate.py).
"""

from collections.abc import Mapping
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from chargeback.signatures.canonical import NotCanonical, canonical_json, read_json, readable_json
from chargeback.signatures.keyring import Keyring
from chargeback.signatures.keys import fingerprint_of, is_signature_of, public_key_of, signature_of

CERTIFICATE_FORMAT = "gpu-chargeback certificate 1"
ROLE = "platform"


def certificate_document(
    month: str,
    *,
    certificate: str,
    previous: str,
    contents: Mapping[str, str],
    policies: Mapping[str, str],
    code_version: str,
    cards: Mapping[str, str],
    waivers: Mapping[str, str],
) -> dict[str, object]:
    """The document, as a tree of texts.

    Input:   `certificate`, `previous`: content hashes of this month's certificate and of that of the month before,
             empty where there is none; `contents`: `table|partition` -> content hash; `cards`: version -> sha256.
    """
    return {
        "format": CERTIFICATE_FORMAT,
        "month": month,
        "certificate": certificate,
        "previous": previous,
        "contents": dict(contents),
        "policies": dict(policies),
        "code_version": code_version,
        "rate_cards": dict(cards),
        "waivers": dict(waivers),
    }


def signed_document(document: Mapping[str, object], key: Ed25519PrivateKey | None) -> bytes:
    """The bytes of its file; without a key it says of itself that nobody signed it. Same input and key, same bytes."""
    if key is None:
        return readable_json({"document": dict(document), "signed_by": "", "signature": ""})
    signed = {
        "document": dict(document),
        "signed_by": fingerprint_of(public_key_of(key)),
        "signature": signature_of(canonical_json(dict(document)), key),
    }
    return readable_json(signed)


def faults_of_document(
    content: bytes, *, certificate: str, previous: str, keyring: Keyring | None, at: datetime
) -> tuple[str, ...]:
    """Why a document does not prove that this certificate follows that one, one line a reason; none if it does.

    `at`: when it is looked at; the key must be valid then, and of the platform.
    """
    try:
        read = read_json(content)
    except NotCanonical as fault:
        return (f"the document {fault}",)
    document = read.get("document") if isinstance(read, dict) else None
    if not isinstance(read, dict) or not isinstance(document, dict) or document.get("format") != CERTIFICATE_FORMAT:
        return ("it is no certificate of this format",)
    reasons = []
    if document.get("certificate") != certificate:
        reasons.append(f"it is of certificate {str(document.get('certificate'))[:12]}, {certificate[:12]} stands there")
    if document.get("previous") != previous:
        before = str(document.get("previous"))[:12] or "none"
        reasons.append(f"it follows certificate {before} of the month before, {previous[:12] or 'none'} stands there")
    return (*reasons, *_faults_of_signature(read, document, keyring, at))


def _faults_of_signature(
    read: Mapping[str, object], document: Mapping[str, object], keyring: Keyring | None, at: datetime
) -> tuple[str, ...]:
    fingerprint, signature = str(read.get("signed_by") or ""), str(read.get("signature") or "")
    if not signature:
        return ("nobody signed it: [signing] deployment_key names the key of this deployment",)
    key = keyring.key(fingerprint) if keyring else None
    if key is None:
        return (f"it is signed by key {fingerprint[:16]}, which is not in the keyring",)
    if not is_signature_of(signature, canonical_json(dict(document)), public_key=key.public_key):
        return (f"its signature is not one of {key.told()} on this text: altered after signing",)
    if key.role != ROLE:
        return (f"it is signed by {key.told()}: the deployment's key has the role {ROLE}",)
    return () if key.is_valid_at(at) else (f"{key.told()} is not valid ({key.validity()})",)
