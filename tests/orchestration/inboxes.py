"""An empty lake of three clusters, in a directory or on S3, and files for its inbox."""

import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from orchestration.inbox import file_incoming
from orchestration.workspace import Workspace, open_workspace
from resources.inbox import Filed
from resources.object_store import ObjectStore
from resources.settings import read_settings
from resources.storage_location import StorageLocation
from tests.estates import BUSY, INPUTS, ROOT, sacct

NOW = datetime(2100, 1, 1, tzinfo=UTC)
"""Later than any file of a test was written: nothing waits for being young unless a test says so."""

CLUSTERS = """
[clusters.slurm-a]
timezone = "UTC"
[clusters.k8s-b]
scheduler = "kubernetes"
"""
SECOND_SLURM = '[clusters.slurm-z]\ntimezone = "UTC"\n'

SACCT = sacct(BUSY)
NODES = (INPUTS / "nodes.txt").read_bytes()
EVENTS = (INPUTS / "events.psv").read_bytes()
CARD = (INPUTS / "rate-card.yaml").read_bytes()
OWNERS = (INPUTS / "ownership.csv").read_bytes()
APPROVALS = b'- {cluster: slurm-a, run: 4711, gpus: 2, by: A. Person, reason: "script asks for two"}\n'
PODS = b'{"apiVersion":"v1","kind":"PodList","items":[],"metadata":{"resourceVersion":"1"}}'
POD = (ROOT / "tests" / "cases" / "K01" / "pod.json").read_bytes()
METRICS = (ROOT / "tests" / "cases" / "D10" / "metrics.prom").read_bytes()
DEVICES = b"host,minor,nvml_index,uuid\ngpu01,0,0,GPU-1\n"
PROLOG = b"job_id|start_epoch|host|uuids|end_epoch\n4711|1770000000|gpu01|GPU-1|\n"


@dataclass(frozen=True)
class Incoming:
    """The inbox of one lake, as those see it who drop files and those who file them."""

    workspace: Workspace
    location: StorageLocation

    @property
    def store(self) -> ObjectStore:
        """The lake's store."""
        return self.workspace.store

    def drop(self, name: str, content: bytes) -> None:
        """Put a file into incoming/, as others do: not through our store, which would refuse odd names."""
        if self.location.is_s3:
            self.store._client.put_object(  # type: ignore[attr-defined]
                Bucket=self.location.bucket, Key=f"{self.location.prefix}/incoming/{name}", Body=content
            )
            return
        path = self.location.directory / "incoming" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def file(self, *, now: datetime = NOW, most: int = 1000) -> Filed:
        """What a sensor or the command does."""
        return file_incoming(self.workspace, now=now, most=most)

    def keys(self, prefix: str = "") -> list[str]:
        """What is there, apart from the lake's own record of its settings."""
        return [each.key for each in self.store.list(prefix) if not each.key.startswith("settings/")]

    def filed_as(self, name: str, content: bytes) -> str:
        """The source, cluster and ending under which one file lands; or why it does not."""
        self.drop(name, content)
        filed = self.file()
        if filed.set_aside:
            return filed.set_aside[0].reason
        (landed,) = filed.landed
        return f"{landed.source} {landed.cluster} {landed.key.rpartition('/')[2].partition('.')[2]}"


def incoming_at(location: StorageLocation, clusters: str = CLUSTERS) -> Incoming:
    """An empty lake with an inbox."""
    text = f'[lake]\nroot = "x"\n[billing]\ncurrency = "EUR"\nfirst_day = 2026-03-01\n{clusters}'
    read = tomllib.loads(text)
    read["lake"] = {"root": location.root}
    if location.is_s3:
        read["lake"] |= {"endpoint_url": location.endpoint_url, "allow_http": True}
    settings = read_settings(read, folder=Path("/"))
    return Incoming(open_workspace(settings, to_read=True), location)


def seconds(count: int) -> timedelta:
    """So many seconds."""
    return timedelta(seconds=count)


@pytest.fixture
def incoming(location: StorageLocation) -> Incoming:
    """An inbox in a directory, and one on S3."""
    return incoming_at(location)


@pytest.fixture
def in_a_directory(tmp_path: Path) -> Incoming:
    """One in a directory."""
    return incoming_at(StorageLocation(str(tmp_path / "lake")))
