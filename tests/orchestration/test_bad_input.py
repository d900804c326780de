"""Bad input, each kind landed and billed: one clear line, publication blocked, no stack trace; what is out stays."""

import shutil
import sys
from pathlib import Path

import pytest

from chargeback.contracts.partition import Partition
from chargeback.contracts.quarantine import QUARANTINE
from orchestration.cli import main
from tests.estates import BUSY, INPUTS, LATER, MONTH, SACCT_HEADER, Estate, job, prepared, sacct

TODAY = "2026-03-31T{}:00:00"
LOST_END = sacct(job(81, TODAY.format("10"), TODAY.format("11"))).rstrip(b"\n")[:-70]
BAD_BYTES = sacct(job(82, TODAY.format("10"), TODAY.format("11"))).replace(b"job82", b"job\xff\xfe")
NO_STATE = "\n".join(
    "|".join(cell for at, cell in enumerate(line.split("|")) if SACCT_HEADER.split("|")[at] != "State")
    for line in (SACCT_HEADER, job(83, TODAY.format("10"), TODAY.format("11")))
).encode()
ODD_STATE = sacct(job(84, TODAY.format("10"), TODAY.format("11"), state="VANISHED"))
BACKWARDS = sacct(job(85, TODAY.format("11"), TODAY.format("10"), elapsed=3_600))
DAMAGED = {"truncated": LOST_END, "odd state": ODD_STATE, "backwards": BACKWARDS, "no state column": NO_STATE}


@pytest.fixture(scope="module")
def damaged(billed_estate: Estate, tmp_path_factory: pytest.TempPathFactory) -> Estate:
    """The billed estate after objects that are damaged in every way landed, billed again and refused."""

    def all_of_it(folder: Path) -> None:
        estate = billed_estate.copied_to(folder)
        for name, content in DAMAGED.items():
            (folder / f"{name}.key").write_text(estate.land("slurm/sacct", content, at=LATER))
        outcome = estate.bill()
        assert outcome.failures == ()
        (folder / "refused").write_text("\n".join(outcome.refused))

    return prepared(tmp_path_factory, "damaged", all_of_it)


@pytest.mark.parametrize(
    ("name", "line", "words"),
    [
        ("truncated", 2, "cut off"),
        ("odd state", 2, "VANISHED"),
        ("backwards", 2, "3600 s before Start"),
        ("no state column", 1, "no column State"),
    ],
)
def test_what_cannot_be_read_is_quarantined_with_object_line_and_reason(
    damaged: Estate, name: str, line: int, words: str
) -> None:
    key = (damaged.folder / f"{name}.key").read_text()
    days = [Partition.of_day("slurm-a", day) for day in ("2026-03-30", "2026-03-31")]

    rows = damaged.workspace.lake.scan(QUARANTINE, days).frame.collect().filter(object=key)

    assert len(rows) == 1, rows
    assert rows["line"][0] == line
    assert words in rows["reason"][0] + rows["excerpt"][0]
    assert "\n" not in rows["reason"][0]


def test_publication_is_refused_naming_the_first_record_and_how_many_there_are(
    damaged: Estate, billed_estate: Estate
) -> None:
    refused = (damaged.folder / "refused").read_text()

    assert "check quarantine_share failed: landing/slurm/sacct/" in refused
    assert " line " in refused
    assert "expected a readable record" in refused
    assert damaged.published() == billed_estate.published()


def test_the_bill_says_how_many_are_in_quarantine_and_shows_no_stack_trace(damaged: Estate, tmp_path: Path) -> None:
    done = damaged.copied_to(tmp_path / "estate").command("bill", MONTH)

    assert done.returncode == 1, done.stderr
    assert "4 unreadable, in quarantine" in done.stdout
    assert "REFUSED" in done.stdout
    assert done.stderr.strip() == ""


def test_a_name_with_damaged_bytes_is_billed_with_the_bytes_replaced(estate: Estate) -> None:
    estate.land("slurm/sacct", BAD_BYTES, at=LATER)

    outcome = estate.bill()

    assert (outcome.refused, outcome.failures) == ((), ())


def test_naive_times_of_a_cluster_without_a_zone_are_refused_and_the_setting_is_named(tmp_path: Path) -> None:
    estate = Estate.begun_in(tmp_path / "estate")
    estate.config.write_text(estate.config.read_text().replace('timezone = "UTC"\ntiers', "tiers"))
    estate.land("slurm/sacct", sacct(BUSY))

    outcome = estate.bill()

    (reason,) = (reason for reason in outcome.refused if "quarantine_share" in reason)
    assert "zone" in reason
    assert "line" in reason


