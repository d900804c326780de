"""Checks of attribution."""

from chargeback.attribution.conservation import attribution_against_holds, states_add_up
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.holds import HOLDS
from checks.gate import Check, Outcome, Reading


def lost_or_doubled_seconds(reading: Reading) -> Outcome:
    """Holds whose hours do not add up to them."""
    rows = reading.table(ATTRIBUTION).collect()
    return Outcome(attribution_against_holds(rows, reading.table(HOLDS).collect()), {"rows": len(rows)})


def states_not_adding_up(reading: Reading) -> Outcome:
    """Hours whose idle, starved, busy and unmeasured seconds do not add up to what was held."""
    return Outcome(states_add_up(reading.table(ATTRIBUTION).collect()))


CHECKS = (
    Check("attribution_conserves_holds", ATTRIBUTION, "Attributed hours add up to the holds, to the second.",
          lost_or_doubled_seconds, stops="run"),
    Check("attribution_states_add_up", ATTRIBUTION, "Each held second is in exactly one state.", states_not_adding_up,
          stops="run"),
)  # fmt: skip
