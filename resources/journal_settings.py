"""[journal] of chargeback.toml: accounts and company of the platform. Not here: the entries (chargeback/ledger)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Journal:
    """Accounts in the finance system, and the company whose platform recovers the cost."""

    company: str = "C1"
    cost_centre: str = "GPU-PLATFORM"
    expense_account: str = "Expenses:GPU"
    recovery_account: str = "Income:GPU-Recovery"
    suspense_account: str = "Assets:GPU-Suspense"
    credit_account: str = "Expenses:GPU-Credits"