def said_by(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Exit code and stderr of a command in this process."""
    monkeypatch.setattr(sys, "argv", ["chargeback", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0), capfd.readouterr().err


@pytest.mark.parametrize(
    ("instead", "of", "told"),
    [
        ("currncy", "currency", "unknown setting billing.currncy; did you mean billing.currency?"),
        (
            '"USD"',
            '"EUR"',
            "this lake bills in currency EUR, the settings say USD: that cannot change in a lake; put EUR",
        ),
        ('"UTC"', '"Europe/Amsterdam"', "this lake bills in timezone Europe/Amsterdam, the settings say UTC"),
    ],
)
def test_settings_that_do_not_fit_end_the_command_with_one_line_and_code_2(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], instead: str, of: str, told: str
) -> None:
    estate.config.write_text(estate.config.read_text().replace(of, instead))

    code, err = said_by(monkeypatch, capfd, "bill", MONTH, "--config", str(estate.config))

    assert code == 2
    assert told in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("bill", "March"), "'March' is not a month; write it as 2026-10"),
        (("bill", "2026-13"), "'2026-13' is not a month"),
        (("bill", "2026-02"), "month 2026-02 is outside this lake: its first is 2026-03"),
        (("bill", MONTH, "--cluster", "slurm-b"), "cluster 'slurm-b' is not in chargeback.toml; known: slurm-a"),
        (("land", "absent.psv", "--source", "slurm/sacct", "--cluster", "slurm-a"), "no such file: absent.psv"),
        (("land", "absent.psv", "--source", "sacct"), "unknown source 'sacct'; known: slurm/sacct,"),
        (("land", "absent.psv", "--source", "slurm/sacct"), "source slurm/sacct needs --cluster; known: slurm-a"),
        (("statement", "Visions", MONTH), "no statement of team 'Visions' for 2026-03; there are: NLP, Vision"),
        (
            ("statement", "Vision", MONTH, "--format", "docx"),
            "--format 'docx': must be one of table, json, csv, html, pdf",
        ),
        (("explain", "4711"), "'4711' is no line id; they look like GPU-2026-10-vision-7f3a9c12"),
        (("explain", "GPU-2026-03-vision-00000000"), "no line GPU-2026-03-vision-00000000 in 2026-03"),
    ],
)
def test_a_request_that_cannot_be_met_is_one_line_that_says_what_to_do(
    billed_estate: Estate, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
    arguments: tuple[str, ...], told: str,
) -> None:  # fmt: skip
    code, err = said_by(monkeypatch, capfd, *arguments, "--config", str(billed_estate.config))

    assert code == 2
    assert told in err
    assert len(err.strip().splitlines()) == 1


def test_an_altered_object_that_must_be_read_again_is_one_line_and_no_stack_trace(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(estate.folder / "lake" / "parsed")
    (altered,) = (estate.folder / "lake" / "landing" / "slurm" / "sacct").rglob("*.psv")
    altered.chmod(0o644)
    altered.write_bytes(altered.read_bytes() + b"\n")

    code, err = said_by(monkeypatch, capfd, "bill", MONTH, "--config", str(estate.config))

    assert code == 2
    assert altered.name in err
    assert "restore it from the source" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("source", "extension", "content", "told"),
    [
        ("rate-cards", "yaml", b"version: [", "rate card landing/rate-cards/"),
        ("rate-cards", "yaml", (INPUTS / "rate-card.yaml").read_bytes().replace(b"2.385", b"cheap"), "cheap"),
        ("ownership", "csv", b"cluster,kind\nslurm-a,account\n", "landing/ownership/"),
        ("approvals", "yaml", b"- {cluster: slurm-a, run: 1}\n", "gpus, by, reason missing"),
    ],
)
def test_a_file_of_people_that_cannot_be_used_stops_the_month_with_its_reasons(
    estate: Estate, source: str, extension: str, content: bytes, told: str
) -> None:
    from resources.people_objects import PeopleRefused

    before = estate.published()
    key = estate.land(source, content, at=LATER, extension=extension)

    try:
        refused = estate.bill().refused
    except PeopleRefused as stopped:
        refused = stopped.reasons

    (reason, *_) = (reason for reason in refused if told in reason)
    assert key.removeprefix("landing/") in reason
    assert "\n" not in reason
    assert estate.published() == before
