"""The calendar as Dagster sees it: (cluster, day) up to attribution, then months, the running ones too."""

from dataclasses import dataclass

import dagster as dg

from chargeback.contracts.contract import Contract
from resources.settings import Settings


@dataclass(frozen=True, slots=True)
class Calendar:
    """The two partition sets of a lake."""

    cluster_days: dg.MultiPartitionsDefinition
    months: dg.MonthlyPartitionsDefinition

    def of(self, contract: Contract) -> dg.PartitionsDefinition[str]:
        """The partitions of a table."""
        return self.cluster_days if contract.partitioned_by == ("cluster", "day") else self.months


def calendar_of(settings: Settings) -> Calendar:
    """The calendar that the settings describe: days and months begin at midnight of the billing zone."""
    days = dg.DailyPartitionsDefinition(
        start_date=settings.first_day.isoformat(), timezone=settings.timezone, end_offset=1
    )
    return Calendar(
        cluster_days=dg.MultiPartitionsDefinition(
            {"cluster": dg.StaticPartitionsDefinition(sorted(settings.clusters)), "day": days}
        ),
        months=dg.MonthlyPartitionsDefinition(
            start_date=f"{settings.first_day:%Y-%m}", fmt="%Y-%m", timezone=settings.timezone, end_offset=1
        ),
    )
