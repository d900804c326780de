"""A command that meets a store that fails says so in one line, without a trace or a credential, and exits 2."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.estates import MONTH, command_line
from tests.services.seaweedfs import S3Server, s3_server  # noqa: F401

TOML = """\
[lake]
{lake}
[billing]
currency = "EUR"
first_day = 2026-03-30
[clusters.slurm-a]
timezone = "UTC"
"""
ON_S3 = 'root = "s3://{bucket}/told"\nendpoint_url = "{endpoint_url}"\nallow_http = true'


def told_by(folder: Path, lake: str, *arguments: str, **environment: str) -> str:
    """The one line that a command says before it exits with 2."""
    (folder / "chargeback.toml").write_text(TOML.format(lake=lake))
    ran = subprocess.run(
        command_line(*arguments), cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
    )  # fmt: skip
    assert ran.returncode == 2, ran.stderr
    assert len(ran.stderr.splitlines()) == 1, ran.stderr
    assert "canary" not in ran.stdout + ran.stderr
    return ran.stderr.strip()


def test_refused_credentials_are_one_line(s3_server: S3Server, tmp_path: Path) -> None:  # noqa: F811
    lake = ON_S3.format(bucket="lake", endpoint_url=s3_server.endpoint_url)

    told = told_by(
        tmp_path, lake, "statement", "vision", MONTH, AWS_SECRET_ACCESS_KEY="canary", AWS_SESSION_TOKEN="canary"
    )

    assert told.startswith("chargeback: s3://lake/told/")
    assert f" at {s3_server.endpoint_url}: the credentials are missing, wrong or expired (" in told
    assert told.endswith(
        "); renew them where AWS tools look for them (environment, profile or role), then run it again"
    )


@pytest.mark.parametrize("command", ["bill", "land"])
def test_a_folder_that_nobody_may_write_is_one_line(tmp_path: Path, command: str) -> None:
    extract = tmp_path / "sacct.psv"
    extract.write_text("JobID|State\n")
    arguments = {"bill": (MONTH,), "land": (str(extract), "--source", "slurm/sacct", "--cluster", "slurm-a")}

    told = told_by(tmp_path, 'root = "/sys/lake"', command, *arguments[command])

    assert told.startswith("chargeback: /sys/lake/")
    assert ": access is refused (E" in told
    assert "make the place writable" in told
