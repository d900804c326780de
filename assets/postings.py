"""The asset postings."""

import dagster as dg

from assets.materialisation import Inputs, materialise, month_of
from assets.published import published
from assets.refusal import refusal
from assets.release import certificate_hash_of, certificate_in_force, refuse_unsigned_card, refuse_unsigned_maps
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.postings import POSTINGS
from chargeback.ledger.postings import PostingsRefused, postings_of
from resources.evidence import EvidenceStore
from resources.lake import Lake
from resources.people_objects import PeopleObjects
from resources.settings import Settings


@dg.asset(deps=[published])
def postings(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    evidence: dg.ResourceParam[EvidenceStore],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per journal entry and what became of it: withheld while the month runs in parallel."""
    month = month_of(context, settings)
    refuse_unsigned_card(month, lake=lake, people=people, settings=settings)
    refuse_unsigned_maps(month, lake=lake, people=people, settings=settings)
    held = certificate_in_force(month, lake=lake, evidence=evidence, settings=settings)
    entries = lake.scan(JOURNAL_ENTRIES, [month.partition])
    standing = lake.scan(POSTINGS, [month.partition]).frame.collect()
    rows = postings_of(
        entries.frame.collect(), standing, mode=settings.mode, certificate_hash=certificate_hash_of(held)
    )
    if isinstance(rows, PostingsRefused):
        raise refusal(rows.reasons)
    return materialise(
        context,
        lake,
        POSTINGS,
        month.partition,
        inputs=Inputs.of(held, entries, settings={"mode": settings.mode}),
        rule=lambda: rows,
    )
