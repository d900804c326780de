"""Documents as files: exact bytes, read back as they were written, and accepted by the programs that they are for."""

import csv
import io
import shutil
import subprocess
import zipfile
from decimal import Decimal
from pathlib import Path
from types import ModuleType

import pytest

from chargeback.ledger import posted_beancount, posted_csv, posted_fbdi, posted_hledger
from chargeback.ledger.posting_document import PostingDocument, document_of, imbalance_of, read_document
from chargeback.ledger.posting_files import FileTerms, Unreadable
from chargeback.money import Currency
from resources.open_store import store_at
from resources.posting_files import FOLDER, FORMATS, PostingFiles
from resources.storage_location import StorageLocation
from tests.assets.sendings import LINES, MONTH, OURS, journal_of
from tests.chargeback.ledger.test_journal import entries_of

TERMS = FileTerms(Currency("EUR"), ledger="3001", accounts={"Income:GPU": "Income:Platform"})
FORMAT_IDS = sorted(FORMATS)

CSV_LINES = """\
gpu-cb:C1:2026-03:a:allocation:r1|gpu-cb:C1:2026-03|C1|2026-03|2026-04-30|EUR|1.00|1|debit|1.00|Expenses:GPU|4711
gpu-cb:C1:2026-03:a:allocation:r1|gpu-cb:C1:2026-03|C1|2026-03|2026-04-30|EUR|1.00|2|credit|1.00|Income:Platform|9000
"""
FBDI_LINES = """\
NEW,3001,2026/03/31,GPU Chargeback,GPU,EUR,2026/03/31,A,C1,Expenses:GPU,4711,,,,,,,,,,,,,,,,,,,,,,,,,,,,1.00,,,,\
gpu-cb:C1:2026-03,,,gpu-cb:C1:2026-03:a:allocation:r1,
NEW,3001,2026/03/31,GPU Chargeback,GPU,EUR,2026/03/31,A,C1,Income:Platform,9000,,,,,,,,,,,,,,,,,,,,,,,,,,,,,1.00,,,\
gpu-cb:C1:2026-03,,,gpu-cb:C1:2026-03:a:allocation:r1,
"""


def document() -> PostingDocument:
    return document_of(journal_of(LINES[0]), revision=1)


def test_a_document_reads_back_from_its_canonical_json() -> None:
    one = document()

    assert read_document(one.text()) == one
    assert read_document(one.text()).sha256 == one.sha256
    assert read_document(one.storno().text()) == one.storno()


def test_its_hash_is_of_what_is_booked_and_of_its_key() -> None:
    one = document()
    others = [document_of(journal_of(("A", "C1", "4711", "1.01")), revision=1), one.storno(),
              document_of(journal_of(LINES[0]), revision=2)]  # fmt: skip

    assert len({one.sha256, *(each.sha256 for each in others)}) == 4


def test_a_storno_takes_back_exactly_what_was_booked() -> None:
    one = document_of(entries_of(("A", "C1", "1", "1.00"), ("A", "C1", "2", "2.05")), revision=3)
    both: dict[tuple[str, str], Decimal] = {}
    for line in (*one.lines, *one.storno().lines):
        both[(line.account, line.cost_centre)] = both.get((line.account, line.cost_centre), Decimal(0)) + line.signed

    assert one.key.endswith(":r3")
    assert one.storno().key == f"{one.key}:storno"
    assert one.storno().debit_amount == one.debit_amount
    assert set(both.values()) == {Decimal(0)}
    assert imbalance_of(one) == imbalance_of(one.storno()) == 0


def test_the_csv_file_is_the_golden_one() -> None:
    rows = csv.DictReader(io.StringIO(posted_csv.render(document(), posting_month="2026-04", terms=TERMS).decode()))
    shown = ("document_key", "batch_id", "company", "period", "accounting_date", "currency", "control_total",
             "line_number", "side", "amount", "account", "cost_centre")  # fmt: skip

    assert "".join("|".join(row[name] for name in shown) + "\n" for row in rows) == CSV_LINES


def test_the_fbdi_file_has_its_columns_where_the_template_has_them() -> None:
    content = posted_fbdi.render(document(), posting_month=MONTH, terms=TERMS)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["GlInterface.csv"]
        text = archive.read("GlInterface.csv").decode()

    rows = list(csv.reader(io.StringIO(text)))
    assert {len(row) for row in rows} == {len(posted_fbdi.columns())} == {52}
    assert "".join(",".join(row[:46]) + ",\n" for row in rows) == FBDI_LINES
    assert rows[0][46].startswith(f"sha256:{document().sha256} GPU allocation 2026-03, A")
    assert rows[0][51] == "GPU allocation 2026-03, A: h100, standard"


@pytest.mark.parametrize("name", FORMAT_IDS)
def test_a_file_is_the_same_bytes_each_time_and_reads_back(name: str) -> None:
    format_of: ModuleType = FORMATS[name]
    for one in (document(), document().storno()):
        content = format_of.render(one, posting_month=MONTH, terms=TERMS)

        assert content == format_of.render(one, posting_month=MONTH, terms=TERMS)
        key, digest, lines = format_of.read(content)
        assert (key, digest) == (one.key, one.sha256)
        assert [line.signed for line in lines] == [line.signed for line in one.lines]
        assert [line.account for line in lines] == [format_of.account_name(line.account, TERMS) for line in one.lines]


