"""The asset statements."""

from collections.abc import Mapping, Sequence

import dagster as dg
import polars as pl

from assets.capacity import capacity
from assets.certification import waivers_of
from assets.corrections import corrections
from assets.enforcement import mode_of
from assets.landed_coverage import objects_of_month
from assets.landed_records import shas_of
from assets.maps import maps
from assets.materialisation import Inputs, Month, materialise, month_of
from assets.quarantine import quarantine
from assets.quota import quota_of_month
from assets.rate_card import rate_card
from assets.rated_usage import rated_usage
from assets.raw_workloads import raw_workloads
from assets.runs import runs
from assets.team_charges import team_charges
from assets.unallocated_activity import unallocated_activity
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.class_terms import class_terms
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.maps import MAPS
from chargeback.contracts.ownership import OWNERSHIP
from chargeback.contracts.partition import Partition
from chargeback.contracts.quarantine import QUARANTINE
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.contracts.runs import RUNS
from chargeback.contracts.statements import STATEMENTS
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.contracts.unallocated_activity import UNALLOCATED_ACTIVITY
from chargeback.ledger.capacity_totals import capacity_totals
from chargeback.ledger.enforcement import ENFORCED
from chargeback.ledger.exceptions import unheld_activity
from chargeback.ledger.held_entries import PostingTerms
from chargeback.ledger.node_sizes import node_sizes
from chargeback.ledger.statement_document import Coverage, card_mark
from chargeback.ledger.statements import statement_rows
from chargeback.ledger.suspense_parts import DUE_DAY
from chargeback.pricing.policies_in_force import printed_in_force, stated_policies
from chargeback.pricing.uncharged_runs import uncharged_runs
from resources.due_dates import suspense_due_day
from resources.lake import Lake
from resources.observations import Observations
from resources.parsed_object import ParsedObject
from resources.people_objects import PeopleObjects
from resources.settings import Settings

MONTH_TABLES = (TEAM_CHARGES, CORRECTIONS, RATED_USAGE, OWNERSHIP, MAPS, RATE_CARD)
DAY_TABLES = (RUNS, CAPACITY, UNALLOCATED_ACTIVITY, RAW_WORKLOADS, QUARANTINE)


@dg.asset(
    deps=[
        team_charges,
        corrections,
        rated_usage,
        runs,
        capacity,
        unallocated_activity,
        raw_workloads,
        quarantine,
        rate_card,
        maps,
    ]
)
def statements(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per team: the document of its month, as content; pages are rendered from it."""
    month = month_of(context, settings)
    mode = mode_of(month, lake=lake, people=people, settings=settings)
    read = {table.table: lake.scan(table, [month.partition]) for table in MONTH_TABLES}
    read |= {table.table: lake.scan(table, month.days_of(table)) for table in DAY_TABLES}
    before, corrected_before = (
        lake.scan(table, [Partition.of_month(month.period.previous.month)]) for table in (TEAM_CHARGES, CORRECTIONS)
    )
    printed = _printed(settings, month)
    waivers = waivers_of(month, people).printed() if settings.mode == ENFORCED else {}
    objects = objects_of_month(observations, month, settings)
    return materialise(
        context,
        lake,
        STATEMENTS,
        month.partition,
        inputs=Inputs.of(
            *read.values(),
            before,
            corrected_before,
            objects=shas_of(objects),
            settings={
                "policies": printed,
                "mode": mode,
                "contact": settings.contact,
                "company": settings.journal.company,
                **({"waivers": waivers} if waivers else {}),
            },
        ),
        rule=lambda: _rows(
            {name: scanned.frame for name, scanned in read.items()},
            quota_of_month(read["raw_workloads"], read["runs"], month),
            None if before.missing else before.frame.collect(),
            _coverage(objects, read["quarantine"].frame),
            corrected_before.frame.collect(),
            month,
            settings,
            mode,
            waivers,
        ),
    )


def _rows(
    read: dict[str, pl.LazyFrame],
    quota: pl.DataFrame,
    previous_lines: pl.DataFrame | None,
    coverage: Coverage,
    previous_corrections: pl.DataFrame,
    month: Month,
    settings: Settings,
    mode: str,
    waivers: Mapping[str, str],
) -> pl.DataFrame:
    owners = read["ownership"].collect()
    uncharged = uncharged_runs(
        read["runs"],
        owners,
        unknown_accounts=settings.policies.unknown_accounts,
        precedence=settings.policies.owner_precedence,
        platform_operations=settings.policies.platform_operations,
    )
    prices = read["rate_card"].collect()
    return statement_rows(
        read["team_charges"].collect(),
        read["rated_usage"],
        uncharged,
        capacity_totals(read["capacity"]),
        coverage,
        previous_lines,
        month=month.period.month,
        mode=mode,
        currency=settings.currency,
        card=card_mark(prices),
        policies={
            **printed_in_force(_printed(settings, month), stated_policies(prices)),
            **_maps(read["maps"]),
            **waivers,
        },
        contact=settings.contact,
        sizes=node_sizes(read["capacity"], zone=settings.zone),
        unheld=unheld_activity(read["unallocated_activity"]),
        quota=quota,
        corrections=read["corrections"].collect(),
        previous_corrections=previous_corrections,
        terms=PostingTerms(settings.journal.company, class_terms(prices)),
    )


def _printed(settings: Settings, month: Month) -> dict[str, str]:
    due = suspense_due_day(month.period, settings)
    return {**settings.printed_policies(), **({DUE_DAY: due.isoformat()} if due else {})}


def _maps(maps: pl.LazyFrame) -> dict[str, str]:
    """Each map by which the month was billed, and who signed it."""
    return {f"map of {name}": signature for name, signature in maps.select("map", "signature").collect().iter_rows()}


def _coverage(objects: Sequence[ParsedObject], quarantine: pl.LazyFrame) -> Coverage:
    return Coverage(
        objects=len(objects),
        records=sum(each.records for each in objects),
        steps_ignored=sum(each.steps_ignored for each in objects),
        quarantined=quarantine.select(pl.len()).collect().item(),
    )
