"""All assets and checks with what their contracts say of them: partitions, group, owners, columns, grain, automation.

Not here: how an asset works (assets/), what a check finds (checks/).
"""

from collections.abc import Mapping

import dagster as dg

from assets.attribution import attribution
from assets.bindings import bindings
from assets.capacity import capacity
from assets.certificate import certificate
from assets.corrections import corrections
from assets.focus_billing_period import focus_billing_period
from assets.focus_cost_and_usage import focus_cost_and_usage
from assets.focus_invoice_detail import focus_invoice_detail
from assets.holds import holds
from assets.journal_entries import journal_entries
from assets.landed_objects import landed_objects
from assets.maps import maps
from assets.outbox import outbox
from assets.ownership import ownership
from assets.pools import in_its_pool
from assets.postings import postings
from assets.published import published
from assets.quarantine import quarantine
from assets.rate_card import rate_card
from assets.rated_usage import rated_usage
from assets.raw_bindings import raw_bindings
from assets.raw_claims import raw_claims
from assets.raw_device_maps import raw_device_maps
from assets.raw_devices import raw_devices
from assets.raw_events import raw_events
from assets.raw_kubernetes_nodes import raw_kubernetes_nodes
from assets.raw_nodes import raw_nodes
from assets.raw_pods import raw_pods
from assets.raw_reservations import raw_reservations
from assets.raw_sacct import raw_sacct
from assets.raw_samples import raw_samples
from assets.raw_slices import raw_slices
from assets.raw_workloads import raw_workloads
from assets.recovery import recovery
from assets.runs import runs
from assets.statements import statements
from assets.team_charges import team_charges
from assets.unallocated_activity import unallocated_activity
from chargeback.contracts.contract import Contract
from chargeback.contracts.registry import CONTRACT_OF
from checks.gate import asset_check
from checks.registry import ALL_CHECKS
from orchestration.automation import Condition, conditions_of, said_of
from orchestration.partitions import Calendar
from resources.settings import Settings

ASSETS = (
    landed_objects, quarantine, raw_sacct, raw_nodes, raw_events, raw_reservations, raw_bindings, raw_device_maps,
    raw_pods, raw_kubernetes_nodes, raw_workloads, raw_claims, raw_slices, raw_devices, raw_samples, runs, holds,
    bindings, capacity, attribution, unallocated_activity, ownership, maps, rate_card, rated_usage, team_charges,
    corrections, statements, journal_entries, recovery, focus_cost_and_usage, focus_invoice_detail,
    focus_billing_period, certificate, published, postings, outbox,
)  # fmt: skip

OWNERS_OF_STAGE = {
    "raw": ["team:data-platform"],
    "usage": ["team:data-platform"],
    "attribution": ["team:data-platform"],
    "pricing": ["team:finance"],
    "ledger": ["team:finance"],
}


def assets_on(calendar: Calendar, settings: Settings) -> list[dg.AssetsDefinition]:
    """The assets with their partitions, their contracts' descriptions, their pools, and what requests them."""
    conditions = conditions_of(CONTRACT_OF, settings)

    def described(spec: dg.AssetSpec) -> dg.AssetSpec:
        return _described(spec, calendar, settings, conditions)

    return [in_its_pool(asset.map_asset_specs(described), CONTRACT_OF[asset.key.to_user_string()]) for asset in ASSETS]


def checks_on(calendar: Calendar) -> list[dg.AssetChecksDefinition]:
    """The checks, partitioned like their tables."""
    return [asset_check(check, calendar.of(check.contract)) for check in ALL_CHECKS]


def _described(
    spec: dg.AssetSpec, calendar: Calendar, settings: Settings, conditions: Mapping[str, Condition]
) -> dg.AssetSpec:
    contract = CONTRACT_OF[spec.key.to_user_string()]
    return spec.replace_attributes(
        partitions_def=calendar.of(contract),
        group_name=contract.stage,
        owners=OWNERS_OF_STAGE[contract.stage],
        kinds={"polars", "deltalake"},
        description=f"{spec.description}\n\nGrain: {contract.grain}.\n\nRequested by: {said_of(contract, settings)}.",
        automation_condition=conditions.get(contract.table),
    ).merge_attributes(metadata={"dagster/column_schema": _columns(contract)})


def _columns(contract: Contract) -> dg.TableSchema:
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                name=column.name,
                type=str(column.dtype),
                description=f"{column.meaning} [{column.unit}]" if column.unit else column.meaning,
                constraints=dg.TableColumnConstraints(nullable=column.nullable, unique=contract.key == (column.name,)),
            )
            for column in contract.columns
        ]
    )
