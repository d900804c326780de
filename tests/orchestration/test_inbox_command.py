"""`chargeback inbox` and `chargeback land`, as people type them."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from orchestration.cli import app
from tests.foreign_records import FOREIGN
from tests.orchestration.inboxes import CLUSTERS, SACCT

LONG_AGO = 1_770_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lake" / "incoming").mkdir(parents=True)
    (tmp_path / "chargeback.toml").write_text(
        f'[lake]\nroot = "lake"\n[billing]\ncurrency = "EUR"\nfirst_day = 2026-03-01\n{CLUSTERS}'
    )
    return tmp_path


def run(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--config", str(folder / "chargeback.toml")], env={"COLUMNS": "250"})


def drop(folder: Path, name: str, content: bytes) -> None:
    file = folder / "lake" / "incoming" / name
    file.write_bytes(content)
    os.utime(file, (LONG_AGO, LONG_AGO))


def test_an_empty_inbox_says_so(folder: Path) -> None:
    told = run(folder, "inbox")

    assert (told.exit_code, told.output) == (0, "nothing lies in incoming/\n")


def test_what_was_filed_and_what_waits_is_told(folder: Path) -> None:
    drop(folder, "sacct.psv", SACCT)
    drop(folder, "more.psv.part", SACCT)

    told = run(folder, "inbox")

    assert told.exit_code == 0
    assert "landed as landing/slurm/sacct/cluster=slurm-a/date=2026-02-02/20260202T024000Z-" in told.output
    assert "incoming/more.psv.part waits: is still being written, by its name" in told.output


def test_what_was_set_aside_is_told_once_and_shown_as_often_as_asked(folder: Path) -> None:
    drop(folder, "[red]odd[blue].dat", b"hello\n")

    told, again = run(folder, "inbox"), run(folder, "inbox")
    shown = [run(folder, "inbox", "--refused") for _ in range(2)]

    assert (told.exit_code, again.exit_code) == (2, 0)
    assert "incoming/[red]odd[blue].dat was set aside: cannot be read: no header and no known layout" in told.output
    assert shown[0].output == shown[1].output
    assert "incoming/[red]odd[blue].dat" in shown[0].output
    assert "2026-02-02 02:40Z" in shown[0].output
    assert "no header and no known layout" in shown[0].output


def test_nothing_set_aside_is_said_too(folder: Path) -> None:
    assert run(folder, "inbox", "--refused").output == "nothing was set aside\n"


def test_files_of_others_among_the_refusals_are_named_and_hide_no_other_refusal(folder: Path) -> None:
    drop(folder, "odd.dat", b"hello\n")
    run(folder, "inbox")
    for name, content in FOREIGN.items():
        (folder / "lake" / "incoming-refused" / f"{name.replace(' ', '-')}.json").write_bytes(content)
    (folder / "lake" / "incoming-looks.json").write_bytes(FOREIGN["other keys"])

    shown = run(folder, "inbox", "--refused")

    assert shown.exit_code == 0
    assert "incoming/odd.dat" in shown.output
    assert shown.output.count("is no record that this software wrote") == len(FOREIGN)
    assert "incoming-refused/a-number.json" in shown.output
    assert run(folder, "inbox").exit_code == 0
