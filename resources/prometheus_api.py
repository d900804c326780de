"""Asks a Prometheus, or what speaks its API, for samples as they were scraped: instant queries with a range selector.

Never `query_range`: it fills gaps of up to five minutes and snaps instants to a grid, which turns unobserved time into
observed time. Not here: which metrics (chargeback/usage/dcgm_names.py), reading the answer (dcgm_matrix.py), and what
series that are said twice mean: all of them are kept.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import orjson
import requests
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from chargeback.billing_period import Interval
from resources.setting_kinds import SettingsRefused

ATTEMPTS = 6
LONGEST_WAIT_SECONDS = 30
CONNECT_AND_READ_SECONDS = (10, 300)
TOO_MANY_REQUESTS = 429

_MATCHERS = re.compile(r"\s*\{(?P<inside>.*)\}\s*", re.S)
_SUCCESS = re.compile(rb'\s*\{\s*"status"\s*:\s*"success"')
_SERIES = re.compile(rb'"metric"\s*:\s*\{')
_MILLISECONDS = 1_000


class PrometheusRefused(Exception):
    """Prometheus did not give what was asked for; one line that says why and what to do."""


class _Unanswered(Exception):
    """Worth another attempt: no connection, a broken answer, too many requests, a fault of the server."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the API answered, byte by byte, and how many series are in it."""

    content: bytes
    series: int


@dataclass(frozen=True, slots=True)
class PrometheusAccess:
    """What a person said about where Prometheus is. `ca_file` None trusts what the machine trusts."""

    url: str
    token_file: Path | None = None
    ca_file: Path | None = None

    def connected(self, *, first_wait_seconds: float = 1.0) -> "PrometheusApi":
        """The API; nothing has been asked of it yet. Raises SettingsRefused for what cannot be used."""
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsRefused(
                f"--prometheus {_without_secrets(self.url)!r} is no address; write it as http://prometheus:9090"
            )
        for option, file in (("--token-file", self.token_file), ("--ca-file", self.ca_file)):
            if file is not None and not file.is_file():
                raise SettingsRefused(f"{option}: no such file: {file}")
        return PrometheusApi(self, first_wait_seconds=first_wait_seconds)


class PrometheusApi:
    """One Prometheus. `first_wait_seconds` is doubled before each further attempt of a request."""

    def __init__(self, access: PrometheusAccess, *, first_wait_seconds: float = 1.0) -> None:
        self._url = access.url.rstrip("/")
        self._token_file = access.token_file
        self._session = requests.Session()
        self._session.verify = str(access.ca_file) if access.ca_file else True
        self._first_wait_seconds = first_wait_seconds

    @property
    def address(self) -> str:
        """Where it is, without credentials."""
        return _without_secrets(self._url)

    def samples(self, names: Sequence[str], *, selector: str, interval: Interval) -> Answer:
        """Every sample of the metrics of these names in the interval, as scraped.

        Input:   `selector`: matchers of labels, `{job="dcgm"}`, or nothing; an interval of whole seconds.
        Output:  a matrix. An instant query takes both ends or, in later versions, the last one only: it ends a
                 millisecond before the interval does, so that no sample is left out; one just before it may be in it.
        Raises:  PrometheusRefused.
        """
        inside = _MATCHERS.fullmatch(selector)
        matchers = [f'__name__=~"{"|".join(names)}"', (inside["inside"] if inside else selector).strip()]
        length = f"[{interval.seconds}s]"
        content = self._answer(
            {
                "query": "{" + ",".join(filter(None, matchers)) + "}" + length,
                "time": f"{interval.end.timestamp() - 1 / _MILLISECONDS:.3f}",
                "partial_response": "false",  # Thanos: no answer rather than one without what a store did not give
            }
        )
        return Answer(content, len(_SERIES.findall(content)))

    def _answer(self, asked: dict[str, str]) -> bytes:
        attempts = Retrying(
            retry=retry_if_exception_type(_Unanswered),
            stop=stop_after_attempt(ATTEMPTS),
            wait=wait_random_exponential(multiplier=self._first_wait_seconds, max=LONGEST_WAIT_SECONDS),
            reraise=True,
        )
        try:
            return attempts(self._answer_once, asked)
        except _Unanswered as problem:
            raise PrometheusRefused(f"{self.address} did not answer {ATTEMPTS} times: {problem}") from problem

    def _answer_once(self, asked: dict[str, str]) -> bytes:
        try:
            answer = self._session.post(
                f"{self._url}/api/v1/query", data=asked, headers=self._headers(), timeout=CONNECT_AND_READ_SECONDS,
                allow_redirects=False,
            )  # fmt: skip
        except requests.exceptions.SSLError as refused:
            raise PrometheusRefused(f"{self.address}: its certificate is not trusted, give --ca-file") from refused
        except requests.exceptions.RequestException as broken:
            raise _Unanswered(type(broken).__name__) from None
        if answer.status_code == TOO_MANY_REQUESTS or answer.status_code >= 500:
            raise _Unanswered(f"status {answer.status_code}, {_said(answer)}")
        if answer.status_code in (401, 403):
            raise PrometheusRefused(f"{self.address} does not accept the credentials ({answer.status_code})")
        if answer.status_code != requests.codes.ok:
            raise PrometheusRefused(f"{self.address} refused {asked['query']}: {_said(answer)}")
        if not _SUCCESS.match(answer.content):
            raise PrometheusRefused(f"{self.address} is no Prometheus: /api/v1/query answers with {_kind_of(answer)}")
        return answer.content

    def _headers(self) -> dict[str, str]:
        """A token is read for each request: one that is mounted is renewed."""
        if self._token_file is None:
            return {}
        token = self._token_file.read_text(encoding="utf-8", errors="replace").strip()
        return {"Authorization": f"Bearer {token}"}


def _said(answer: requests.Response) -> str:
    """What the API says went wrong, in one line."""
    try:
        said = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        said = None
    error = said.get("error") if isinstance(said, dict) else None
    text = " ".join(str(error or answer.reason or "no reason").split())[:300]
    is_too_much = "too many samples" in text or "exceed" in text
    return f"{text}; ask for less at once with --hours" if is_too_much else text


def _kind_of(answer: requests.Response) -> str:
    return answer.headers.get("Content-Type", "something without a type").partition(";")[0]


def _without_secrets(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
