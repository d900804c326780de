"""A month billed on a real S3 server by the commands that people type; credentials in the environment only."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import yaml

from resources.object_store import ObjectStore
from resources.open_store import store_at
from resources.storage_location import StorageLocation
from tests.services.seaweedfs import ACCESS_KEY, SECRET_KEY, S3Server, s3_server
from tests.small_lake import CHARGEBACK, CLUSTER, DAYS, SmallLake, small_lake

__all__ = ["s3_server"]  # the fixture

DAGSTER = CHARGEBACK.with_name("dagster")


@dataclass(frozen=True)
class LakeOnS3:
    """The lake, its store, and what the commands said."""

    lake: SmallLake
    store: ObjectStore
    location: StorageLocation
    landed: list[CompletedProcess[str]]
    billed: CompletedProcess[str]


@pytest.fixture(scope="module")
def on_s3(s3_server: S3Server, tmp_path_factory: pytest.TempPathFactory) -> LakeOnS3:
    """A small lake on S3, landed and billed once."""
    location = s3_server.fresh_location()
    lake = small_lake(tmp_path_factory.mktemp("on-s3"), location)
    landed = lake.land()
    assert lake.run("preflight", "--storage", "--commits", "10").returncode == 0
    return LakeOnS3(lake, store_at(location), location, landed, lake.bill())


def test_a_month_is_billed_from_landing_to_publication_on_s3(on_s3: LakeOnS3) -> None:
    published = [each.key for each in on_s3.store.list("published/")]

    assert [landing.returncode for landing in on_s3.landed] == [0] * 5
    assert on_s3.billed.returncode == 0, on_s3.billed.stdout + on_s3.billed.stderr
    assert "gate           passed" in on_s3.billed.stdout
    assert {key.rpartition("/")[2] for key in published} == {
        "statement.html", "statement.pdf", "lines.csv", "summary.html", "recovery.csv", "journal-2026-03.csv",
        "journal-2026-03.hledger",
        *(f"focus-{table}-2026-03.{kind}"
          for table in ("1.3-cost-and-usage", "1.4-invoice-detail", "1.4-billing-period")
          for kind in ("csv", "parquet")),
    }  # fmt: skip
    assert f"{on_s3.location.root}/published/2026-03/" in on_s3.billed.stdout


def test_amounts_on_s3_are_those_of_quantity_times_price(on_s3: LakeOnS3) -> None:
    # Vision: 4 GPUs x 10 h x 2.385; NLP: 8 GPUs x 12 h x 1.68; nobody's: 1 GPU x 2.5 h x 2.385 = 5.9625.
    for amount in ("€95.40", "€161.28", "€5.96", "€262.64"):
        assert amount in on_s3.billed.stdout


def test_a_second_bill_on_s3_changes_no_object_but_the_log_of_runs(on_s3: LakeOnS3) -> None:
    before = _contents(on_s3.store)

    again = on_s3.lake.bill()

    assert again.returncode == 0, again.stdout + again.stderr
    assert "nothing changed" in again.stdout
    assert _contents(on_s3.store) == before


def test_what_a_run_that_a_person_starts_has_to_say_is_kept_beside_the_lake(on_s3: LakeOnS3) -> None:
    day = f"{CLUSTER}|{DAYS[0]}"
    started = on_s3.lake.run(
        "asset", "materialize", "-m", "orchestration.definitions", "--select", "raw_nodes", "--partition", day,
        program=DAGSTER,
    )  # fmt: skip

    logs = [each.key for each in on_s3.store.list("run-logs/") if each.size]
    said = b"".join(on_s3.store.get(key) for key in logs).decode()

    assert started.returncode == 0, started.stdout + started.stderr
    assert "RUN_SUCCESS" in started.stderr
    assert logs, "no run log on S3"
    assert all(key.endswith((".err", ".out")) for key in logs)
    assert "raw_nodes" in said


def test_the_instance_names_the_bucket_of_its_run_logs_and_no_credentials(on_s3: LakeOnS3) -> None:
    configured = yaml.safe_load((on_s3.lake.home / "dagster.yaml").read_text())["compute_logs"]

    assert (configured["module"], configured["class"]) == ("dagster_aws.s3", "S3ComputeLogManager")
    assert configured["config"]["bucket"] == on_s3.location.bucket
    assert configured["config"]["prefix"] == f"{on_s3.location.prefix}/run-logs"
    assert not {"aws_access_key_id", "aws_secret_access_key"} & set(configured["config"])


def test_the_secret_stands_in_no_object_no_log_and_no_file(on_s3: LakeOnS3) -> None:
    said = "".join(done.stdout + done.stderr for done in (*on_s3.landed, on_s3.billed))
    kept = {str(path): path.read_bytes() for path in on_s3.lake.folder.rglob("*") if path.is_file()}
    kept |= _contents(on_s3.store)

    assert any(b"slurm-a" in content for content in kept.values())
    assert SECRET_KEY not in said
    assert [key for key, content in kept.items() if SECRET_KEY.encode() in content] == []
    assert [key for key, content in kept.items() if ACCESS_KEY.encode() in content] == []


def test_a_lake_is_not_begun_on_a_store_that_loses_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, overwriting_store: str
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "anything")
    lake = small_lake(tmp_path, StorageLocation("s3://b/p", endpoint_url=overwriting_store, allow_http=True))

    (refused,) = lake.land("slurm/nodes")

    assert refused.returncode == 2
    assert refused.stderr.startswith("chargeback: ")
    assert "writers were told that they made object" in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


def test_an_endpoint_without_tls_is_refused_unless_the_settings_allow_it(tmp_path: Path) -> None:
    lake = small_lake(tmp_path)
    (tmp_path / "chargeback.toml").write_text(
        (tmp_path / "chargeback.toml").read_text().replace('"lake"', '"s3://b/p"\nendpoint_url = "http://localhost:1"')
    )

    (refused,) = lake.land("slurm/nodes")

    assert refused.returncode == 2
    assert "has no TLS: use https://, or set allow_http = true" in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


class _Overwriting(BaseHTTPRequestHandler):
    """Puts and gets objects, and pays no heed to If-None-Match."""

    objects: dict[str, bytes] = {}  # noqa: RUF012

    def do_PUT(self) -> None:
        self.objects[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(200, b"")

    def do_GET(self) -> None:
        self._answer(200 if self.path in self.objects else 404, self.objects.get(self.path, b""))

    do_HEAD = do_GET  # noqa: N815

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Quiet."""


@pytest.fixture
def overwriting_store() -> Iterator[str]:
    """The address of an S3-like server that overwrites what exists."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Overwriting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def _contents(store: ObjectStore) -> dict[str, bytes]:
    return {each.key: store.get(each.key) for each in store.list("") if not each.key.startswith("run-logs/")}
