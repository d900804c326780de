"""Checks of maps."""

import polars as pl

from chargeback.contracts.maps import MAPS
from chargeback.signatures.maps import unsigned_maps
from checks.gate import Check, Outcome, Reading, findings_of


def unsigned(reading: Reading) -> Outcome:
    """Maps by which postings would be made without a signature that counts. A parallel month may be shown by them."""
    rows = reading.table(MAPS).collect()
    told = unsigned_maps(rows, mode=reading.settings.mode)
    return Outcome(findings_of(told), {"maps": len(rows), "unsigned_maps": len(rows.filter(~pl.col("is_signed")))})


CHECKS = (
    Check("maps_signed", MAPS, "In enforced mode the maps that the month is billed by are signed by finance.", unsigned,
          stops="certificate"),
)  # fmt: skip
