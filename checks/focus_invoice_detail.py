"""Checks of focus_invoice_detail."""

from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.focus_invoice_detail import FOCUS_INVOICE_DETAIL
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.corrections import booked_of
from checks.gate import Check, Outcome, Reading, findings_of


def details_off_the_charges(reading: Reading) -> Outcome:
    """Lines and corrections whose amount is another in the invoice, or that only one of both has; what is billed."""
    details = reading.table(FOCUS_INVOICE_DETAIL).collect()
    shown = dict(details.select("InvoiceDetailId", "x_WouldBeBilledCost").iter_rows())
    charged = dict(reading.table(TEAM_CHARGES).select("line_id", "amount").collect().iter_rows())
    for row in booked_of(reading.table(CORRECTIONS).collect()).iter_rows(named=True):
        charged[f"{row['line_id']}@{row['corrects_month']}"] = row["amount"]
    told = [
        (line, str(charged.get(line, "no such line")), str(shown.get(line, "no row")))
        for line in sorted({*shown, *charged})
        if shown.get(line) != charged.get(line)
    ]
    billed = details.select("InvoiceDetailId", "x_IsShadow", "BilledCost", "x_WouldBeBilledCost")
    for line, is_shadow, now, would_be in billed.iter_rows():
        if now != (0 if is_shadow else would_be):
            told.append((line, "BilledCost 0 in a parallel month, else x_WouldBeBilledCost", str(now)))
    return Outcome(findings_of(told), {"details": len(details)})


CHECKS = (
    Check("focus_details_equal_charges", FOCUS_INVOICE_DETAIL, "Every invoice's details are its statement lines.",
          details_off_the_charges, stops="run"),
)  # fmt: skip
