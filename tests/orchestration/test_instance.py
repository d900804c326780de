"""The instance of a lake: what its dagster.yaml says, whose file it is, and runs whose process died."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from dagster import DagsterInstance, DagsterRunStatus, job

from orchestration.instance import open_instance, require_storage
from orchestration.instance_file import MARK, instance_file
from resources.operation_settings import Instance
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings
from tests.estates import Estate

RUN_THAT_WAITS = """
import os, sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
import dagster as dg
from orchestration.dead_workers import WORKER_TAG, this_process
from orchestration.instance import open_instance
from resources.settings import load_settings

out = os.fdopen(os.dup(1), "w")  # what an op prints goes to the run's own file

@dg.op(pool="landing")
def waits() -> None:
    out.write("started\\n"); out.flush()
    sys.stdin.read()

@dg.job
def waiting() -> None:
    waits()

instance = open_instance(load_settings(Path(sys.argv[1])))
waiting.execute_in_process(instance=instance, tags={WORKER_TAG: this_process()})
"""


@job
def nothing_to_wait_for() -> None:
    """A run that ends where it begins."""


@pytest.fixture(autouse=True)
def no_home_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")


def settings_in(folder: Path, **instance: object) -> Settings:
    settings = Estate.begun_in(folder, people=False).settings
    return replace(settings, instance=Instance(**instance))  # type: ignore[arg-type]


def test_limits_of_runs_and_pools_are_those_of_the_settings(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, runs_at_once=5, store_calls_at_once=3, longest_run_minutes=10)

    instance = open_instance(settings)

    written = yaml.safe_load((settings.home / "dagster.yaml").read_text())
    assert written["concurrency"] == {"pools": {"granularity": "op"}, "runs": {"max_concurrent_runs": 5}}
    assert written["run_monitoring"]["max_runtime_seconds"] == 600
    assert (written["telemetry"], written["run_retries"]) == ({"enabled": False}, {"enabled": False})
    limits = {pool.name: pool.limit for pool in instance.event_log_storage.get_pool_limits()}
    assert limits == {"landing": 3, "finance": 1}


def test_changed_settings_change_the_file_that_we_wrote_and_the_pools(tmp_path: Path) -> None:
    open_instance(settings_in(tmp_path, store_calls_at_once=3))
    changed = settings_in(tmp_path, runs_at_once=7, store_calls_at_once=4)

    instance = open_instance(changed)

    assert (changed.home / "dagster.yaml").read_text() == instance_file(changed)
    assert {pool.limit for pool in instance.event_log_storage.get_pool_limits()} == {4, 1}


def test_a_file_without_our_first_line_is_somebodys_own_and_stays(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    own = instance_file(settings).removeprefix(MARK).replace("max_concurrent_runs: 2", "max_concurrent_runs: 9")
    settings.home.mkdir()
    (settings.home / "dagster.yaml").write_text(own)

    open_instance(settings)

    assert (settings.home / "dagster.yaml").read_text() == own


def test_no_address_and_no_password_of_the_database_stands_in_the_file(tmp_path: Path) -> None:
    written = instance_file(settings_in(tmp_path, storage="postgres", postgres_url_env="MY_RECORDS"))

    address = {"postgres_url": {"env": "MY_RECORDS"}}
    assert yaml.safe_load(written)["storage"]["custom"]["config"] == address
    assert "event_log_storage" not in written


CANARY = "s3cret-canary"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (None, "the environment variable CHARGEBACK_POSTGRES_URL is not set"),
        (CANARY, "CHARGEBACK_POSTGRES_URL: it is no address"),
        (f"postgresql://u:{CANARY}@127.0.0.1:port/d", "CHARGEBACK_POSTGRES_URL: it is no address"),
        (f"mysql://u:{CANARY}@127.0.0.1/d", "it is an address of mysql, not of postgresql"),
        (f"postgresql://u:{CANARY}@127.0.0.1:1/d", "does not answer as user u at 127.0.0.1:1, database d"),
    ],
)
def test_a_database_that_is_not_there_is_one_line_without_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str | None, said: str
) -> None:
    monkeypatch.delenv("CHARGEBACK_POSTGRES_URL", raising=False)
    if address is not None:
        monkeypatch.setenv("CHARGEBACK_POSTGRES_URL", address)

    with pytest.raises(SettingsRefused, match=said) as refused:
        require_storage(settings_in(tmp_path, storage="postgres"))

    assert CANARY not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_bill_without_its_database_says_so_and_starts_no_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate = Estate.begun_in(tmp_path)
    estate.config.write_text(estate.config.read_text() + '\n[instance]\nstorage = "postgres"\n')
    monkeypatch.setenv("CHARGEBACK_POSTGRES_URL", f"postgresql://u:{CANARY}@127.0.0.1:1/d")

    refused = estate.command("bill", "2026-03")

    assert refused.returncode == 2
    assert len(refused.stderr.strip().splitlines()) == 1
    assert CANARY not in refused.stdout + refused.stderr


def test_a_run_whose_process_was_killed_is_failed_at_the_next_start_and_a_living_one_goes_on(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    command = [sys.executable, "-c", RUN_THAT_WAITS, str(tmp_path / "chargeback.toml")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as killed, subprocess.Popen(command, **pipes) as alive:  # type: ignore[call-overload]
        for each in (killed, alive):
            assert each.stdout.readline() == b"started\n"
        killed.kill()
        killed.wait()

        instance = open_instance(settings)
        statuses = statuses_of(instance)
        slots_taken = instance.event_log_storage.get_concurrency_info("landing").active_slot_count
        alive.communicate(b"")

    assert statuses == [DagsterRunStatus.FAILURE, DagsterRunStatus.STARTED]
    assert slots_taken == 1
    assert statuses_of(instance) == [DagsterRunStatus.FAILURE, DagsterRunStatus.SUCCESS]


def statuses_of(instance: DagsterInstance) -> list[DagsterRunStatus]:
    return sorted((run.status for run in instance.get_runs()), key=lambda status: status.value)


def test_a_home_whose_making_was_killed_again_and_again_opens_whole(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    killed = subprocess.run(
        [sys.executable, "-m", "tests.orchestration.killed_openings", str(tmp_path / "chargeback.toml"), "12"],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True,
    )  # fmt: skip

    instance = open_instance(settings)
    nothing_to_wait_for.execute_in_process(instance=instance)

    assert int(killed.stdout) > 0
    assert statuses_of(instance) == [DagsterRunStatus.SUCCESS]
    assert list(settings.home.glob(".making-*")) == []
