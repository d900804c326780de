"""The first month that is charged: nothing is sent before March was signed off and everybody has signed; then once."""

import json
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from assets.enforcement import month_lines, why_parallel
from assets.materialisation import month_called
from assets.release import refuse_to_send
from assets.signatures import Signatures
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.outbox import OUTBOX
from chargeback.contracts.partition import Partition
from chargeback.contracts.postings import POSTINGS
from chargeback.contracts.statements import STATEMENTS
from chargeback.signatures.objections import answer_of, objection_of, objections_of
from orchestration.definitions import definitions_for
from orchestration.touched import touched_partitions
from orchestration.workspace import Workspace
from tests.chargeback.signatures.people import CLERK, CONTROLLER, KEYRING, OWNER, PLATFORM, signed_by
from tests.estates import Estate, prepared
from tests.orchestration.charged_months import AFTERWARDS, APRIL, LANDED, MARCH, Charged


def march_billed(folder: Path) -> None:
    charged = Charged.begun_in(folder)
    outcome = charged.bill(MARCH)
    assert (outcome.failures, outcome.refused) == ((), ())


def april_charged(folder: Path) -> None:
    march_billed(folder)
    charged = Charged(Estate(folder))
    charged.land_agreeing_reference()
    charged.sign_off()
    charged.sponsor()
    charged.accept()
    outcome = charged.bill(APRIL)
    assert (outcome.failures, outcome.refused) == ((), ())


@pytest.fixture(scope="module")
def april(tmp_path_factory: pytest.TempPathFactory) -> Charged:
    """Both months billed, everything signed. Not to be changed."""
    return Charged(prepared(tmp_path_factory, "charged-months", april_charged))


@pytest.fixture
def charged(april: Charged, tmp_path: Path) -> Charged:
    """The same, to be changed."""
    return Charged(april.estate.copied_to(tmp_path / "estate"))


def reasons(charged: Charged, month: str = APRIL) -> tuple[str, ...]:
    workspace: Workspace = charged.estate.workspace
    return why_parallel(
        month_called(month, workspace.settings), lake=workspace.lake, people=workspace.people,
        settings=workspace.settings,
    )  # fmt: skip


def without(charged: Charged, *kinds: str) -> Charged:
    """As if some kinds of signatures had never landed."""
    for path in charged.estate.folder.joinpath("lake", "landing", "approvals").rglob("*.json"):
        if json.loads(path.read_text())["record"]["kind"] in kinds:
            path.unlink()
    return charged


def states(charged: Charged, month: str = APRIL) -> set[str]:
    rows = charged.estate.workspace.lake.scan(POSTINGS, [Partition.of_month(month)]).frame.collect()
    return set(rows["state"])


def statement(charged: Charged, month: str) -> dict[str, object]:
    rows = charged.estate.workspace.lake.scan(STATEMENTS, [Partition.of_month(month)]).frame.collect()
    read: dict[str, object] = json.loads(rows["document"][0])
    return read


def test_the_parallel_month_is_withheld_and_the_month_after_prepared(april: Charged) -> None:
    assert states(april, MARCH) == {"withheld"}
    assert states(april) == {"prepared"}
    assert (statement(april, MARCH)["mode"], statement(april, APRIL)["mode"]) == ("parallel", "enforced")
    assert reasons(april) == ()
    assert reasons(april, MARCH) == (f"{MARCH} is the first month of this lake: a whole month runs in parallel first",)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("sign-off", "2026-03 is not signed off: nobody has signed the sign-off of 2026-03"),
        ("sponsorship", "there is no sponsor: nobody has signed the sponsorship of enforcement"),
        ("acceptance", "cost centre 4711 has not accepted to be charged: nobody has signed the acceptance"),
    ],
)
def test_without_any_one_signature_the_month_runs_in_parallel_and_nothing_is_sent(
    charged: Charged, kind: str, reason: str
) -> None:
    without(charged, kind)

    assert reason in "\n".join(reasons(charged))
    sent = charged.estate.command("post", APRIL)
    assert (sent.returncode, reason in sent.stdout, "nothing is sent" in sent.stdout) == (1, True, True)
    assert charged.estate.workspace.lake.state(OUTBOX, Partition.of_month(APRIL)) is None


def test_materialising_the_outbox_alone_meets_the_same_refusal(charged: Charged) -> None:
    without(charged, "sign-off")
    definitions = definitions_for(charged.estate.settings)
    job = definitions.resolve_implicit_global_asset_job_def()

    run = job.execute_in_process(
        partition_key=APRIL, asset_selection=[dg.AssetKey("outbox")], raise_on_error=False,
        instance=dg.DagsterInstance.ephemeral(),
    )  # fmt: skip

    assert not run.success
    (failure,) = [event for event in run.all_events if event.is_step_failure]
    assert "2026-03 is not signed off" in str(failure.event_specific_data)
    assert charged.estate.workspace.lake.state(OUTBOX, Partition.of_month(APRIL)) is None


