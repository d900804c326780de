"""No credential in logs, metadata, tracebacks or the lake: canaries are planted, all is made to speak and searched.

Searched are what commands print, every file of the instance's home (SQLite row by row), every object of the lake as it
lies there, and every table's cells. Not here: which role may do what (tests/infra/test_store_access.py).
"""

import io
import os
import signal
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pytest

from resources.object_store import ObjectStore
from resources.open_store import store_at
from resources.storage_location import StorageLocation, aws_session
from tests.services.seaweedfs import ADMINISTRATOR, BUCKET, bucket_made, start_server, weed_program
from tests.small_lake import CHARGEBACK, CLUSTER, DAYS, EXTRACTS, MONTH, SmallLake, small_lake

OF_THE_DATABASE = "canary-of-the-database-77aa"
CANARIES = {
    "AWS_ACCESS_KEY_ID": "CANARYKEY7XQ2LAKE",
    "AWS_SECRET_ACCESS_KEY": "canary-of-the-store-5c1e0d9b",
    "CHARGEBACK_POSTGRES_URL": f"postgresql://ledger:{OF_THE_DATABASE}@127.0.0.1:9/chargeback",
}
WRONG = "canary-of-a-wrong-secret-2b44"
SOUGHT = ("CANARYKEY7XQ2LAKE", "canary-of-the-store", "canary-of-the-database", "canary-of-a-wrong-secret")


@dataclass
class Spoken:
    """What commands said, in order, and the lake that they said it about."""

    lake: SmallLake
    store: ObjectStore
    said: dict[str, str] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)

    def run(self, name: str, *arguments: str | Path, program: Path = CHARGEBACK) -> None:
        """Run a command and keep all that it prints."""
        done = self.lake.run(*arguments, program=program)
        self.said[name] = done.stdout + done.stderr
        self.codes[name] = done.returncode


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spoken]:
    """A lake that was billed, and then everything that can go wrong with its credentials and its store."""
    credentials = {"accessKey": CANARIES["AWS_ACCESS_KEY_ID"], "secretKey": CANARIES["AWS_SECRET_ACCESS_KEY"]}
    identity = {**ADMINISTRATOR, "credentials": [credentials]}
    server = start_server(tmp_path_factory.mktemp("store"), weed_program(), access={"identities": [identity]})
    folder = tmp_path_factory.mktemp("canaries")
    try:
        with pytest.MonkeyPatch.context() as environment:
            for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_ENDPOINT_URL"):
                environment.delenv(name, raising=False)
            for name, canary in CANARIES.items():
                environment.setenv(name, canary)
            environment.setenv("AWS_CONFIG_FILE", os.devnull)
            environment.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
            aws_session.cache_clear()
            endpoint_url = f"http://127.0.0.1:{server['port']}"
            bucket_made(endpoint_url)
            location = StorageLocation(f"s3://{BUCKET}/canaries", endpoint_url=endpoint_url, allow_http=True)
            spoken = Spoken(small_lake(folder, location), store_at(location))
            _what_goes_well(spoken)
            _what_goes_wrong(spoken, environment)
            spoken.objects = {each.key: spoken.store.get(each.key) for each in spoken.store.list("")}
            yield spoken
    finally:
        aws_session.cache_clear()
        os.kill(server["process_id"], signal.SIGKILL)


def _what_goes_well(spoken: Spoken) -> None:
    spoken.run("preflight", "preflight", "--storage", "--commits", "20")
    for number, done in enumerate(spoken.lake.land()):
        spoken.said[f"land {number}"] = done.stdout + done.stderr
        spoken.codes[f"land {number}"] = done.returncode
    spoken.store.put_new("incoming/anybody's file.psv", EXTRACTS["slurm/sacct"][1].encode())
    spoken.run("inbox", "inbox")
    spoken.run("bill", "bill", MONTH, "--workers", "1")
    day = f"{CLUSTER}|{DAYS[0]}"
    spoken.run(
        "a run of a person", "asset", "materialize", "-m", "orchestration.definitions", "--select", "raw_nodes",
        "--partition", day, program=CHARGEBACK.with_name("dagster"),
    )  # fmt: skip


