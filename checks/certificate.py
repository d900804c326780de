"""Checks of certificate."""

from assets.certification import contents_of
from assets.materialisation import month_called
from chargeback.contracts.certificate import CERTIFICATE
from checks.gate import Check, Outcome, Reading, findings_of


def outdated_contents(reading: Reading) -> Outcome:
    """Contents that the certificate names and that do not stand in the lake any more."""
    rows = reading.table(CERTIFICATE).select("table_name", "partition", "content_hash").unique().collect()
    now = contents_of(month_called(reading.partition.key, reading.settings), reading.lake)
    told = [
        (f"{table} {partition}", content, now.get(f"{table}|{partition}", "nothing"))
        for table, partition, content in rows.sort("table_name", "partition").iter_rows()
        if now.get(f"{table}|{partition}") != content
    ]
    return Outcome(findings_of(told), {"contents": len(rows)})


CHECKS = (
    Check("certificate_current", CERTIFICATE, "Every content that the certificate names stands in the lake now.",
          outdated_contents, stops="run"),
)  # fmt: skip
