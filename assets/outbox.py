"""The asset outbox."""

import dagster as dg
import polars as pl

from assets.materialisation import month_of
from assets.posting_month import PostingDesk
from assets.postings import postings
from assets.refusal import refusal
from chargeback.contracts.outbox import OUTBOX
from resources.code_version import code_version
from resources.evidence import EvidenceStore
from resources.lake import Lake
from resources.lake_records import Provenance
from resources.object_store import ObjectStore
from resources.people_objects import PeopleObjects
from resources.posting_systems import finance_system
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings


@dg.asset(deps=[postings])
def outbox(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    store: dg.ResourceParam[ObjectStore],
    evidence: dg.ResourceParam[EvidenceStore],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per step of a document into the finance system. Materialising it sends what is prepared."""
    month = month_of(context, settings)
    try:
        system = finance_system(settings, store)
    except SettingsRefused as refused:
        raise refusal((str(refused),)) from None
    desk = PostingDesk(lake, evidence, people, settings, system, context.log.info)
    planned, sent = desk.post(month)
    if lake.state(OUTBOX, month.partition) is None:
        provenance = Provenance(run_id=context.run.run_id, code_version=code_version(), inputs={"outbox before": ""})
        lake.replace(OUTBOX, month.partition, OUTBOX.empty(), provenance, only_after=None)
    if not sent.is_well:
        raise refusal([f"{key}: {reason}" for key, reason in (*sent.rejected.items(), *sent.unanswered.items())])
    state = lake.state(OUTBOX, month.partition)
    actions = pl.Series([each.action for each in planned], dtype=pl.String()).value_counts(sort=True)
    metadata = {f"entries {action}": count for action, count in actions.iter_rows()}
    return dg.MaterializeResult(
        metadata={**metadata, "acknowledged now": len(sent.acknowledged), "finance system": system.name},
        data_version=dg.DataVersion(state.content_hash if state else ""),
    )
