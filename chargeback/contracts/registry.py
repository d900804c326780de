"""All tables, in the order in which the bill flows through them."""

from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.bindings import BINDINGS
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.contract import Contract
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.focus_billing_period import FOCUS_BILLING_PERIOD
from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.contracts.focus_invoice_detail import FOCUS_INVOICE_DETAIL
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.landed_objects import LANDED_OBJECTS
from chargeback.contracts.maps import MAPS
from chargeback.contracts.outbox import OUTBOX
from chargeback.contracts.ownership import OWNERSHIP
from chargeback.contracts.postings import POSTINGS
from chargeback.contracts.published import PUBLISHED
from chargeback.contracts.quarantine import QUARANTINE
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_events import RAW_EVENTS
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_reservations import RAW_RESERVATIONS
from chargeback.contracts.raw_sacct import RAW_SACCT
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.contracts.recovery import RECOVERY
from chargeback.contracts.runs import RUNS
from chargeback.contracts.statements import STATEMENTS
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.contracts.unallocated_activity import UNALLOCATED_ACTIVITY

CONTRACTS: tuple[Contract, ...] = (
    LANDED_OBJECTS,
    QUARANTINE,
    RAW_SACCT,
    RAW_NODES,
    RAW_EVENTS,
    RAW_RESERVATIONS,
    RAW_BINDINGS,
    RAW_DEVICE_MAPS,
    RAW_PODS,
    RAW_KUBERNETES_NODES,
    RAW_WORKLOADS,
    RAW_CLAIMS,
    RAW_SLICES,
    RAW_DEVICES,
    RAW_SAMPLES,
    RUNS,
    HOLDS,
    BINDINGS,
    CAPACITY,
    ATTRIBUTION,
    UNALLOCATED_ACTIVITY,
    OWNERSHIP,
    MAPS,
    RATE_CARD,
    RATED_USAGE,
    TEAM_CHARGES,
    CORRECTIONS,
    STATEMENTS,
    JOURNAL_ENTRIES,
    RECOVERY,
    FOCUS_COST_AND_USAGE,
    FOCUS_INVOICE_DETAIL,
    FOCUS_BILLING_PERIOD,
    CERTIFICATE,
    PUBLISHED,
    POSTINGS,
    OUTBOX,
)

DAILY = tuple(contract for contract in CONTRACTS if contract.partitioned_by == ("cluster", "day"))
MONTHLY = tuple(contract for contract in CONTRACTS if contract.partitioned_by == ("month",) and contract.closes)
"""The tables of a month, which are made together and close together."""
CONTRACT_OF = {contract.table: contract for contract in CONTRACTS}


def daily_tables_of(scheduler: str) -> tuple[Contract, ...]:
    """The daily tables that clusters of a scheduler have, in order."""
    return tuple(contract for contract in DAILY if scheduler in contract.schedulers)
