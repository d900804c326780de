"""The asset corrections."""

import dagster as dg
import polars as pl

from assets.attribution import attribution
from assets.closed_months import USAGE_OF_CLOSED, basis_at_closing, fresh_month, looked_at
from assets.materialisation import Inputs, Month, materialise, month_of
from assets.refusal import refusal, refused_as_failure
from assets.runs import runs
from assets.team_charges import team_charges
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.partition import Partition
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.correction_policy import approved, records_about, under_policy
from chargeback.ledger.corrections import booked_of, correction_lines, is_settled, stood_on
from chargeback.signatures.fields import Unreadable
from chargeback.signatures.judgement import LandedRecord
from chargeback.signatures.keyring import Keyring
from chargeback.signatures.keyring_chain import KeyringRefused
from resources.lake import Lake
from resources.people_objects import PeopleObjects
from resources.settings import Settings


@dg.asset(deps=[attribution, runs, team_charges])
def corrections(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per line of a closed month that differs from what was said of it; empty unless a month is closed."""
    month = month_of(context, settings)
    names = looked_at(month.period.month, lake=lake, settings=settings)
    with refused_as_failure():
        fresh = [fresh_month(name, lake=lake, people=people, settings=settings) for name in names]
    parts = [Partition.of_month(name) for name in names]
    closed, earlier = lake.scan(TEAM_CHARGES, parts), lake.scan(CORRECTIONS, parts)
    keyring, records, shas = _approvals(month, people) if names else (None, [], {})
    policy = settings.corrections.policy(fiscal_year_first_month=settings.calendar.fiscal_year_first_month)
    objects = {key: sha for each in fresh for key, sha in each.objects.items()} | shas

    def rule() -> pl.DataFrame:
        lines, before = closed.frame.collect(), earlier.frame.collect()
        found = [CORRECTIONS.empty()]
        for each in fresh:
            standing = lines.filter(month=each.month)
            said = before.filter(corrects_month=each.month)
            at_closing = basis_at_closing(each.month, lake=lake)
            if is_settled(at_closing, said, each.basis):
                continue
            booked = booked_of(said)
            found.append(
                correction_lines(
                    standing,
                    booked,
                    each.lines(),
                    month=month.period.month,
                    stood=stood_on(at_closing, booked),
                    now=each.basis,
                )
            )
        decided = under_policy(pl.concat(found), policy)
        return approved(decided, records, keyring=keyring, month=month.period.month)

    return materialise(
        context,
        lake,
        CORRECTIONS,
        month.partition,
        inputs=Inputs.of(
            closed,
            earlier,
            objects=objects,
            settings={
                "policy": policy,
                "trust_root": settings.signing.trust_root,
                **{f"{USAGE_OF_CLOSED}{each.month}": each.basis.usage for each in fresh},
                **{f"closed month {each.month}": each.basis.told() for each in fresh},
            },
        ),
        rule=rule,
    )


def _approvals(
    month: Month, people: PeopleObjects
) -> tuple[Keyring | KeyringRefused | None, list[LandedRecord], dict[str, str]]:
    """The keyring in force, the records that approve corrections of the month, and the objects that say so."""
    keyring, shas = people.signed.keyring()
    try:
        records, record_shas = people.signed.records()
    except Unreadable as fault:
        raise refusal([str(fault)]) from None
    about = records_about(records, month=month.period.month)
    return keyring, about, {**shas, **{each.object_key: record_shas[each.object_key] for each in about}}
