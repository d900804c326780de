"""The second guard: whatever lets something out verifies the certificate again, against what stands in the lake now.

Materialising `published` or `postings` alone, from the UI, meets the same refusal as the whole job (design.md 6).
"""

from assets.certification import certify_month
from assets.materialisation import Month
from assets.refusal import refusal
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.ledger.certificate import Refused
from resources.evidence import EvidenceStore
from resources.lake import Lake
from resources.lake_records import Scanned
from resources.settings import Settings


def certificate_in_force(month: Month, *, lake: Lake, evidence: EvidenceStore, settings: Settings) -> Scanned:
    """The month's certificate, if it certifies exactly what stands in the lake now.

    Raises dg.Failure with one line a reason otherwise.
    """
    held = lake.scan(CERTIFICATE, [month.partition])
    if held.missing:
        raise refusal([f"{month.period.month}: there is no certificate; the gate has not passed this month"])
    now = certify_month(month, lake=lake, evidence=evidence, settings=settings)
    if isinstance(now, Refused):
        raise refusal([f"{month.period.month}: the certificate does not hold any more", *now.reasons])
    if not now.frame.equals(held.frame.collect().sort(CERTIFICATE.key)):
        raise refusal([f"{month.period.month}: the certificate is of other contents; materialise certificate again"])
    return held


def certificate_hash_of(held: Scanned) -> str:
    """The content hash of the certificate that was read."""
    (content,) = held.contents.values()
    return content
