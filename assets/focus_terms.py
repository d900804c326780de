"""What FOCUS rows say of who bills, from the settings. Not here: the rows (chargeback/ledger/focus_rows.py)."""

from assets.materialisation import Month
from chargeback.ledger.focus_terms import FocusTerms
from resources.settings import Settings


def focus_terms_of(month: Month, settings: Settings, mode: str) -> FocusTerms:
    """The terms of a month that is parallel or enforced (enforcement.py)."""
    names = settings.focus
    company = settings.journal.company
    return FocusTerms(
        period=month.period,
        currency=settings.currency.code,
        mode=mode,
        provider=names.provider,
        host_provider=names.host_provider or names.provider,
        region=names.region,
        region_name=names.region_name or names.region,
        billing_account=company,
        billing_account_name=names.billing_account_name or company,
        payment_terms=names.payment_terms,
        schedulers={name: cluster.scheduler for name, cluster in settings.clusters.items()},
    )