@pytest.mark.parametrize("name", FORMAT_IDS)
def test_a_file_that_was_cut_anywhere_is_told(name: str) -> None:
    format_of: ModuleType = FORMATS[name]
    content = format_of.render(document(), posting_month=MONTH, terms=TERMS)

    for length in range(0, len(content) - 2, 7):
        with pytest.raises(Unreadable):
            format_of.read(content[:length])


@pytest.mark.parametrize("name", ["csv", "hledger", "beancount"])
def test_a_file_in_which_an_amount_was_changed_is_told(name: str) -> None:
    format_of: ModuleType = FORMATS[name]
    content = format_of.render(document(), posting_month=MONTH, terms=TERMS)

    with pytest.raises(Unreadable):
        format_of.read(content.replace(b"1.00", b"9.00", 1))


@pytest.mark.parametrize(("code", "amount", "shown"), [("JPY", "5", "5"), ("KWD", "1.234", "1.234")])
@pytest.mark.parametrize("name", FORMAT_IDS)
def test_amounts_have_the_currencys_own_decimals(name: str, code: str, amount: str, shown: str) -> None:
    format_of: ModuleType = FORMATS[name]
    one = document_of(entries_of(("A", "C1", "1", amount), currency=code), revision=1)

    _, _, lines = format_of.read(format_of.render(one, posting_month=MONTH, terms=FileTerms(Currency(code))))

    assert [f"{line.signed:f}" for line in lines] == [shown, f"-{shown}"]


def posted_into(folder: Path, name: str) -> Path:
    """A month posted as files, with texts that try to break out of their place."""
    location = StorageLocation(str(folder))
    lines = (*LINES, ('Evil "team"; (x)\\', "C 2: a|b", "47 1;2", "3.00"), ("Ünï", "C1", "köln.1", "0.01"))
    files = PostingFiles(store_at(location), name, TERMS, accounts=OURS)
    for each in journal_of(*lines).partition_by("entry_key"):
        one = document_of(each, revision=1)
        for sent in (one, one.storno()):
            files.submit(sent, posting_month=MONTH)
            held = files.find(sent.key)
            assert held is not None
            assert held.document_sha256 == sent.sha256
    return folder / FOLDER / name


@pytest.mark.debian
@pytest.mark.skipif(shutil.which("hledger") is None, reason="hledger is not installed")
def test_hledger_accepts_every_file_strictly_and_adds_them_up(tmp_path: Path) -> None:
    files = sorted(posted_into(tmp_path, "hledger").rglob("*.journal"))
    asked = [part for file in files for part in ("-f", str(file))]

    subprocess.run(["hledger", *asked, "check", "--strict"], check=True, capture_output=True)
    told = subprocess.run(["hledger", *asked, "print"], check=True, capture_output=True, text=True).stdout

    assert len(files) == 10
    assert told.count("(gpu-cb:") == 10
    balance = subprocess.run(["hledger", *asked, "balance", "-N"], check=True, capture_output=True, text=True).stdout
    assert balance.strip() == ""


@pytest.mark.debian
@pytest.mark.skipif(shutil.which("bean-check") is None, reason="beancount is not installed")
def test_beancount_accepts_the_ledger_that_includes_them_all(tmp_path: Path) -> None:
    folder = posted_into(tmp_path, "beancount")

    checked = subprocess.run(["bean-check", folder / "main.beancount"], check=False, capture_output=True, text=True)

    assert (checked.returncode, checked.stderr) == (0, "")
    broken = next(path for path in sorted(folder.rglob("*r1*.beancount")))
    broken.chmod(0o644)
    broken.write_bytes(broken.read_bytes().replace(b"1.00 EUR", b"9.00 EUR", 1))
    checked = subprocess.run(["bean-check", folder / "main.beancount"], check=False, capture_output=True, text=True)
    assert "does not balance" in checked.stderr


def test_no_two_document_keys_share_a_file(tmp_path: Path) -> None:
    files = PostingFiles(store_at(StorageLocation(str(tmp_path))), "csv", TERMS, accounts=OURS)
    keys = ["gpu-cb:C/1:2026-03:a:x:r1", "gpu-cb:C_1:2026-03:a:x:r1", "gpu-cb:C1:2026-03:a_x:r1",
            "gpu-cb:C1:2026-03:a:x:r1", "gpu-cb:..:2026-03:a:x:r1"]  # fmt: skip

    assert len({files._address(key) for key in keys}) == len(keys)
    assert all(".." not in files._address(key).split("/") for key in keys)


def test_the_formats_are_those_of_the_settings() -> None:
    assert {"csv": posted_csv, "fbdi": posted_fbdi, "hledger": posted_hledger, "beancount": posted_beancount} == FORMATS
