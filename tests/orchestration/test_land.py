"""`chargeback land`: what people hand in is read before it is kept, since landing cannot be mended afterwards."""

import gzip
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from orchestration.land import land_files
from resources.landing import LARGEST_READ_BYTES
from resources.people_objects import PeopleRefused
from resources.setting_kinds import SettingsRefused
from tests.chargeback.signatures.people import LEAD, signed_by
from tests.settings_texts import settings_text


@pytest.fixture
def config(tmp_path: Path) -> Path:
    written = tmp_path / "chargeback.toml"
    written.write_text(settings_text(slurm_a="slurm"))
    return written


def _land(config: Path, name: str, text: str, source: str, cluster: str | None = None) -> None:
    file = config.parent / name
    file.write_text(text, encoding="utf-8")
    land_files([file], source=source, cluster=cluster, extracted_at="2026-10-05T01:00:00Z", config=config)


def test_a_rate_card_that_cannot_be_used_is_refused_before_it_is_kept(config: Path) -> None:
    card = 'version: "1"\neffective_from: 2026-10\ncurrency: EUR\naccelerators:\n  h100: {standard: {price: 2.40}}\n'

    with pytest.raises(PeopleRefused, match=r"card.yaml line 5.*unit(.|\n)*nothing was landed"):
        _land(config, "card.yaml", card, "rate-cards")

    assert not list(config.parent.glob("lake/landing/**/*.yaml"))


def test_an_ownership_file_with_an_unreadable_percentage_is_refused_before_it_is_kept(config: Path) -> None:
    header = "cluster,kind,key,project,team,cost_centre,company,percent,valid_from,valid_until\n"

    with pytest.raises(PeopleRefused, match=r"owners.csv.*percent"):
        _land(config, "owners.csv", header + "slurm-a,account,lab,p,T,1,C1,many,2026-01-01,\n", "ownership")

    assert not list(config.parent.glob("lake/landing/**/*.csv"))


def test_an_extract_of_a_cluster_that_nobody_set_up_is_refused(config: Path) -> None:
    with pytest.raises(SettingsRefused, match="slurm-z"):
        _land(config, "sacct.txt", "JobIDRaw|State\n", "slurm/sacct", cluster="slurm-z")


def test_a_time_of_extraction_without_an_offset_is_refused(config: Path) -> None:
    file = config.parent / "sacct.txt"
    file.write_text("JobIDRaw|State\n", encoding="utf-8")

    with pytest.raises(SettingsRefused, match="no offset"):
        land_files([file], source="slurm/sacct", cluster="slurm-a", extracted_at="2026-10-05T01:00:00", config=config)


@pytest.mark.parametrize("name, content, why", [
    ("a\x1b[2Jb.psv", b"JobIDRaw|State\n", "a\\\\u001b.2Jb.psv has a control character"),
    ("\u202evsp.tccas", b"JobIDRaw|State\n", "an invisible character .U.202E"),
    ("fu\u0308r.psv", b"JobIDRaw|State\n", "form NFC"),
    ("..\\x.psv", b"JobIDRaw|State\n", "backslash"),
    ("x.psv", b"", "x.psv is empty"),
    ("x.zip", b"PK\x03\x04...", "x.zip is a zip archive: unpack it"),
    ("x.psv.gz", gzip.compress(bytes(80_000_000), mtime=0), "x.psv.gz: is more than 200 times larger"),
    ("x.psv", gzip.compress(gzip.compress(b"JobIDRaw|State\n", mtime=0), mtime=0), "inside is compressed once more"),
    ("x.gz", gzip.compress(b"JobIDRaw|State\n", mtime=0)[:-4], "cannot be decompressed"),
])  # fmt: skip
def test_a_file_that_nobody_should_keep_is_refused_before_it_is_kept(
    config: Path, name: str, content: bytes, why: str
) -> None:
    file = config.parent / name
    file.write_bytes(content)

    with pytest.raises(PeopleRefused, match=f"{why}(.|\n)*nothing was landed"):
        land_files([file], source="slurm/sacct", cluster="slurm-a", extracted_at=None, config=config)

    assert not list(config.parent.glob("lake/landing/**/*.*"))


@pytest.mark.parametrize("name, content, ending", [
    ("x.psv", b"JobIDRaw|State\n", ".psv"),
    ("X.PSV.GZ", gzip.compress(b"JobIDRaw|State\n", mtime=0), ".psv.gz"),
    ("x.psv", gzip.compress(b"JobIDRaw|State\n", mtime=0), ".psv.gz"),
    ("x.prom.gz", gzip.compress(b"JobIDRaw|State\n", mtime=0), ".prom.gz"),
    ("x.psv.gz", b"JobIDRaw|State\n", ".psv"),
    ("x", b"JobIDRaw|State\n", ".txt"),
])  # fmt: skip
def test_a_landed_object_ends_as_its_content_is(config: Path, name: str, content: bytes, ending: str) -> None:
    file = config.parent / name
    file.write_bytes(content)

    (landed,) = land_files([file], source="slurm/sacct", cluster="slurm-a", extracted_at=None, config=config)

    assert landed.key.endswith(landed.sha256 + ending)


def test_a_file_that_is_larger_than_what_is_read_again_is_refused_unread(config: Path) -> None:
    file = config.parent / "sacct.psv"
    with open(file, "wb") as sparse:
        sparse.truncate(LARGEST_READ_BYTES + 1)

    with pytest.raises(PeopleRefused, match=r"sacct.psv is 4294967297 bytes long; at most 4294967296 are read again"):
        land_files([file], source="slurm/sacct", cluster="slurm-a", extracted_at=None, config=config)

    assert not list(config.parent.glob("lake/landing/**/*.psv"))


def test_a_signature_is_dated_by_when_it_lands_and_neither_by_an_option_nor_by_its_file(config: Path) -> None:
    file = config.parent / "card.approval.json"
    file.write_bytes(signed_by(LEAD).content())
    os.utime(file, (0, 0))
    begun = datetime.now(UTC).replace(microsecond=0)

    with pytest.raises(SettingsRefused, match="a signature counts from when it lands"):
        land_files([file], source="approvals", cluster=None, extracted_at="2026-03-10T09:05:00Z", config=config)
    (landed,) = land_files([file], source="approvals", cluster=None, extracted_at=None, config=config)

    assert landed.extracted_at >= begun
