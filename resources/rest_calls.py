"""JSON over HTTP to a finance system, with every answer told apart: done, not done, or nobody knows.

Never repeated here: whether to ask again is for the one to say who knows what was asked (assets/sending.py).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import requests

from resources.finance_system import Busy, Refused, Unanswered

NOT_FOUND, CONFLICT, TOO_MANY_REQUESTS, UNAVAILABLE, FAULT = 404, 409, 429, 503, 500
CONNECT_SECONDS = 10
LONGEST_TOLD = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: status, JSON body (empty if it had none), headers."""

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """The other side's words, short enough for a line."""
        return " ".join(str(dict(self.body)).split())[:LONGEST_TOLD] if self.body else "nothing"


class RestCalls:
    """One server. `headers` go with every request; they bear the credentials."""

    def __init__(self, url: str, *, headers: Mapping[str, str], timeout_seconds: float) -> None:
        self._url = url.rstrip("/")
        self._timeout_seconds = timeout_seconds
        # A connection for each request: on a kept one, an answer that is given twice is taken for that of the next.
        self._headers = {"Accept": "application/json", "Connection": "close", **headers}

    @property
    def address(self) -> str:
        """Where it is, without credentials."""
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"

    def ask(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request, once. An answer below 400, and 404, is returned.

        Raises  Busy where it says that it did not do it; Unanswered where nobody knows; Refused, in its own words.
        """
        what = f"{self.address}: {method} {path}"
        try:
            answer = requests.request(
                method, f"{self._url}{path}", json=body, params=query, headers={**self._headers, **(headers or {})},
                allow_redirects=False, timeout=(CONNECT_SECONDS, self._timeout_seconds),
            )  # fmt: skip
            content = answer.content
        except requests.RequestException as failure:
            raise Unanswered(f"{what}: {type(failure).__name__}") from None
        read = Answer(answer.status_code, _read(answer) if content else {}, answer.headers)
        if answer.status_code in (TOO_MANY_REQUESTS, UNAVAILABLE):
            raise Busy(f"{what}: busy ({answer.status_code})", wait_seconds=_wait_of(answer.headers))
        if answer.status_code >= FAULT or answer.status_code == CONFLICT:
            raise Unanswered(f"{what}: {answer.status_code}, {read.told}")
        if answer.status_code >= 300 and answer.status_code != NOT_FOUND:
            raise RefusedAnswer(f"{what}: {answer.status_code}, {read.told}", read)
        return read


class RefusedAnswer(Refused):
    """A refusal with what the other side said, for the adapter to read."""

    def __init__(self, told: str, answer: Answer) -> None:
        super().__init__(told)
        self.answer = answer


@contextmanager
def understood(what: str) -> Iterator[None]:
    """Within it, an answer of another shape than the one that we know is Unanswered: nobody knows what it says."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, ArithmeticError) as fault:
        raise Unanswered(f"{what}: an answer that this code does not understand: {fault!r}") from None


def _read(answer: requests.Response) -> Mapping[str, Any]:
    """The body, if it is a JSON object. A success that cannot be read is none: nobody knows what it says."""
    try:
        read = answer.json()
    except requests.JSONDecodeError:
        if answer.status_code < 300:
            raise Unanswered(f"{answer.url}: {answer.status_code} with a body that is no JSON") from None
        return {}
    return read if isinstance(read, dict) else {"result": read}


def _wait_of(headers: Mapping[str, str]) -> float:
    text = headers.get("Retry-After", "")
    return float(text) if text.isdigit() else 1.0