def test_a_sign_off_is_of_these_figures_and_by_one_who_may(charged: Charged) -> None:
    without(charged, "sign-off")
    charged.sign_off(key=PLATFORM)
    assert "a sign-off is approved by finance-lead or controller" in "\n".join(reasons(charged))

    charged.sign_off(key=CONTROLLER)
    assert reasons(charged) == ()

    charged.land_reference(f"{MARCH},4711,1.00,EUR,another report")
    told = "\n".join(reasons(charged))
    assert "is unexplained" in told
    assert "altered after signing, or another one" in told


@pytest.mark.slow
def test_a_signature_that_lands_requests_the_statements_that_it_changes(charged: Charged) -> None:
    without(charged, "sign-off")
    assert charged.bill(APRIL).refused == ()
    assert states(charged) == {"withheld"}
    charged.sign_off()
    landing = charged.estate.workspace.landing
    latest = max(landing.objects("approvals", None), key=lambda each: Path(
        charged.estate.folder, "lake", each.key).stat().st_mtime_ns)  # fmt: skip

    asked = touched_partitions([latest], workspace=charged.estate.workspace, now=AFTERWARDS)

    assert {month: set(tables) for month, tables in asked.months.items()} == {APRIL: {"statements"}}
    assert charged.bill(APRIL).refused == ()
    assert states(charged) == {"prepared"}
    assert touched_partitions([latest], workspace=charged.estate.workspace, now=AFTERWARDS).months == {}


def test_a_month_outside_the_limit_cannot_be_signed_off(charged: Charged) -> None:
    charged.land_reference(f"{MARCH},4711,1.00,EUR,another report")

    signed = charged.estate.command("parallel", MARCH, "--draft", "d.json", "--by", "Pat Lind", "--reason", "agreed")

    assert signed.returncode == 2
    assert "is unexplained" in signed.stderr
    assert "nothing was signed" in signed.stderr


def test_parallel_prints_the_comparison_and_writes_its_page(charged: Charged) -> None:
    printed = charged.estate.command("parallel", MARCH)

    assert printed.returncode == 0, printed.stderr
    assert "sign-off       counts" in printed.stdout
    assert "unexplained    0.00 EUR, 0.00 % of what finance has; the limit is 1.00 %" in printed.stdout
    page = Path(printed.stdout.rpartition("page           ")[2].strip())
    assert "Signed off, within the limit" in page.read_text()
    csv = charged.estate.command("parallel", MARCH, "--format", "csv").stdout
    assert csv.splitlines()[0].startswith("month,cost_centre,teams,ours,finance,variance,rate,hours,ownership")


def test_a_month_is_posted_once_tied_out_reversed_and_posted_anew(charged: Charged) -> None:
    command = charged.estate.command
    planned = command("post", APRIL, "--dry-run")
    assert planned.returncode == 0, planned.stderr
    assert "a dry run: nothing was sent" in planned.stdout
    assert charged.estate.workspace.lake.state(OUTBOX, Partition.of_month(APRIL)) is None

    first, second = command("post", APRIL), command("post", APRIL)
    assert (first.returncode, second.returncode) == (0, 0), first.stdout + first.stderr
    assert f"{APRIL}: 2 send; 2 acknowledged by hledger now" in first.stdout
    assert f"{APRIL}: 2 stands; 0 acknowledged by hledger now" in second.stdout

    tied = command("tie-out", APRIL)
    assert (tied.returncode, "ties out" in tied.stdout) == (0, True), tied.stdout

    key = f"gpu-cb:C1:{APRIL}:vision:allocation:r1"
    assert command("reverse", key, "--reason", "wrong account").returncode == 0
    assert "reversed (wrong account)" in command("post", APRIL, "--dry-run").stdout
    again = command("post", APRIL, "--again", "--format", "json")
    assert list(json.loads(again.stdout)["acknowledged"]) == [f"gpu-cb:C1:{APRIL}:vision:allocation:r2"]
    tied = command("tie-out", APRIL, "--format", "json")
    assert json.loads(tied.stdout)["ties"]
    assert command("reverse", key, "--reason", "again").returncode == 2


@pytest.mark.slow
def test_what_was_sent_binds_the_journal_until_it_is_reversed(charged: Charged) -> None:
    """Billing again says how each entry stands; a file that was changed over there does not tie out."""
    assert charged.estate.command("post", APRIL).returncode == 0
    outcome = charged.bill(APRIL)
    assert (outcome.failures, outcome.refused) == ((), ())
    assert states(charged) == {"acknowledged"}

    (file, *_) = sorted(charged.estate.folder.joinpath("lake", "posted").rglob("*.journal"))
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:-20])
    tied = charged.estate.command("tie-out", APRIL)
    assert tied.returncode == 1
    assert "it is cut" in tied.stderr


