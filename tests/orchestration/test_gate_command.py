"""`chargeback gate`: the same outcomes as the gate itself, in words that finance can read; and waivers."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from assets.certification import certify_month, waivers_of
from assets.gate_results import WARNING, gate_results
from assets.materialisation import month_called
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.ledger.certificate import Certified, Refused
from chargeback.pricing.card_signature import approvable_card
from chargeback.pricing.rate_card import RateCard, read_rate_card
from chargeback.signatures.keyring import KeyringFile
from chargeback.signatures.record import Record, read_record, sign_record
from chargeback.signatures.waivers import waiver_of
from orchestration.certificate_proof import proof_of
from orchestration.gate import report_of
from tests.chargeback.signatures.people import CONTROLLER, KEYRING, PLATFORM, ROOT, signed_by
from tests.checks.judging import change_first, judged
from tests.estates import (
    BUSY,
    EXTRACTED_AT,
    INPUTS,
    LAST_DAY,
    MONTH,
    OVERNIGHT,
    Estate,
    job,
    prepared,
    sacct,
)

CHECK = "capacity_inventoried"
END = datetime(2026, 5, 1, tzinfo=UTC)


def test_a_billed_month_is_shown_as_certified_with_every_check_passed(estate: Estate) -> None:
    shown = estate.command("gate", MONTH)

    assert shown.returncode == 0, shown.stderr
    assert f"the gate of {MONTH}: certified" in shown.stdout
    page = Path(shown.stdout.rpartition("page           ")[2].strip()).read_text()
    assert "The month may be published" in page
    assert "<script" not in page
    report = json.loads(estate.command("gate", MONTH, "--format", "json").stdout)
    assert report["counts"] == {"failed": 0, "missing": 0, "warning": 0, "passed": len(report["checks"])}
    assert report["acts"] == []


def test_a_failed_check_says_what_where_and_who_must_act(estate: Estate) -> None:
    change_first(estate, JOURNAL_ENTRIES, amount=pl.col("amount") + 1)
    judged("journal_balances", estate)

    report = report_of(month_called(MONTH, estate.settings), estate.workspace)

    first = report["checks"][0]
    assert (first["check"], first["outcome"], first["owner"]) == ("journal_balances", "failed", "finance")
    assert first["samples"][0]["partition"] == MONTH
    assert not report["is_certified"]
    assert {"owner": "finance"}.items() <= report["acts"][-1].items()
    shown = estate.command("gate", MONTH)
    assert shown.returncode == 1
    assert "NOT certified" in shown.stdout
    assert "does not balance" in shown.stdout


def test_another_content_is_missing_until_it_is_looked_at(estate: Estate) -> None:
    change_first(estate, JOURNAL_ENTRIES, description=pl.lit("another"))

    report = report_of(month_called(MONTH, estate.settings), estate.workspace)

    assert "missing" in {each["outcome"] for each in report["checks"] if each["table"] == "journal_entries"}


def billed_with_an_unknown_host(folder: Path) -> None:
    """Two days at a signed card, with a job on a host that no node record knows."""
    estate = Estate.begun_in(folder)
    unknown = job(4, "2026-03-31T08:00:00", "2026-03-31T10:00:00", host="gpu99")
    estate.land("slurm/sacct", sacct(BUSY, OVERNIGHT, LAST_DAY, unknown))
    estate.trust(ROOT, KeyringFile(KEYRING).content())
    card = read_rate_card((INPUTS / "rate-card.yaml").read_bytes(), object_key="c")
    assert isinstance(card, RateCard)
    things = [approvable_card(card), *(each.approvable(prepared_by="Ops Desk") for each in estate.settings.maps)]
    for thing in things:
        estate.land("approvals", signed_by(CONTROLLER, thing, at=EXTRACTED_AT).content(), extension="json")
    assert estate.bill().refused == ()
    for check in ("rate_card_signed", "maps_signed"):
        judged(check, estate, mode="enforced")


@pytest.fixture
def warned(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Estate:
    """A certified month in which a check found something that stops nothing."""
    return prepared(tmp_path_factory, "unknown-host", billed_with_an_unknown_host).copied_to(tmp_path / "estate")


def findings_of(estate: Estate) -> dict[str, str]:
    workspace = estate.workspace
    found = gate_results(
        month_called(MONTH, estate.settings), lake=workspace.lake, evidence=workspace.evidence,
        settings=estate.settings,
    )  # fmt: skip
    results = found[("capacity", CHECK)]
    return {
        each.partition: workspace.evidence.record(each.evidence)
        for each in results
        if each.outcome == WARNING and each.evidence is not None
    }


def waive(estate: Estate, key: object, *, until: datetime | None, findings: dict[str, str] | None = None) -> None:
    thing = waiver_of(MONTH, CHECK, findings or findings_of(estate))
    record = Record(thing.kind, thing.subject, thing.content_sha256, "Ops Desk", "known since May", until=until)
    estate.land("approvals", sign_record(record, key=key, at=EXTRACTED_AT).content(), extension="json")  # type: ignore[arg-type]


def who_waived(estate: Estate) -> str | tuple[str, ...]:
    return waivers_of(month_called(MONTH, estate.settings), estate.workspace.people).of(CHECK, findings_of(estate))


def test_a_waiver_is_of_one_check_one_month_and_what_was_found(warned: Estate) -> None:
    assert who_waived(warned) == (f"nobody has signed the waiver of {MONTH}/{CHECK}",)

    waive(warned, CONTROLLER, until=END)

    told = who_waived(warned)
    assert isinstance(told, str)
    assert "approved by Bo Chen (controller" in told
    assert told.endswith("until 2026-05-01T00:00:00Z: known since May")
    printed = waivers_of(month_called(MONTH, warned.settings), warned.workspace.people).printed()
    assert printed == {f"waiver of {CHECK}": told}


@pytest.mark.parametrize(
    ("key", "until", "findings", "reason"),
    [
        (CONTROLLER, None, None, "does not say when it ends: a waiver has to"),
        (CONTROLLER, datetime(2026, 3, 20, tzinfo=UTC), None, "before it was signed"),
        (PLATFORM, END, None, "a waiver is approved by finance-lead or controller"),
        (CONTROLLER, END, {"slurm-a|2026-03-31": "another finding"}, "altered after signing, or another one"),
    ],
)
def test_a_waiver_that_does_not_count_says_why(
    warned: Estate, key: object, until: datetime | None, findings: dict[str, str] | None, reason: str
) -> None:
    waive(warned, key, until=until, findings=findings)

    assert reason in "\n".join(who_waived(warned))


def certified(estate: Estate, mode: str) -> Certified | Refused:
    settings, workspace = replace(estate.settings, mode=mode), estate.workspace
    return certify_month(
        month_called(MONTH, settings), lake=workspace.lake, evidence=workspace.evidence, people=workspace.people,
        settings=settings,
    )  # fmt: skip


def test_a_charged_month_needs_a_waiver_for_what_stops_nothing_and_a_parallel_one_does_not(warned: Estate) -> None:
    assert isinstance(certified(warned, "parallel"), Certified)
    refused = certified(warned, "enforced")
    assert isinstance(refused, Refused)
    (reason,) = refused.reasons
    assert f"check {CHECK} found something in 1 partitions, and nobody has waived it: nobody has signed" in reason

    waive(warned, CONTROLLER, until=END)

    given = certified(warned, "enforced")
    assert isinstance(given, Certified)
    waivers = given.frame.filter(pl.col("waiver") != "")
    assert set(waivers["check_name"]) == {CHECK}
    assert "known since May" in waivers["waiver"][0]


def test_the_command_writes_the_waiver_that_finance_signs(warned: Estate) -> None:
    command = ("gate", MONTH, "--waive", CHECK, "--by", "Ops Desk", "--reason", "known since May", "--draft", "w.json")

    assert "say when the waiver ends" in warned.command(*command).stderr
    assert "holds to the end of its month" in warned.command(*command, "--until", "2026-03-20T00:00:00Z").stderr
    written = warned.command(*command, "--until", "2026-05-01T00:00:00Z")

    assert written.returncode == 0, written.stderr
    record = read_record((warned.folder / "w.json").read_bytes()).record
    assert record.content_sha256 == waiver_of(MONTH, CHECK, findings_of(warned)).content_sha256
    assert record.until == END
    passed = warned.command("gate", MONTH, "--waive", "journal_balances", "--draft", "x.json")
    assert "check journal_balances of 2026-03 is passed" in passed.stderr


def test_the_certificates_document_is_signed_by_the_deployment_and_says_so(warned: Estate, tmp_path: Path) -> None:
    assert "nobody signed it" in warned.command("gate", MONTH).stdout

    pem = PLATFORM.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file = tmp_path / "deployment.pem"
    file.write_bytes(pem)
    file.chmod(0o600)
    text = warned.config.read_text()
    warned.config.write_text(text.replace("[signing]\n", f'[signing]\ndeployment_key = "{file}"\n'))
    assert warned.bill(again=True).refused == ()

    workspace = warned.workspace
    key, faults = proof_of(month_called(MONTH, warned.settings), workspace, EXTRACTED_AT)
    assert faults == ()
    document = json.loads(workspace.store.get(key))["document"]
    assert document["previous"] == ""
    assert document["rate_cards"].keys() == {"2026.1"}
    assert document["policies"]["suspended"] == "charged"
