"""The asset postings."""

import dagster as dg

from assets.enforcement import mode_of
from assets.materialisation import Inputs, materialise, month_of
from assets.published import published
from assets.refusal import refusal
from assets.release import certificate_hash_of, certificate_in_force, refuse_unsigned_card, refuse_unsigned_maps
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.outbox import OUTBOX
from chargeback.contracts.postings import POSTINGS
from chargeback.ledger.outbox import standings_of
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
    """One row per journal entry: withheld while the month runs in parallel, else prepared, or as it stands if sent."""
    month = month_of(context, settings)
    refuse_unsigned_card(month, lake=lake, people=people, settings=settings)
    refuse_unsigned_maps(month, lake=lake, people=people, settings=settings)
    held = certificate_in_force(month, lake=lake, evidence=evidence, people=people, settings=settings)
    mode = mode_of(month, lake=lake, people=people, settings=settings)
    entries = lake.scan(JOURNAL_ENTRIES, [month.partition])
    sent = lake.scan(OUTBOX, [month.partition])
    rows = postings_of(
        entries.frame.collect(),
        standings_of(sent.frame.collect()),
        mode=mode,
        certificate_hash=certificate_hash_of(held),
    )
    if isinstance(rows, PostingsRefused):
        raise refusal(rows.reasons)
    return materialise(
        context,
        lake,
        POSTINGS,
        month.partition,
        inputs=Inputs.of(held, entries, sent, settings={"mode": mode}),
        rule=lambda: rows,
    )
