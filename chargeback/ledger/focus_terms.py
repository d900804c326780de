"""What every FOCUS row says of who bills: names, site, month. Not here: where the names come from (settings)."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

import polars as pl

from chargeback.billing_period import BillingPeriod, day_interval
from chargeback.contracts.contract import INSTANT
from chargeback.ledger.statement_document import PARALLEL

SERVICE_OF = {"slurm": "GPU compute (Slurm)", "kubernetes": "GPU compute (Kubernetes)"}


@dataclass(frozen=True, slots=True)
class FocusTerms:
    """Who bills what to whom, in one month.

    `provider` names the platform everywhere, the issuer of invoices included: the official rules take another issuer
    for a marketplace sale, whose BilledCost must be 0. `schedulers` is cluster -> scheduler; `payment_terms` are an
    invoice's, in words, and FOCUS 1.4 lets them not be empty.
    """

    period: BillingPeriod
    currency: str
    mode: str
    provider: str
    host_provider: str
    region: str
    region_name: str
    billing_account: str
    billing_account_name: str
    schedulers: Mapping[str, str]
    payment_terms: str = ""

    @property
    def is_shadow(self) -> bool:
        """A parallel month: shown, not billed."""
        return self.mode == PARALLEL

    def in_every_row(self) -> dict[str, pl.Expr]:
        """The columns of focus_cost_and_usage that are the same in every row of the month."""
        texts = {
            "month": self.period.month,
            "BillingAccountId": self.billing_account,
            "BillingAccountName": self.billing_account_name,
            "BillingCurrency": self.currency,
            "HostProviderName": self.host_provider,
            "RegionId": self.region,
            "RegionName": self.region_name,
            "ServiceCategory": "Compute",
            "ServiceSubcategory": "Other (Compute)",
            "SubAccountType": "Team",
            **dict.fromkeys(
                ("InvoiceIssuerName", "ProviderName", "PublisherName", "ServiceProviderName"), self.provider
            ),
        }
        return {
            **{name: pl.lit(text) for name, text in texts.items()},
            "BillingPeriodStart": pl.lit(self.period.interval.start, INSTANT),
            "BillingPeriodEnd": pl.lit(self.period.interval.end, INSTANT),
            "x_IsShadow": pl.lit(self.is_shadow),
        }

    def billed(self, would_be: str, dtype: pl.DataType) -> pl.Expr:
        """What is billed of a column of amounts: nothing of it in a parallel month."""
        return pl.lit(Decimal(0)).cast(dtype) if self.is_shadow else pl.col(would_be)

    def days(self) -> pl.DataFrame:
        """Day -> its ChargePeriodStart and ChargePeriodEnd."""
        spans = [(day, day_interval(day, self.period.zone)) for day in self.period.days]
        return pl.DataFrame(
            {
                "day": [day for day, _ in spans],
                "ChargePeriodStart": [span.start for _, span in spans],
                "ChargePeriodEnd": [span.end for _, span in spans],
            }
        ).cast({"ChargePeriodStart": INSTANT, "ChargePeriodEnd": INSTANT})

    def clusters(self) -> pl.DataFrame:
        """Cluster -> scheduler and ServiceName."""
        return pl.DataFrame(
            [(name, scheduler, SERVICE_OF[scheduler]) for name, scheduler in sorted(self.schedulers.items())],
            schema={"cluster": pl.String, "scheduler": pl.String, "ServiceName": pl.String},
            orient="row",
        )
