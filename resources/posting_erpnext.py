"""Journal entries in ERPNext's REST shape: the document key is the reference number, which is not unique over there.

So it is looked up before it is written, and two of one key are refused, not chosen from.
Source: ../shared/ecosystem.md 2.1: `cheque_no` and `user_remark`; a draft becomes posted by docstatus 1.
"""

import json
import os
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from chargeback.billing_period import last_day_of
from chargeback.ledger.posting_document import PostingDocument, plain_text
from chargeback.ledger.tie_out import HeldLine
from resources.finance_system import Held, PeriodShut, Refused
from resources.posting_settings import Posting
from resources.rest_calls import RefusedAnswer, RestCalls, understood

RECORDS = f"/api/resource/{quote('Journal Entry')}"
ENTRIES_AT_ONCE = 100
CANCELLED = 2
_PERIOD_ERRORS = ("ClosedAccountingPeriod", "PeriodClosingVoucher", "FrozenAccount", "FiscalYearError")


class ErpNext:
    """One site of ERPNext. `posting.user` is the API key; its secret stands in the environment."""

    name = "erpnext"

    def __init__(self, posting: Posting) -> None:
        secret = os.environ.get(posting.password_env, "")
        self._posting = posting
        self._calls = RestCalls(
            posting.url,
            headers={"Authorization": f"token {posting.user}:{secret}"},
            timeout_seconds=posting.timeout_seconds,
        )

    @understood("ERPNext")
    def find(self, key: str) -> Held | None:
        """The journal entry with this reference number. Raises Refused if there are several."""
        found = self._listed([["cheque_no", "=", key]], start=0)
        if len(found) > 1:
            names = ", ".join(sorted(str(each["name"]) for each in found))
            raise Refused(f"{key} stands there {len(found)} times ({names}): cancel all but one")
        return self._held(found[0]) if found else None

    @understood("ERPNext")
    def submit(self, document: PostingDocument, *, posting_month: str) -> Held:
        """Write it as a draft; `finish` posts it. Raises PeriodShut where the period is closed."""
        date = last_day_of(posting_month).isoformat()
        body = {
            "voucher_type": "Journal Entry",
            "company": document.company,
            "posting_date": date,
            "cheque_no": document.key,
            "cheque_date": date,
            "user_remark": f"sha256:{document.sha256} {document.title}",
            "accounts": [
                {
                    "account": self._posting.account(line.account),
                    f"{line.side}_in_account_currency": plain_text(line.amount),
                    "cost_center": line.cost_centre,
                    "user_remark": line.description,
                }
                for line in document.lines
            ],
        }
        answer = self._writing("POST", RECORDS, body)
        return self._held(answer)

    @understood("ERPNext")
    def finish(self, held: Held) -> Held:
        """Submit the draft."""
        return self._held(self._writing("PUT", f"{RECORDS}/{quote(held.remote_id)}", {"docstatus": 1}))

    @understood("ERPNext")
    def held_lines(self, batch_key: str) -> Sequence[HeldLine]:
        """The lines of all entries of a batch that are not cancelled."""
        like = batch_key.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        lines: list[HeldLine] = []
        start, more = 0, True
        while more:
            found = self._listed([["cheque_no", "like", f"{like}:%"]], start=start)
            for each in found:
                lines += self._lines_of(str(each["name"]))
            start, more = start + ENTRIES_AT_ONCE, len(found) == ENTRIES_AT_ONCE
        return lines

    def _lines_of(self, name: str) -> list[HeldLine]:
        entry = self._calls.ask("GET", f"{RECORDS}/{quote(name)}").body["data"]
        return [
            HeldLine(
                str(entry["cheque_no"]),
                name,
                self._posting.our_account(str(row["account"])),
                Decimal(str(row.get("debit_in_account_currency") or 0))
                - Decimal(str(row.get("credit_in_account_currency") or 0)),
            )
            for row in entry["accounts"]
        ]

    def _listed(self, filters: list[list[str]], *, start: int) -> list[Mapping[str, Any]]:
        asked = {
            "filters": json.dumps([*filters, ["docstatus", "<", CANCELLED]]),
            "fields": json.dumps(["name", "cheque_no", "docstatus", "user_remark"]),
            "order_by": "name asc",
            "limit_start": str(start),
            "limit_page_length": str(ENTRIES_AT_ONCE),
        }
        found: list[Mapping[str, Any]] = self._calls.ask("GET", RECORDS, query=asked).body["data"]
        return found

    def _writing(self, method: str, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            written: Mapping[str, Any] = self._calls.ask(method, path, body=body).body["data"]
        except RefusedAnswer as refusal:
            if any(name in refusal.answer.told for name in _PERIOD_ERRORS):
                raise PeriodShut(str(refusal)) from None
            raise
        return written

    def _held(self, entry: Mapping[str, Any]) -> Held:
        digest = str(entry.get("user_remark") or "").partition(" ")[0].removeprefix("sha256:")
        is_unfinished = not self._posting.draft and int(entry.get("docstatus") or 0) == 0
        return Held(str(entry["cheque_no"]), str(entry["name"]), digest, is_unfinished)
