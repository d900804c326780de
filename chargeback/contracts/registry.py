"""All tables, in the order in which the bill flows through them."""

from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.contract import Contract
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.landed_objects import LANDED_OBJECTS
from chargeback.contracts.ownership import OWNERSHIP
from chargeback.contracts.postings import POSTINGS
from chargeback.contracts.published import PUBLISHED
from chargeback.contracts.quarantine import QUARANTINE
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_events import RAW_EVENTS
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.contracts.raw_reservations import RAW_RESERVATIONS
from chargeback.contracts.raw_sacct import RAW_SACCT
from chargeback.contracts.runs import RUNS
from chargeback.contracts.statements import STATEMENTS
from chargeback.contracts.team_charges import TEAM_CHARGES

CONTRACTS: tuple[Contract, ...] = (
    LANDED_OBJECTS,
    QUARANTINE,
    RAW_SACCT,
    RAW_NODES,
    RAW_EVENTS,
    RAW_RESERVATIONS,
    RAW_BINDINGS,
    RUNS,
    HOLDS,
    CAPACITY,
    ATTRIBUTION,
    OWNERSHIP,
    RATE_CARD,
    RATED_USAGE,
    TEAM_CHARGES,
    STATEMENTS,
    JOURNAL_ENTRIES,
    CERTIFICATE,
    PUBLISHED,
    POSTINGS,
)

DAILY = tuple(contract for contract in CONTRACTS if contract.partitioned_by == ("cluster", "day"))
MONTHLY = tuple(contract for contract in CONTRACTS if contract.partitioned_by == ("month",))
CONTRACT_OF = {contract.table: contract for contract in CONTRACTS}
