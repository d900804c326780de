"""Account moves in Tryton, over its JSON-RPC. A move's description bears the document key and hash.

Tryton has no unique external id, so a key is looked up before it is written. Its SQLite backend accepts a move that
does not balance: what is sent is balanced before it leaves (chargeback/ledger/posting_plan.py).
"""

import base64
import os
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from chargeback.billing_period import last_day_of
from chargeback.ledger.posting_document import PostingDocument, plain_text
from chargeback.ledger.tie_out import HeldLine
from resources.finance_system import Busy, Held, PeriodShut, Refused, Unanswered
from resources.posting_settings import Posting
from resources.rest_calls import RestCalls, understood

RPC = "/rpc/"
DRAFT = "draft"
_OPEN = "open"


class Tryton:
    """One database of a Tryton server: `posting.url` ends with its name. `posting.ledger` is the journal's name."""

    name = "tryton"

    def __init__(self, posting: Posting) -> None:
        self._posting = posting
        self._calls = RestCalls(posting.url, headers={}, timeout_seconds=posting.timeout_seconds)
        self._session = ""
        self._ids: dict[tuple[str, str, int], int] = {}

    @understood("Tryton")
    def find(self, key: str) -> Held | None:
        """The move of this key. Raises Refused if there are several."""
        found = [each for each in self._moves(f"{_escaped(key)} %") if _key_of(each) == key]
        if len(found) > 1:
            numbers = ", ".join(str(each["id"]) for each in found)
            raise Refused(f"{key} stands there {len(found)} times (moves {numbers}): cancel all but one")
        return self._held(found[0]) if found else None

    @understood("Tryton")
    def submit(self, document: PostingDocument, *, posting_month: str) -> Held:
        """Write a draft move; `finish` posts it. Raises PeriodShut where its period is not open."""
        company = self._id_of("company.company", document.company, 0)
        day = last_day_of(posting_month)
        move = {
            "company": company,
            "journal": self._journal(company),
            "period": self._period(day, company),
            "date": _date(day),
            "description": f"{document.key} sha256:{document.sha256}",
            "lines": [["create", [self._line(line, company) for line in document.lines]]],
        }
        (number,) = self._ask("model.account.move.create", [move], company=company)
        return Held(document.key, str(number), document.sha256, is_unfinished=not self._posting.draft)

    @understood("Tryton")
    def finish(self, held: Held) -> Held:
        """Post the draft move."""
        self._ask("model.account.move.post", [int(held.remote_id)])
        return Held(held.key, held.remote_id, held.document_sha256)

    @understood("Tryton")
    def held_lines(self, batch_key: str) -> Sequence[HeldLine]:
        """The lines of all moves of a batch, drafts too."""
        keys = {int(each["id"]): _key_of(each) for each in self._moves(f"{_escaped(batch_key)}:%")}
        names = ["move", "account", "account.rec_name", "debit", "credit"]
        rows = self._ask("model.account.move.line.search_read", [["move", "in", sorted(keys)]], 0, None, None, names)
        codes = self._codes({int(row["account"]) for row in rows})
        return [
            HeldLine(
                keys[int(row["move"])],
                str(row["move"]),
                self._posting.our_account(codes[int(row["account"])]),
                _decimal(row["debit"]) - _decimal(row["credit"]),
            )
            for row in rows
        ]

    def _line(self, line: Any, company: int) -> dict[str, Any]:
        other = "credit" if line.side == "debit" else "debit"
        return {
            "account": self._id_of("account.account", self._posting.account(line.account), company),
            line.side: {"__class__": "Decimal", "decimal": plain_text(line.amount)},
            other: {"__class__": "Decimal", "decimal": "0"},
            "description": f"{line.cost_centre}: {line.description}",
        }

    def _moves(self, like: str) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = self._ask(
            "model.account.move.search_read", [["description", "like", like]], 0, None, None, ["description", "state"]
        )
        return found

    def _period(self, day: date, company: int) -> int:
        asked = [["start_date", "<=", _date(day)], ["end_date", ">=", _date(day)], ["type", "=", "standard"],
                 ["company", "=", company]]  # fmt: skip
        found = self._ask("model.account.period.search_read", asked, 0, None, None, ["state"], company=company)
        if not found:
            raise PeriodShut(f"{self._calls.address}: there is no period for {day}: open its fiscal year")
        if found[0]["state"] != _OPEN:
            raise PeriodShut(f"{self._calls.address}: the period of {day} is {found[0]['state']}")
        return int(found[0]["id"])

    def _journal(self, company: int) -> int:
        if self._posting.ledger:
            return self._id_of("account.journal", self._posting.ledger, company)
        found = self._ask("model.account.journal.search", [["type", "=", "general"]], 0, 1, None, company=company)
        if not found:
            raise Refused(f"{self._calls.address}: there is no general journal: name one as posting.ledger")
        return int(found[0])

    def _id_of(self, model: str, name: str, company: int) -> int:
        """A record by its code or name. Raises Refused if there is not exactly one."""
        if (model, name, company) not in self._ids:
            fields = {"company.company": ["party.name"], "account.account": ["code", "name"]}.get(model, ["name"])
            asked = ["OR", *([[field, "=", name]] for field in fields)]
            found = self._ask(f"model.{model}.search", asked, 0, None, None, company=company)
            if len(found) != 1:
                raise Refused(
                    f"{self._calls.address}: {len(found)} records of {model} are called {name!r}, must be one: "
                    "map it in [posting.accounts], or make it over there"
                )
            self._ids[(model, name, company)] = int(found[0])
        return self._ids[(model, name, company)]

    def _codes(self, accounts: set[int]) -> dict[int, str]:
        rows = self._ask("model.account.account.read", sorted(accounts), ["code", "name"]) if accounts else []
        return {int(row["id"]): str(row["code"] or row["name"]) for row in rows}

    def _held(self, move: Mapping[str, Any]) -> Held:
        digest = str(move["description"]).rpartition("sha256:")[2]
        is_unfinished = not self._posting.draft and move["state"] == DRAFT
        return Held(_key_of(move), str(move["id"]), digest, is_unfinished)

    def _ask(self, method: str, *params: Any, company: int = 0) -> Any:
        """One call in our session. Raises FinanceFailure; a session that ran out is opened again, once."""
        context = {"company": company} if company else {}
        if not self._session:
            self._log_in()
        for is_last in (False, True):
            answer = self._calls.ask(
                "POST", RPC, body={"id": 1, "method": method, "params": [*params, context]},
                headers={"Authorization": f"Session {self._session}"},
            ).body  # fmt: skip
            error = answer.get("error")
            if error is None:
                return answer["result"]
            if is_last or not str(error).startswith("['401"):
                break
            self._log_in()
        raise _failure_of(f"{self._calls.address} {method}", error)

    def _log_in(self) -> None:
        password = os.environ.get(self._posting.password_env, "")
        asked = {"id": 1, "method": "common.db.login", "params": [self._posting.user, {"password": password}, "en"]}
        result = self._calls.ask("POST", RPC, body=asked).body.get("result")
        if not result:
            raise Refused(
                f"{self._calls.address}: {self._posting.user} may not log in: set {self._posting.password_env}"
            )
        self._session = base64.b64encode(f"{self._posting.user}:{result[0]}:{result[1]}".encode()).decode()


def _failure_of(what: str, error: Any) -> Refused | Busy | Unanswered:
    told = " ".join(str(part) for part in error[:2]) if isinstance(error, list) else str(error)
    if "ConcurrencyException" in told or "TimeoutException" in told:
        return Busy(f"{what}: {told[:300]}")
    known = ("UserError", "UserWarning", "ValidationError", "DomainValidationError", "AccessError", "PostError")
    is_refusal = any(name in told for name in known)
    return (Refused if is_refusal else Unanswered)(f"{what}: {' '.join(told.split())[:300]}")


def _key_of(move: Mapping[str, Any]) -> str:
    return str(move["description"]).partition(" ")[0]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _date(day: date) -> dict[str, Any]:
    return {"__class__": "date", "year": day.year, "month": day.month, "day": day.day}


def _decimal(value: Any) -> Decimal:
    return Decimal(str(value["decimal"] if isinstance(value, dict) else value or 0))
