"""The asset certificate."""

import dagster as dg

from assets.certificate_document import write_document
from assets.certification import certify_month, contents_of
from assets.focus_billing_period import focus_billing_period
from assets.focus_cost_and_usage import focus_cost_and_usage
from assets.focus_invoice_detail import focus_invoice_detail
from assets.journal_entries import journal_entries
from assets.maps import maps
from assets.materialisation import Inputs, materialise, month_of
from assets.recovery import recovery
from assets.refusal import refusal
from assets.statements import statements
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.ledger.certificate import Refused
from resources.evidence import EvidenceStore
from resources.lake import Lake
from resources.object_store import ObjectStore
from resources.people_objects import PeopleObjects
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings


@dg.asset(
    deps=[
        statements,
        journal_entries,
        recovery,
        maps,
        focus_cost_and_usage,
        focus_invoice_detail,
        focus_billing_period,
    ]
)
def certificate(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    evidence: dg.ResourceParam[EvidenceStore],
    store: dg.ResourceParam[ObjectStore],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per content of the month and check that passed it; refused, with the reasons, if any is missing."""
    month = month_of(context, settings)
    certified = certify_month(month, lake=lake, evidence=evidence, people=people, settings=settings)
    if isinstance(certified, Refused):
        raise refusal(certified.reasons)
    relied_on = {"evidence": sorted(certified.frame["evidence"]), "waivers": sorted(set(certified.frame["waiver"]))}
    made = materialise(
        context,
        lake,
        CERTIFICATE,
        month.partition,
        inputs=Inputs(contents=contents_of(month, lake), settings=relied_on),
        rule=lambda: certified.frame,
    )
    try:
        document = write_document(month, lake=lake, store=store, settings=settings)
    except SettingsRefused as refused:
        raise refusal((str(refused),)) from None
    gate_page = settings.location.child(f"gate/{month.period.month}/gate.html")
    return dg.MaterializeResult(
        metadata={**(made.metadata or {}), "document": document, "gate, as a page": f"{gate_page} (chargeback gate)"},
        data_version=made.data_version,
    )
