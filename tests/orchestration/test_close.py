"""A month is closed for good by a controller's signature on exactly its certificate, and refused otherwise."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assets.closed_months import closed_months
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.partition import Partition
from chargeback.contracts.registry import MONTHLY
from chargeback.contracts.statements import STATEMENTS
from chargeback.signatures.keyring import Keyring
from chargeback.signatures.record import Record, sign_record
from orchestration.close import KIND, Closed, close
from orchestration.signing_desk import Desk
from resources.lake import Lake
from resources.lake_records import MonthClosed, Provenance
from resources.people_objects import PeopleRefused
from resources.setting_kinds import SettingsRefused
from resources.storage_location import StorageLocation
from tests.chargeback.signatures.people import CONTROLLER, KEYRING, KEYS, LEAD, PLATFORM
from tests.checks.judging import change_first, put, rows_of
from tests.estates import LATER, MONTH, Estate, job, sacct
from tests.orchestration.commands_here import done, refused

MARCH = Partition.of_month(MONTH)


class PeoplesDesk(Desk):
    """A desk at which the keyring of the tests is in force."""

    def keyring(self) -> Keyring:
        """Everybody of the tests."""
        return KEYRING


class DeskWithoutController(Desk):
    """A desk at which the controller's key ended before he signed."""

    def keyring(self) -> Keyring:
        """The controller's key was valid to the end of March only."""
        ended = [replace(key, valid_until=datetime(2026, 4, 1, tzinfo=UTC)) for key in KEYS if key.role == "controller"]
        return replace(KEYRING, keys=tuple(ended))


def desk(estate: Estate, *, now: datetime = LATER, kind: type[Desk] = PeoplesDesk) -> Desk:
    """Somebody's desk at an instant."""
    workspace = estate.workspace
    return kind(workspace.settings, workspace.landing, workspace.people, now)


def certificate_of(estate: Estate) -> str:
    """Content of the certificate that stands."""
    state = estate.workspace.lake.state(CERTIFICATE, MARCH)
    assert state is not None
    return state.content_hash


def signed(
    estate: Estate, *, by: Ed25519PrivateKey = CONTROLLER, month: str = MONTH, content: str = "", kind: str = KIND,
    prepared_by: str = "Ops Desk", until: datetime | None = None,
) -> None:  # fmt: skip
    """Somebody signs a closing, and it lands."""
    draft = Record(kind, month, content or certificate_of(estate), prepared_by, "all is well", until=until)
    estate.land("approvals", sign_record(draft, key=by, at=LATER).content(), at=LATER, extension="json")


def closing(estate: Estate, month: str = MONTH, **at: object) -> Closed:
    """What the command does."""
    return close(month, workspace=estate.workspace, desk=desk(estate, **at))  # type: ignore[arg-type]


def test_a_signed_certified_month_is_closed_on_every_month_table_and_a_repeat_changes_nothing(estate: Estate) -> None:
    signed(estate)

    closed = closing(estate)

    assert (closed.certificate_hash, closed.is_repeat) == (certificate_of(estate), False)
    assert closed.by.startswith("approved by Bo Chen (controller")
    assert closed_months(estate.workspace.lake) == (MONTH,)
    tree = estate.tree()
    assert closing(estate).is_repeat
    assert estate.tree() == tree


def test_after_closing_no_month_table_changes_and_billing_it_again_is_no_fault(estate: Estate) -> None:
    signed(estate)
    closing(estate)

    rows = rows_of(estate, STATEMENTS).with_columns(line_count=pl.lit(0, pl.Int64()))
    for contract in MONTHLY:
        changed = rows if contract is STATEMENTS else rows_of(estate, contract)[:0]
        if rows_of(estate, contract).equals(changed):
            continue  # corrections are empty: the same content is no change
        with pytest.raises(MonthClosed):
            estate.workspace.lake.replace(contract, MARCH, changed, Provenance("late", "1", {}))
    assert estate.bill(again=True).failures == ()


def test_a_month_without_a_signature_stays_open(estate: Estate) -> None:
    with pytest.raises(PeopleRefused, match="nobody has signed the closing of 2026-03"):
        closing(estate)

    assert closed_months(estate.workspace.lake) == ()


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ({"by": PLATFORM}, "a closing is approved by controller"),
        ({"by": LEAD}, "a closing is approved by controller"),
        ({"content": "ab" * 32}, "altered after signing, or another one"),
        ({"prepared_by": "Bo Chen"}, "nobody approves what they prepared"),
        ({"until": LATER.replace(hour=1)}, "before it was signed"),
        ({"month": "2026-02"}, "nobody has signed the closing"),
        ({"kind": "sign-off"}, "nobody has signed the closing"),
    ],
)
def test_a_signature_that_does_not_count_closes_nothing(estate: Estate, record: dict[str, object], why: str) -> None:
    signed(estate, **record)  # type: ignore[arg-type]

    with pytest.raises(PeopleRefused, match=why):
        closing(estate)

    assert closed_months(estate.workspace.lake) == ()


def test_a_key_whose_time_is_over_closes_nothing(estate: Estate) -> None:
    signed(estate)

    with pytest.raises(PeopleRefused, match="was not valid"):
        closing(estate, kind=DeskWithoutController)


