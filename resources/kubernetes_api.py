"""Asks a Kubernetes API for full listings: page by page, with retries, from the start again where the pages expired.

Through the official client, but with the JSON as the API returned it: its models would drop what they do not know.
Not here: how it is reached (kubernetes_access.py), which kinds (kubernetes_kinds.py), what is kept of a page
(kubernetes_listing.py).
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import orjson
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential
from urllib3.exceptions import HTTPError

from resources.kubernetes_kinds import ListedKind, group_path
from resources.kubernetes_listing import Listing, ListWriter

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

PAGE_OBJECTS = 500
ATTEMPTS = 6
RESTARTS = 5
LONGEST_WAIT_SECONDS = 30
CONNECT_AND_READ_SECONDS = (10, 120)

EXPIRED = 410
TOO_MANY_REQUESTS = 429


class KubernetesRefused(Exception):
    """The API did not give what was asked for; one line that says why and what to do."""


class ListingForbidden(KubernetesRefused):
    """The API does not permit to list a kind."""

    def __init__(self, kind: ListedKind, said: str) -> None:
        self.kind = kind
        super().__init__(f"may not list {kind.name}: add to the ClusterRole the rule {kind.missing_rule} (API: {said})")


class _Unanswered(Exception):
    """Worth another attempt: no connection, a broken answer, too many requests, a fault of the server."""


class _PagesExpired(Exception):
    """The pages that were read and those still to come are not of one state any more."""


class KubernetesApi:
    """The API of one cluster. `first_wait_seconds` is doubled before each further attempt of a request."""

    def __init__(
        self, client: "ApiClient", *, page_objects: int = PAGE_OBJECTS, first_wait_seconds: float = 1.0
    ) -> None:
        self._client = client
        self._page_objects = page_objects
        self._first_wait_seconds = first_wait_seconds

    @property
    def server(self) -> str:
        """Address of the API."""
        return str(self._client.configuration.host)

    def version_of(self, kind: ListedKind) -> str | None:
        """The version in which the API serves a kind, the first of those that are preferred; None if in none.

        Raises  KubernetesRefused if the API cannot be asked, or does not let itself be asked.
        """
        if not kind.group:
            return kind.versions[0]
        for version in kind.versions:
            if version in self._versions_by_group.get(kind.group, ()) and kind.plural in self._plurals(kind, version):
                return version
        return None

    def full_listing(self, kind: ListedKind, version: str) -> Listing:
        """Every object of a kind, in all namespaces, as of one state of the cluster.

        Raises  ListingForbidden; KubernetesRefused if it cannot be reached, answers with something else than a list, or
                lets the pages expire each time.
        """
        for restarts in range(RESTARTS + 1):
            try:
                return self._listing(kind, version, restarts)
            except _PagesExpired:
                continue
        raise KubernetesRefused(
            f"{self.server}: the pages of {kind.name} expired {RESTARTS + 1} times before the last was read; "
            "the API is slower than its compaction interval: ask when less is going on"
        )

    def _listing(self, kind: ListedKind, version: str, restarts: int) -> Listing:
        writer = ListWriter()
        extracted_at = datetime.now(UTC)
        token, resource_version = "", None
        while True:
            page = self._page(kind, version, token)
            metadata = page.get("metadata") or {}
            if resource_version not in (None, metadata.get("resourceVersion")):
                raise _PagesExpired
            resource_version = metadata.get("resourceVersion")
            writer.add_page(list_kind=page["kind"], api_version=page["apiVersion"], items=page["items"] or ())
            previous, token = token, metadata.get("continue") or ""
            if not token:
                break
            if token == previous:
                raise KubernetesRefused(f"{self.server}: {kind.name}: the page after a page is that page itself")
        content = writer.finished({"resourceVersion": resource_version or ""})
        return Listing(kind, version, extracted_at, content, writer.objects, writer.pages, restarts)

    def _page(self, kind: ListedKind, version: str, token: str) -> dict[str, Any]:
        asked = {"limit": self._page_objects} | ({"continue": token} if token else {})
        page = self._answer(kind.path(version), asked, kind)
        if not str(page.get("kind", "")).endswith("List") or not isinstance(page.get("items", False), list | None):
            raise KubernetesRefused(f"{self.server}{kind.path(version)} answered with something that is no list")
        return page

    @cached_property
    def _versions_by_group(self) -> dict[str, set[str]]:
        groups = self._answer("/apis", {}, None).get("groups") or ()
        return {group["name"]: {each["version"] for each in group["versions"]} for group in groups}

    def _plurals(self, kind: ListedKind, version: str) -> set[str]:
        served = self._answer(group_path(kind.group, version), {}, None).get("resources") or ()
        return {each["name"] for each in served}

    def _answer(self, path: str, asked: Mapping[str, object], kind: ListedKind | None) -> dict[str, Any]:
        attempts = Retrying(
            retry=retry_if_exception_type(_Unanswered),
            stop=stop_after_attempt(ATTEMPTS),
            wait=wait_random_exponential(multiplier=self._first_wait_seconds, max=LONGEST_WAIT_SECONDS),
            reraise=True,
        )
        try:
            return attempts(self._answer_once, path, asked, kind)
        except _Unanswered as problem:
            raise KubernetesRefused(f"{self.server}{path} did not answer {ATTEMPTS} times: {problem}") from problem

    def _answer_once(self, path: str, asked: Mapping[str, object], kind: ListedKind | None) -> dict[str, Any]:
        from kubernetes.client import ApiException

        headers = {"Accept": "application/json", "Accept-Encoding": "gzip"}
        self._client.update_params_for_auth(headers, [], ["BearerToken"])
        try:
            answer = self._client.rest_client.request(
                "GET", f"{self.server}{path}", query_params=list(asked.items()), headers=headers,
                _preload_content=False, _request_timeout=CONNECT_AND_READ_SECONDS,
            )  # fmt: skip
            return _document(answer.data)
        except ApiException as refused:
            raise self._meaning(refused, path, kind) from None
        except HTTPError as broken:
            raise _Unanswered(type(broken).__name__) from None

    def _meaning(self, refused: Any, path: str, kind: ListedKind | None) -> Exception:
        said = _message(refused)
        if refused.status == EXPIRED:
            return _PagesExpired()
        if refused.status == 0:
            return KubernetesRefused(f"{self.server}: its certificate is not trusted, give --ca-file ({said})")
        if refused.status == TOO_MANY_REQUESTS or refused.status >= 500:
            return _Unanswered(said)
        if refused.status == 401:
            return KubernetesRefused(f"{self.server} does not accept the credentials (401): renew the token or login")
        if refused.status == 403 and kind is not None:
            return ListingForbidden(kind, said)
        if refused.status == 403:
            return KubernetesRefused(
                f'may not ask {self.server} what it serves: add the rule nonResourceURLs: ["/apis", "/apis/*"], '
                f'verbs: ["get"] (API: {said})'
            )
        return KubernetesRefused(f"{self.server}{path} answered {refused.status}: {said}")


def _document(content: bytes) -> dict[str, Any]:
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as problem:
        raise _Unanswered("its answer is no JSON") from problem
    if not isinstance(document, dict):
        raise _Unanswered("its answer is no JSON object")
    return document


def _message(refused: Any) -> str:
    """What the API says, in one line."""
    try:
        said = orjson.loads(refused.body or b"").get("message")
    except (orjson.JSONDecodeError, AttributeError):
        said = None
    return " ".join(str(said or refused.reason or "no reason").split())[:300]
