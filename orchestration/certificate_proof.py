"""Whether the signed document of a month's certificate proves it: the newest that does, else why none does.

Not here: what a document says (chargeback/signatures/certified.py), writing it (assets/certificate_document.py).
"""

from datetime import datetime

from assets.certificate_document import FOLDER
from assets.enforcement import certificate_content
from assets.materialisation import Month
from chargeback.signatures.certified import faults_of_document
from chargeback.signatures.keyring import Keyring
from orchestration.workspace import Workspace


def proof_of(month: Month, workspace: Workspace, now: datetime) -> tuple[str, tuple[str, ...]]:
    """Key of the document and no fault; or the key of the last one, or nothing, with every reason."""
    name = month.period.month
    certificate = certificate_content(name, workspace.lake)
    if certificate is None:
        return "", (f"{name} has no certificate",)
    previous = certificate_content(month.period.previous.month, workspace.lake) or ""
    found, _ = workspace.people.signed.keyring()
    keyring = found if isinstance(found, Keyring) else None
    told: tuple[str, ...] = (f"{name} has no document of its certificate: materialise certificate",)
    last = ""
    for stored in workspace.store.list(f"{FOLDER}/{name}/"):
        last, content = stored.key, workspace.store.get(stored.key)
        told = faults_of_document(content, certificate=certificate, previous=previous, keyring=keyring, at=now)
        if not told:
            return stored.key, ()
    return last, told
