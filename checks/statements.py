"""Checks of statements."""

from collections.abc import Mapping
from decimal import Decimal

from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.contract import Contract
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.maps import MAPS
from chargeback.contracts.partition import Partition
from chargeback.contracts.runs import RUNS
from chargeback.contracts.statements import STATEMENTS
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.corrections import with_booked
from chargeback.ledger.drift import drift_findings
from chargeback.ledger.statement_document import read_document
from chargeback.signatures.maps import ACCELERATORS, TIERS, entries_of
from checks.gate import Check, Outcome, Reading, findings_of

MADE_BY = ((RUNS, TIERS), (HOLDS, ACCELERATORS), (CAPACITY, ACCELERATORS))
"""Tables of the days that turn names into priced ones, and the map by which they record that they did."""


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


def days_by_other_maps(reading: Reading) -> Outcome:
    """Days of the month that were made by other tiers or accelerators than the maps that its statements name.

    A signature is of a map; it says nothing of days that were made before the map became what was signed.
    """
    stands = reading.table(MAPS).collect()
    told, days = [], 0
    for contract, name in MADE_BY:
        reading.scan(contract)  # its contents are what the outcome is evidence for
        entries = entries_of(stands, name)
        states = reading.lake.states(contract, reading.month.days_of(contract) if reading.month else ())
        days += len(states)
        for key, state in sorted(states.items()):
            if state.inputs.get(f"setting|{name}") != _recorded(entries, name, key):
                told.append(_of_another_map(contract, name, key))
    return Outcome(findings_of(told), {"days": days})


def statements_far_from_last_month(reading: Reading) -> Outcome:
    """Teams whose total is further from the month before than drift_limit_percent, with most of the cause."""
    documents = [read_document(text) for text in reading.table(STATEMENTS).sort("team").collect()["document"]]
    limit = reading.settings.policies.drift_limit_percent
    return Outcome(findings_of(drift_findings(documents, limit_percent=limit)), {"statements": len(documents)})


def _recorded(entries: Mapping[str, Mapping[str, str]], name: str, partition: str) -> str:
    """How the asset of a (cluster, day) records the part of a map that it was made by (assets/runs.py, holds.py)."""
    cluster = dict(Partition.from_key(partition).values)["cluster"]
    part = entries.get(cluster, {}) if name == TIERS else entries
    return repr(sorted(part.items()))


def _of_another_map(contract: Contract, name: str, partition: str) -> tuple[str, str, str]:
    expected = f"made by the map {name} that the statements name"
    return f"{contract.table} {partition}", expected, "made by another one: materialise the day again, then the month"


CHECKS = (
    Check("statements_equal_charges", STATEMENTS, "Every team's statement is the sum of its lines and corrections.",
          statements_off_the_charges, stops="run"),
    Check("statements_name_their_maps", STATEMENTS, "Every day of the month was made by the maps that its statements "
          "name.", days_by_other_maps, stops="certificate"),
    Check("statements_near_last_month", STATEMENTS, "No team pays another amount than the month before by more than "
          "drift_limit_percent.", statements_far_from_last_month, stops="nothing"),
)  # fmt: skip
