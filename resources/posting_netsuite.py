"""Journal entries in NetSuite's REST shape: the document key is the external id, which is unique over there.

Source: ../shared/ecosystem.md 2.1: PUT with `eid:` writes a record once, whoever repeats it; lines are read by SuiteQL.
"""

import os
from collections.abc import Sequence
from decimal import Decimal
from urllib.parse import quote

from chargeback.billing_period import last_day_of
from chargeback.ledger.posting_document import PostingDocument, plain_text
from chargeback.ledger.tie_out import HeldLine
from resources.finance_system import Held, PeriodShut
from resources.posting_settings import Posting
from resources.rest_calls import NOT_FOUND, RefusedAnswer, RestCalls, understood

RECORDS = "/services/rest/record/v1/journalEntry"
QUERIES = "/services/rest/query/v1/suiteql"
ROWS_AT_ONCE = 1000
_LINES = (
    "SELECT t.externalid, t.id, a.acctnumber, l.debit, l.credit FROM transaction t "
    "JOIN transactionaccountingline l ON l.transaction = t.id JOIN account a ON a.id = l.account "
    "WHERE t.externalid LIKE '{prefix}:%' ORDER BY t.id, l.transactionline"
)


class NetSuite:
    """One account of NetSuite. The token stands in the environment variable that `posting.password_env` names."""

    name = "netsuite"

    def __init__(self, posting: Posting) -> None:
        token = os.environ.get(posting.password_env, "")
        self._posting = posting
        self._calls = RestCalls(
            posting.url, headers={"Authorization": f"Bearer {token}"}, timeout_seconds=posting.timeout_seconds
        )

    @understood("NetSuite")
    def find(self, key: str) -> Held | None:
        """The journal entry with this external id."""
        answer = self._calls.ask("GET", _place(key))
        if answer.status == NOT_FOUND:
            return None
        body = answer.body
        is_unfinished = not self._posting.draft and not body.get("approved", False)
        return Held(key, str(body["id"]), _sha256_of(str(body.get("memo", ""))), is_unfinished)

    @understood("NetSuite")
    def submit(self, document: PostingDocument, *, posting_month: str) -> Held:
        """Write it under its external id. Raises PeriodShut where the accounting period is closed."""
        body = {
            "subsidiary": {"externalId": document.company},
            "currency": {"refName": document.currency},
            "tranDate": last_day_of(posting_month).isoformat(),
            "memo": f"sha256:{document.sha256} {document.title}",
            "approved": not self._posting.draft,
            "line": {
                "items": [
                    {
                        "account": {"externalId": self._posting.account(line.account)},
                        line.side: plain_text(line.amount),
                        "department": {"externalId": line.cost_centre},
                        "memo": line.description,
                    }
                    for line in document.lines
                ]
            },
        }
        try:
            answer = self._calls.ask("PUT", _place(document.key), body=body)
        except RefusedAnswer as refusal:
            if _is_of_period(refusal.answer.told):
                raise PeriodShut(str(refusal)) from None
            raise
        number = answer.headers.get("Location", "").rpartition("/")[2]
        return Held(document.key, number or document.key, document.sha256)

    @understood("NetSuite")
    def finish(self, held: Held) -> Held:
        """Approve it."""
        self._calls.ask("PATCH", f"{RECORDS}/{held.remote_id}", body={"approved": True})
        return Held(held.key, held.remote_id, held.document_sha256)

    @understood("NetSuite")
    def held_lines(self, batch_key: str) -> Sequence[HeldLine]:
        """The lines of all entries of a batch, page by page."""
        lines: list[HeldLine] = []
        asked = {"q": _LINES.format(prefix=batch_key.replace("'", "''"))}
        more, offset = True, 0
        while more:
            answer = self._calls.ask(
                "POST", QUERIES, body=asked, headers={"Prefer": "transient"},
                query={"limit": str(ROWS_AT_ONCE), "offset": str(offset)},
            )  # fmt: skip
            for row in answer.body["items"]:
                signed = Decimal(str(row.get("debit") or 0)) - Decimal(str(row.get("credit") or 0))
                account = self._posting.our_account(str(row["acctnumber"]))
                lines.append(HeldLine(str(row["externalid"]), str(row["id"]), account, signed))
            more, offset = bool(answer.body.get("hasMore")), offset + ROWS_AT_ONCE
        return lines


def _place(key: str) -> str:
    return f"{RECORDS}/eid:{quote(key, safe=':')}"


def _sha256_of(memo: str) -> str:
    return memo.partition(" ")[0].removeprefix("sha256:")


def _is_of_period(told: str) -> bool:
    return "period" in told.lower() and any(word in told.lower() for word in ("closed", "locked"))
