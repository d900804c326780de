"""Checks of corrections."""

import polars as pl

from assets.closed_months import fresh_month, looked_at
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.partition import Partition
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.correction_policy import unapproved_findings
from chargeback.ledger.corrections import booked_of, uncorrected_findings
from checks.gate import Check, Outcome, Reading, findings_of
from resources.people_objects import PeopleObjects, PeopleRefused


def closed_lines_not_explained(reading: Reading) -> Outcome:
    """Lines of closed months where original plus corrections is not what a fresh computation makes them."""
    booking = dict(reading.partition.values)["month"]
    lake, settings = reading.lake, reading.settings
    rows = reading.table(CORRECTIONS).collect()
    names = looked_at(booking, lake=lake, settings=settings)
    parts = [Partition.of_month(name) for name in names]
    closed = lake.scan(TEAM_CHARGES, parts).frame.collect()
    before = booked_of(lake.scan(CORRECTIONS, parts).frame.collect())
    said = pl.concat([before, rows])
    people = PeopleObjects(reading.landing, settings.signing.trust_root)
    told: list[tuple[str, str, str]] = [
        (line, f"{corrected}, which is not looked at", "a correction")
        for line, corrected in rows.filter(~pl.col("corrects_month").is_in(names))
        .select("line_id", "corrects_month")
        .iter_rows()
    ]
    for name in names:
        try:
            fresh = fresh_month(name, lake=lake, people=people, settings=settings).lines()
        except PeopleRefused as refused:
            told.append((name, "a card and ownership to compute it with", str(refused)))
            continue
        told += uncorrected_findings(closed.filter(month=name), said.filter(corrects_month=name), fresh)
    return Outcome(findings_of(told), {"corrections": len(rows), "closed_months": len(names)})


def corrections_without_the_controller(reading: Reading) -> Outcome:
    """Corrections that are old or of another fiscal year, and that no controller has signed."""
    return Outcome(findings_of(unapproved_findings(reading.table(CORRECTIONS).collect())))


CHECKS = (
    Check("corrections_complete", CORRECTIONS, "Original plus corrections is a fresh computation, to the cent.",
          closed_lines_not_explained, stops="run"),
    Check("corrections_approved", CORRECTIONS, "The controller signed what is old or of another fiscal year.",
          corrections_without_the_controller, stops="certificate"),
)  # fmt: skip
