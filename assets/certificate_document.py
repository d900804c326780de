"""Writes the signed document of a certificate beside the lake's tables, once for each content of it.

    certificates/<month>/<first digits of its own hash>.json

Not here: what it says (chargeback/signatures/certified.py).
"""

import hashlib
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assets.certification import contents_of
from assets.enforcement import certificate_content
from assets.materialisation import Month
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.signatures.certified import certificate_document, signed_document
from resources.code_version import code_version
from resources.lake import Lake
from resources.object_store import ObjectStore
from resources.private_keys import PassphraseNeeded, passphrase_of, read_private_key
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings

FOLDER = "certificates"


def write_document(month: Month, *, lake: Lake, store: ObjectStore, settings: Settings) -> str:
    """Its object's key. Raises SettingsRefused where the deployment's key cannot be used."""
    rows = lake.scan(CERTIFICATE, [month.partition]).frame.select("check_name", "waiver").collect()
    cards = lake.scan(RATE_CARD, [month.partition]).frame.select("card_version", "card_sha256").unique().collect()
    document = certificate_document(
        month.period.month,
        certificate=certificate_content(month.period.month, lake) or "",
        previous=certificate_content(month.period.previous.month, lake) or "",
        contents=contents_of(month, lake),
        policies=settings.printed_policies(),
        code_version=code_version(),
        cards={str(version): str(sha) for version, sha in cards.iter_rows()},
        waivers={str(check): str(waiver) for check, waiver in rows.unique().iter_rows() if waiver},
    )
    content = signed_document(document, deployment_key(settings))
    key = f"{FOLDER}/{month.period.month}/{hashlib.sha256(content).hexdigest()[:16]}.json"
    store.put_new(key, content)
    return key


def deployment_key(settings: Settings) -> Ed25519PrivateKey | None:
    """The key of this deployment; None where none is named. Raises SettingsRefused."""
    named = settings.signing.deployment_key
    if not named:
        return None
    try:
        return read_private_key(Path(named), passphrase=passphrase_of(settings), settings=settings)
    except PassphraseNeeded as needed:
        raise SettingsRefused(f"{needed}: set {settings.signing.passphrase_env}") from None