def test_a_month_that_is_not_over_is_not_closed(estate: Estate) -> None:
    signed(estate)

    with pytest.raises(PeopleRefused, match="2026-03 is not over: it ends at 2026-03-31T22:00:00Z"):
        closing(estate, now=datetime(2026, 3, 31, 21, 59, tzinfo=UTC))


def test_months_close_in_order(estate: Estate) -> None:
    with pytest.raises(PeopleRefused, match="2026-04 cannot be closed while 2026-03 is open"):
        closing(estate, "2026-04", now=datetime(2026, 5, 2, tzinfo=UTC))


@pytest.mark.parametrize("month", ["2026-3", "2026-13", "March", "2026-02"])
def test_what_is_no_month_of_the_lake_is_not_closed(billed_estate: Estate, month: str) -> None:
    with pytest.raises(SettingsRefused, match="is no month of this lake"):
        closing(billed_estate, month)


def test_a_month_whose_contents_are_not_the_certified_ones_is_not_closed(estate: Estate) -> None:
    signed(estate)
    change_first(estate, STATEMENTS, line_count=pl.lit(99))

    with pytest.raises(PeopleRefused, match="the certificate does not hold any more"):
        closing(estate)


def test_a_month_without_a_certificate_is_not_closed_and_told_what_keeps_it_from_one(tmp_path: Path) -> None:
    estate = Estate.begun_in(tmp_path / "unbilled")

    with pytest.raises(PeopleRefused, match="2026-03: there is no certificate") as refused:
        closing(estate)

    assert "has no content: materialise it" in str(refused.value)


def test_a_month_with_a_count_that_nobody_settled_is_not_closed(estate: Estate) -> None:
    signed(estate)
    unknown = job(7, "2026-03-31T12:00:00", "2026-03-31T14:00:00", tres="billing=1,node=1")
    estate.land("slurm/sacct", sacct(unknown), at=LATER)
    assert estate.bill().refused

    with pytest.raises(PeopleRefused, match="gpu_counts_known failed"):
        closing(estate)


@pytest.mark.parametrize("cut_after", [1, 4, len(MONTHLY) - 1])
def test_a_closing_that_was_cut_short_between_two_tables_goes_on_though_a_day_and_open_tables_changed_since(
    estate: Estate, cut_after: int
) -> None:
    signed(estate)
    content = certificate_of(estate)
    certified = rows_of(estate, STATEMENTS)
    estate.workspace.lake.close_month(MONTH, by="Bo Chen", certificate_hash=content, contracts=MONTHLY[:cut_after])
    assert closed_months(estate.workspace.lake) == ()
    put(estate, ATTRIBUTION, rows_of(estate, ATTRIBUTION)[:-1])
    if STATEMENTS not in MONTHLY[:cut_after]:
        change_first(estate, STATEMENTS, line_count=pl.lit(99))
        change_first(estate, CERTIFICATE, evidence=pl.lit("another"))

    assert not closing(estate).is_repeat
    assert closed_months(estate.workspace.lake) == (MONTH,)
    assert rows_of(estate, STATEMENTS).equals(certified)
    assert certificate_of(estate) == content


def test_whichever_table_a_closing_is_cut_after_a_repeat_closes_the_rest(tmp_path: Path) -> None:
    lake = Lake(StorageLocation(str(tmp_path)))

    for cut_after in range(len(MONTHLY)):
        month = f"{2026 + cut_after // 12}-{cut_after % 12 + 1:02d}"
        lake.close_month(month, by="Bo Chen", certificate_hash="c0ffee", contracts=MONTHLY[:cut_after])
        assert month not in closed_months(lake)
        lake.close_month(month, by="Bo Chen", certificate_hash="c0ffee")

        assert month in closed_months(lake)


def test_the_command_writes_a_draft_that_the_controller_signs_and_closes_by_what_landed(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(estate.folder)
    (estate.folder / "keys").mkdir(mode=0o700)
    by = ("--prepared-by", "Ops Desk", "--reason", "who approves")
    for name, role in (("lead", "finance-lead"), ("controller", "controller")):
        done("key", "new", "--to", f"keys/{name}.pem", "--holder", name, "--role", role, "--into", "first.json", *by)
    (root,) = re.findall(r"fingerprint ([0-9a-f]{64})", refused("key", "verify", "first.json"))
    with estate.config.open("a") as file:
        file.write(f'\n[signing]\ntrust_root = "{root}"\n')
    done("land", "first.json", "--source", "keyrings")
    why = ("--by", "Ops Desk", "--reason", "signed off")

    assert "nobody has signed the closing of 2026-03" in refused("close", MONTH)
    assert "--by NAME --reason TEXT" in refused("close", MONTH, "--draft", "closing.json")
    assert "draft of closing 2026-03" in done("close", MONTH, "--draft", "closing.json", *why)
    assert "approved by controller" in refused("close", MONTH, *why, "--key", "keys/lead.pem")
    done("key", "sign", "closing.json", "--key", "keys/controller.pem")
    done("land", "closing.json", "--source", "approvals")

    assert "2026-03 is closed under certificate" in done("close", MONTH)
    (period,) = Path("lake/published").rglob("closed-*/focus/focus-1.4-billing-period-2026-03.csv")
    assert ",Closed," in period.read_text()
    period.unlink()  # as if it was cut short before
    assert "2026-03 was closed before" in done("close", MONTH, *why, "--key", "keys/controller.pem")
    assert ",Closed," in period.read_text()
