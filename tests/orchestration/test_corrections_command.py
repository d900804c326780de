"""`chargeback corrections`: who must act, and the draft that the controller signs."""

import json
import re
from pathlib import Path

import pytest

from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.partition import Partition
from resources.lake_records import Provenance
from tests.chargeback.ledger.test_correction_report import MONTH, ROWS
from tests.estates import Estate
from tests.orchestration.commands_here import done, refused


@pytest.fixture
def estate_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Estate:
    """An estate without a bill, in the folder of the command."""
    estate = Estate.begun_in(tmp_path / "estate", people=False)
    monkeypatch.chdir(estate.folder)
    return estate


def test_the_draft_is_signed_by_the_controller_and_then_the_platform_bills_again(estate_here: Estate) -> None:
    assert "never computed: chargeback bill 2026-03" in refused("corrections", MONTH)
    made_from = Provenance("bill", "1", {})
    estate_here.workspace.lake.replace(CORRECTIONS, Partition.of_month(MONTH), ROWS, made_from)
    (estate_here.folder / "keys").mkdir(mode=0o700)
    by = ("--prepared-by", "Ops Desk", "--reason", "who approves")
    for name, role in (("lead", "finance-lead"), ("controller", "controller")):
        done("key", "new", "--to", f"keys/{name}.pem", "--holder", name, "--role", role, "--into", "first.json", *by)
    (root,) = re.findall(r"fingerprint ([0-9a-f]{64})", refused("key", "verify", "first.json"))
    with estate_here.config.open("a") as file:
        file.write(f'\n[signing]\ntrust_root = "{root}"\n')
    done("land", "first.json", "--source", "keyrings")

    assert "blocked: 1 line, −2.38 EUR; controller: signs" in done("corrections", MONTH)
    assert "--reason TEXT" in refused("corrections", MONTH, "--draft", "draft.json")
    draft = ("corrections", MONTH, "--draft", "draft.json", "--reason", "nodes reported late")
    assert "draft of correction 2026-03" in done(*draft)
    assert "a correction is approved by controller" in refused("key", "sign", "draft.json", "--key", "keys/lead.pem")
    done("key", "sign", "draft.json", "--key", "keys/controller.pem")
    done("land", "draft.json", "--source", "approvals")

    report = json.loads(done("corrections", MONTH, "--format", "json"))
    assert report["states"][0]["acts"].startswith("platform: approved by controller")
    assert "month,state,corrects_month" in done("corrections", MONTH, "--format", "csv")


def test_where_nothing_waits_nothing_is_drafted_and_what_is_no_month_or_format_is_refused(estate_here: Estate) -> None:
    made_from = Provenance("bill", "1", {})
    estate_here.workspace.lake.replace(CORRECTIONS, Partition.of_month(MONTH), CORRECTIONS.empty(), made_from)

    assert "no closed month says anything else today" in done("corrections", MONTH)
    draft = ("corrections", MONTH, "--draft", "draft.json", "--reason", "why not")
    assert "nothing is to be signed" in refused(*draft)
    assert not Path("draft.json").exists()
    assert "outside this lake" in refused("corrections", "2026-02")
    assert "--format" in refused("corrections", MONTH, "--format", "xml")