def test_the_month_after_a_charged_one_needs_no_second_sign_off(charged: Charged) -> None:
    assert "2026-04 is not signed off" in "\n".join(reasons(charged, "2026-05"))

    assert charged.estate.command("post", APRIL).returncode == 0

    assert [reason for reason in reasons(charged, "2026-05") if "signed off" in reason] == []


def test_the_asset_sends_and_says_what_it_sent(charged: Charged) -> None:
    definitions = definitions_for(charged.estate.settings)
    job = definitions.resolve_implicit_global_asset_job_def()

    run = job.execute_in_process(
        partition_key=APRIL, asset_selection=[dg.AssetKey("outbox")], instance=dg.DagsterInstance.ephemeral()
    )

    (made,) = run.asset_materializations_for_node("outbox")
    assert made.metadata["acknowledged now"].value == 2
    checks = {check.check_name: check.passed for check in run.get_asset_check_evaluations()}
    assert checks == {"outbox_in_order": True, "outbox_single": True, "outbox_ties_out": True}
    rows = charged.estate.workspace.lake.scan(OUTBOX, [Partition.of_month(APRIL)]).frame.collect()
    assert rows.filter(pl.col("state") == "acknowledged").height == 2


@pytest.mark.slow
def test_nothing_is_sent_while_an_objection_has_no_answer(charged: Charged) -> None:
    line = month_lines(APRIL, charged.estate.workspace.lake)["line_id"][0]
    thing = objection_of(APRIL, line, amount="1", prepared_by="T. Lead")
    objected = signed_by(OWNER, thing, at=LANDED)
    charged.estate.land("approvals", objected.content(), at=LANDED, extension="json")

    refused = charged.estate.command("post", APRIL)
    assert refused.returncode == 1
    assert f"the objection to {line} by Cos Tan" in refused.stdout
    shown = charged.estate.command("status", APRIL)
    assert shown.returncode == 0, shown.stderr
    assert "not answered" in shown.stdout

    (waiting,) = objections_of(APRIL, Signatures.of(charged.estate.workspace.people).records, KEYRING)
    charged.sign(CLERK, answer_of(waiting, prepared_by="Ops Desk"))
    assert charged.estate.command("post", APRIL).returncode == 0
    stages = json.loads(charged.estate.command("status", APRIL, "--format", "json").stdout)["stages"]
    assert {each["stage"]: each["state"] for each in stages} == {
        "preview": "done", "cut-off": "done", "certified": "done", "objections": "done", "posted": "late",
        "closed": "waits",
    }  # fmt: skip


def test_nothing_is_sent_while_teams_may_still_object(april: Charged) -> None:
    workspace, settings = april.estate.workspace, april.estate.settings
    may, over = datetime(2026, 5, 5, 12, tzinfo=UTC), datetime(2026, 5, 6, 12, tzinfo=UTC)

    def ask(now: datetime) -> None:
        refuse_to_send(
            month_called(APRIL, settings), lake=workspace.lake, evidence=workspace.evidence, people=workspace.people,
            settings=settings, now=now,
        )  # fmt: skip

    with pytest.raises(dg.Failure, match="2026-04: teams may object until 2026-05-05"):
        ask(may)
    ask(over)


@pytest.mark.slow
def test_a_closed_month_is_sent_and_taken_back_under_the_certificate_that_it_was_closed_under(charged: Charged) -> None:
    lake = charged.estate.workspace.lake
    for month in (MARCH, APRIL):
        held = lake.state(CERTIFICATE, Partition.of_month(month))
        assert held is not None
        lake.close_month(month, by="controller", certificate_hash=held.content_hash)

    assert charged.estate.command("post", APRIL).returncode == 0
    key = f"gpu-cb:C1:{APRIL}:vision:allocation:r1"
    assert charged.estate.command("reverse", key, "--reason", "wrong account").returncode == 0
    assert charged.estate.command("post", APRIL, "--again").returncode == 0
    assert "ties out" in charged.estate.command("tie-out", APRIL).stdout
    assert states(charged) == {"prepared"}


@pytest.mark.slow
def test_a_month_that_was_charged_stays_so_though_a_signature_is_taken_back_and_no_more_is_sent(
    charged: Charged,
) -> None:
    assert charged.estate.command("post", APRIL).returncode == 0
    without(charged, "sign-off", "sponsorship")

    assert charged.bill(APRIL).refused == ()

    assert (statement(charged, APRIL)["mode"], states(charged)) == ("enforced", {"acknowledged"})
    assert charged.estate.command("post", APRIL).returncode == 1
