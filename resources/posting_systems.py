"""The finance system that the settings name. Not here: what each of them does (posting_files.py, posting_*.py)."""

from chargeback.ledger.posting_files import FileTerms
from resources.finance_system import FinanceSystem
from resources.object_store import ObjectStore
from resources.posting_files import FORMATS, PostingFiles
from resources.posting_settings import SERVERS
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings


def finance_system(settings: Settings, store: ObjectStore) -> FinanceSystem:
    """The adapter of [posting]. Raises SettingsRefused where none is named; nothing is asked of it yet."""
    posting = settings.posting
    if posting.system in FORMATS:
        journal = settings.journal
        accounts = (
            journal.expense_account, journal.recovery_account, journal.suspense_account, journal.credit_account,
        )  # fmt: skip
        terms = FileTerms(settings.currency, posting.source, posting.category, posting.ledger, posting.accounts)
        return PostingFiles(store, posting.system, terms, accounts=accounts)
    # Imported when asked for: the HTTP library opens a socket when it is loaded, and definitions must not.
    if posting.system == "netsuite":
        from resources.posting_netsuite import NetSuite

        return NetSuite(posting)
    if posting.system == "erpnext":
        from resources.posting_erpnext import ErpNext

        return ErpNext(posting)
    if posting.system == "tryton":
        from resources.posting_tryton import Tryton

        return Tryton(posting)
    raise SettingsRefused(
        "no finance system is named: [posting] system = " + " | ".join((*FORMATS, *SERVERS)) + " in chargeback.toml"
    )
