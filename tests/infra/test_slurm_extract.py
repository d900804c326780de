"""The nightly extract of a Slurm site, run against commands that print what a real Slurm printed."""

import os
import subprocess
from pathlib import Path

import pytest

import chargeback
from tests.small_lake import small_lake
from tests.tables import instant

SCRIPT = Path(__file__).parents[2] / "infra" / "extract" / "slurm-extract.sh"
DUMPS = Path(chargeback.__path__[0]) / "simulation" / "real_slurm"
SOURCES = {
    "sacct": ("slurm/sacct", "34 records"),
    "nodes": ("slurm/nodes", "4 records"),
    "events": ("slurm/events", "records"),
    "reservations": ("slurm/reservations", "1 records"),
    "bindings": ("slurm/bindings", "records"),
}
# Every fake notes how it was called and in which zone, then prints the dump of that command.
FAKES = {
    "sacct": 'cat "$DUMPS/sacct-X-dup.us-delim"',
    "scontrol": 'case $2 in job) cat "$DUMPS/showjob-mid.txt" ;; node) cat "$DUMPS/scontrol-show-node.txt" ;; esac',
    "sacctmgr": 'case $3 in event) cat "$DUMPS/sacctmgr-event.psv" ;; *) cat "$DUMPS/sacctmgr-reservation.psv" ;; esac',
}


class Site:
    """A machine whose Slurm commands are ours."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.out, self.calls = folder / "bin", folder / "out", folder / "calls"
        self.bin.mkdir(parents=True)
        for name, body in FAKES.items():
            self.install(name, body)

    def install(self, name: str, body: str) -> None:
        """Put a command in the place of Slurm's."""
        program = self.bin / name
        program.write_text(f'#!/bin/sh\nprintf "%s" "$TZ {name}" >>"{self.calls}"\n'
                           f'printf " [%s]" "$@" >>"{self.calls}"\necho >>"{self.calls}"\n{body}\n')  # fmt: skip
        program.chmod(0o755)

    def extract(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the script as cron does."""
        environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "DUMPS": str(DUMPS), "TZ": "Asia/Tokyo"}
        return subprocess.run(
            ["sh", str(SCRIPT), *(arguments or ("--cluster", "gpuc", "--out", str(self.out)))], env=environment,
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def files(self) -> dict[str, Path]:
        """Kind of file -> the file, hidden ones too."""
        return {path.name.partition("-")[0]: path for path in (self.out / "gpuc").iterdir()}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A site where every command answers."""
    return Site(tmp_path / "site")


def test_a_night_writes_five_files_that_hold_what_the_commands_said(site: Site) -> None:
    done = site.extract()

    files = site.files()
    assert (done.returncode, done.stderr) == (0, "")
    assert set(files) == set(SOURCES)
    assert files["sacct"].read_bytes() == (DUMPS / "sacct-X-dup.us-delim").read_bytes()
    assert files["nodes"].read_bytes() == (DUMPS / "scontrol-show-node.txt").read_bytes()


def test_slurm_is_asked_in_utc_for_every_run_of_everybody_over_an_overlapping_window(site: Site) -> None:
    site.extract()

    (asked,) = [call for call in site.calls.read_text().splitlines() if call.startswith("UTC sacct ")]
    for option in ("[-a]", "[-X]", "[--duplicates]", "[-P]", "[--delimiter=\x1f]", "[-S] [now-3days]", "[-E] [now]"):
        assert option in asked
    assert asked.endswith("SubmitLine,JobName]")
    assert all(call.startswith("UTC ") for call in site.calls.read_text().splitlines())


@pytest.mark.parametrize(
    "failing", ["exit 1", "sleep 0; cat /dev/null", 'head -c 500 "$DUMPS/sacct-X-dup.us-delim"; exit 1']
)
def test_a_command_that_fails_or_is_cut_off_leaves_no_file_and_the_others_are_written(site: Site, failing: str) -> None:
    site.install("sacct", failing)

    done = site.extract()

    assert done.returncode == 1
    assert "no sacct file was written" in done.stderr
    assert set(site.files()) == set(SOURCES) - {"sacct"}


def test_between_nights_only_the_gpus_of_running_jobs_are_asked_for(site: Site) -> None:
    done = site.extract("--cluster", "gpuc", "--out", str(site.out), "--bindings-only")

    assert done.returncode == 0
    assert set(site.files()) == {"bindings"}


@pytest.mark.parametrize("arguments", [["--out", "x"], ["--cluster", "../x", "--out", "x"], ["--cluster"], ["--what"]])
def test_a_call_that_names_no_cluster_or_no_folder_is_refused(site: Site, arguments: list[str]) -> None:
    done = site.extract(*arguments)

    assert done.returncode == 2
    assert done.stderr.startswith("usage: ")


def test_what_a_night_wrote_is_recognised_and_lands_with_its_own_time(site: Site, tmp_path: Path) -> None:
    site.extract()
    lake = small_lake(tmp_path / "lake")
    settings = lake.folder / "chargeback.toml"
    settings.write_text(settings.read_text().replace("slurm-a", "gpuc"))
    extracted_at = instant("2026-11-30T14:05:06Z").timestamp()

    for kind, file in site.files().items():
        source, records = SOURCES[kind]
        os.utime(file, (extracted_at, extracted_at))
        inspected = lake.run("inspect", file, "--cluster", "gpuc", "--zone", "UTC")
        landed = lake.run("land", file, "--source", source, "--cluster", "gpuc")

        assert f"{source}, " in inspected.stdout, inspected.stdout + inspected.stderr
        assert records in inspected.stdout
        assert f"landing/{source}/cluster=gpuc/date=2026-11-30/20261130T140506Z-" in landed.stdout, landed.stderr


def test_an_extract_that_is_killed_leaves_whole_files_or_none(site: Site) -> None:
    site.install("sacct", 'cat "$DUMPS/sacct-X-dup.us-delim"; kill -9 "$PPID"')

    killed = site.extract()
    left = {name for name in site.files() if not name.startswith(".")}
    for name, body in FAKES.items():
        site.install(name, body)
    again = site.extract()

    assert killed.returncode != 0
    assert left == {"bindings", "nodes"}
    assert again.returncode == 0
    assert {name for name in site.files() if not name.startswith(".")} == set(SOURCES)
