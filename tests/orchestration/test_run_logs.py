"""Where run logs go, and that an instance's configuration is written once and holds no credentials."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from orchestration.instance import open_instance
from orchestration.run_logs import reach_run_logs, run_logs_section
from resources.run_output import FiledRunOutput
from resources.settings import demo_settings
from resources.storage_location import StorageLocation


def test_a_lake_in_a_folder_keeps_its_run_logs_in_the_home_folder(tmp_path: Path) -> None:
    settings = demo_settings(tmp_path)

    logs = yaml.safe_load(run_logs_section(settings))["compute_logs"]

    assert logs["config"] == {"base_dir": str(settings.home / "storage")}


def test_what_a_run_writes_is_in_its_files_and_not_at_the_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    logs = FiledRunOutput(str(tmp_path))
    key = ["run", "compute_logs", "all"]

    with logs.capture_logs(key):
        sys.stdout.write("said\n")
        sys.stderr.write("failed\n")

    kept = logs.get_log_data(key)
    assert (kept.stdout, kept.stderr) == (b"said\n", b"failed\n")
    assert logs.is_capture_complete(key)
    assert capfd.readouterr() == ("", "")


def test_a_lake_on_s3_keeps_its_run_logs_beside_it(tmp_path: Path) -> None:
    location = StorageLocation("s3://bucket/estate/eu", endpoint_url="https://s3.example.org", region="eu-west-1")
    settings = replace(demo_settings(tmp_path), location=location)

    logs = yaml.safe_load(run_logs_section(settings))["compute_logs"]

    assert (logs["module"], logs["class"]) == ("dagster_aws.s3", "S3ComputeLogManager")
    assert logs["config"] == {
        "bucket": "bucket", "prefix": "estate/eu/run-logs", "endpoint_url": "https://s3.example.org",
        "region": "eu-west-1", "use_ssl": True, "local_dir": str(settings.home / "run-logs"), "skip_empty_files": True,
    }  # fmt: skip


def test_run_logs_are_reached_in_the_region_of_the_lake_unless_the_environment_names_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    location = StorageLocation("s3://bucket", region="eu-west-1")
    for named, region in ((None, "eu-west-1"), ("us-west-2", "us-west-2")):
        monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
        if named:
            monkeypatch.setenv("AWS_DEFAULT_REGION", named)

        reach_run_logs(location)

        assert os.environ["AWS_DEFAULT_REGION"] == region


def test_a_configuration_that_stands_in_the_home_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    settings = demo_settings(tmp_path)
    settings.home.mkdir(parents=True)
    (settings.home / "dagster.yaml").write_text("telemetry: {enabled: false}\n")

    open_instance(settings)

    assert (settings.home / "dagster.yaml").read_text() == "telemetry: {enabled: false}\n"