def _what_goes_wrong(spoken: Spoken, environment: pytest.MonkeyPatch) -> None:
    """Each of these fails in another place: signing, authorising, opening the instance."""
    with environment.context() as wrong:
        wrong.setenv("AWS_SECRET_ACCESS_KEY", WRONG)
        spoken.run("bill, wrong secret", "bill", MONTH, "--workers", "1", "--again")
        spoken.run("land, wrong secret", "land", "sacct.psv", "--source", "slurm/sacct", "--cluster", CLUSTER)
        spoken.run("preflight, wrong secret", "preflight", "--storage", "--commits", "20")
        spoken.run("statement, wrong secret", "statement", "Vision", MONTH)
    settings = spoken.lake.folder / "chargeback.toml"
    written = settings.read_text()
    elsewhere = written.replace("[lake]", '[lake]\nhome = "home-on-postgres"')
    settings.write_text(elsewhere + '\n[instance]\nstorage = "postgres"\n')
    spoken.run("bill, no database", "bill", MONTH, "--workers", "1", "--again")
    settings.write_text(written)


def test_everything_was_made_to_speak(spoken: Spoken) -> None:
    went_well = {name: code for name, code in spoken.codes.items() if "wrong" not in name and "no database" not in name}
    went_wrong = {name: code for name, code in spoken.codes.items() if name not in went_well}

    assert set(went_well.values()) == {0}, [spoken.said[name] for name, code in went_well.items() if code]
    assert len(went_wrong) == 5
    assert set(went_wrong.values()) <= {2, 3}, spoken.said
    assert all(spoken.said[name].strip() for name in went_wrong)


def test_no_command_prints_a_credential_or_a_trace(spoken: Spoken) -> None:
    assert [name for name, said in spoken.said.items() if any(canary in said for canary in SOUGHT)] == []
    assert [name for name, said in spoken.said.items() if "Traceback" in said] == []


def test_no_file_beside_the_lake_holds_a_credential_nor_any_row_of_the_instance(spoken: Spoken) -> None:
    files = {path: path.read_bytes() for path in spoken.lake.folder.rglob("*") if path.is_file()}
    databases = [path for path, content in files.items() if content.startswith(b"SQLite format 3")]

    assert len(databases) >= 2, "the instance keeps its records in SQLite"
    assert [str(path) for path, content in files.items() if holds_a_canary(content)] == []
    for path in databases:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            assert [row for row in connection.iterdump() if holds_a_canary(row.encode())] == []


def test_no_object_of_the_lake_and_no_cell_of_a_table_holds_a_credential(spoken: Spoken) -> None:
    tables = {key: content for key, content in spoken.objects.items() if key.endswith(".parquet")}

    assert len(tables) > 20
    assert any(b"slurm-a" in content for content in spoken.objects.values())
    assert [key for key, content in spoken.objects.items() if holds_a_canary(content)] == []
    for key, content in tables.items():
        cells = pl.read_parquet(io.BytesIO(content), hive_partitioning=False).write_json()
        assert not holds_a_canary(cells.encode()), key


def test_the_search_would_find_a_canary(spoken: Spoken, tmp_path: Path) -> None:
    planted = pl.DataFrame({"said": [f"signed with {CANARIES['AWS_SECRET_ACCESS_KEY']}"]})
    planted.write_parquet(tmp_path / "planted.parquet", compression="zstd")

    assert holds_a_canary(pl.read_parquet(tmp_path / "planted.parquet").write_json().encode())
    assert holds_a_canary(f"postgresql://ledger:{OF_THE_DATABASE}@db/chargeback".encode())
    assert not holds_a_canary(b"slurm-a")


def holds_a_canary(content: bytes) -> bool:
    """Whether a credential that was planted stands in it, or a part of one that tells it."""
    return any(canary.encode() in content for canary in SOUGHT)
