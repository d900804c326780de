"""Checks of statements."""

from decimal import Decimal

from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.statements import STATEMENTS
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.corrections import with_booked
from checks.gate import Check, Outcome, Reading, findings_of


def statements_off_the_charges(reading: Reading) -> Outcome:
    """Teams whose statement and lines differ, or that have one without the other."""
    charged: dict[str, Decimal] = {}
    every = with_booked(reading.table(TEAM_CHARGES).collect(), reading.table(CORRECTIONS).collect())
    for team, amount in every.select("team", "amount").iter_rows():
        charged[team] = charged.get(team, Decimal(0)) + amount
    rows = reading.table(STATEMENTS).select("team", "total_amount").collect()
    stated: dict[str, Decimal] = dict(rows.iter_rows())
    told = [
        (team, str(charged.get(team, Decimal(0))), str(stated.get(team, "no statement")))
        for team in sorted({*charged, *stated})
        if stated.get(team) != charged.get(team, Decimal(0))
    ]
    return Outcome(findings_of(told), {"statements": len(stated)})


CHECKS = (
    Check("statements_equal_charges", STATEMENTS, "Every team's statement is the sum of its lines and corrections.",
          statements_off_the_charges, stops="run"),
)  # fmt: skip
