"""Names, links and devices that lead elsewhere: nothing is followed, nothing outside incoming/ is touched or lost."""

import os
from pathlib import Path

import pytest

from orchestration.inbox import inbox_of
from resources.inbox import Filed
from tests.orchestration.inboxes import PODS, SACCT, Incoming, in_a_directory, incoming_at, seconds
from tests.services.seaweedfs import S3Server, s3_server

__all__ = ["in_a_directory", "s3_server"]  # the fixtures

BIDI, ZERO_WIDTH, DECOMPOSED = "\u202e", "\u200b", "u\u0308"

ODD_NAMES = {
    "a\nb.psv": "a control character",
    "a\x1b[2Jb.psv": "a control character",
    "..\\landing\\x.psv": "a backslash",
    f"{BIDI}vsp.tccas": "an invisible character (U+202E)",
    f"sacct{ZERO_WIDTH}.psv": "an invisible character (U+200B)",
    f"f{DECOMPOSED}r.psv": "form NFC",
    "cluster=slurm-a/x.psv": "without '='",
    "date=2026-10-05/x.psv": "without '='",
    "~/x.psv": "a backslash, or begins with '~'",
    "a" * 230 + ".psv": "longer than 200 bytes",
    "/".join(["folder"] * 110) + "/x.psv": "longer than 700 bytes",
}


@pytest.fixture
def on_s3(s3_server: S3Server) -> Incoming:
    return incoming_at(s3_server.fresh_location())


@pytest.mark.parametrize("store", ["in_a_directory", "on_s3"])
def test_odd_names_are_set_aside_under_plain_ones(store: str, request: pytest.FixtureRequest) -> None:
    incoming: Incoming = request.getfixturevalue(store)
    named = {name: why for name, why in ODD_NAMES.items() if store == "in_a_directory" or "\\" not in name}
    for name in named:  # this S3 server takes no backslashes
        incoming.drop(name, SACCT)
    incoming.drop("für März.psv", SACCT)

    filed = incoming.file()

    assert len(filed.landed) == 1
    reasons = sorted(each.reason for each in filed.set_aside)
    assert len(reasons) == len(named)
    assert [said for said in named.values() if not any(said in reason for reason in reasons)] == []
    assert all(each.key.isprintable() and each.kept_as.isascii() for each in filed.set_aside)
    assert all(incoming.store.get(each.kept_as) == SACCT for each in filed.set_aside)
    assert incoming.keys("incoming/") == []
    assert incoming.file() == Filed((), (), (), 0)
    assert incoming.workspace.landing.misnamed() == []


def test_names_that_look_the_same_are_never_taken_for_each_other(in_a_directory: Incoming) -> None:
    in_a_directory.drop("für.psv", SACCT)
    in_a_directory.drop(f"f{DECOMPOSED}r.psv", SACCT + b"another")

    filed = in_a_directory.file()

    assert [each.size for each in filed.landed] == [len(SACCT)]
    assert ["NFC" in each.reason for each in filed.set_aside] == [True]


class Listing:
    """A store with keys that a real bucket can hold and a server of folders cannot; none of them can be asked for."""

    def __init__(self, incoming: Incoming, *keys: str) -> None:
        self._store = incoming.store
        self._keys = keys
        self.asked: list[str] = []

    def list(self, prefix: str, *, start_after: str = "") -> list[object]:
        real = self._store.list(prefix, start_after=start_after)
        model = self._store.list("incoming/")[0]
        odd = [type(model)(key, 5, model.modified_at) for key in self._keys if key.startswith(prefix)]
        return [*real, *odd]

    def __getattr__(self, name: str) -> object:
        def asked(key: str, *others: object) -> object:
            assert key not in self._keys, f"{name} {key}"
            return getattr(self._store, name)(key, *others)

        return asked


def test_keys_that_lead_elsewhere_stay_where_they_are_and_are_recorded_once(on_s3: Incoming) -> None:
    on_s3.store.put_new("landing/precious", b"for good")
    on_s3.drop("real.psv.part", SACCT)
    leading_elsewhere = ("incoming/../landing/precious", "incoming//landing/precious", "incoming/./x", "incoming/x/..")
    object.__setattr__(on_s3.workspace, "store", Listing(on_s3, *leading_elsewhere))

    first, second = on_s3.file(), on_s3.file()

    assert [each.key for each in first.set_aside] == sorted(leading_elsewhere)
    assert {each.kept_as for each in first.set_aside} == {""}
    assert second.set_aside == ()
    assert on_s3.store.get("landing/precious") == b"for good"
    assert len(inbox_of(on_s3.workspace).refusals()) == 4


def test_links_pipes_and_devices_are_recorded_and_never_followed(in_a_directory: Incoming, tmp_path: Path) -> None:
    folder = tmp_path / "lake" / "incoming"
    in_a_directory.drop("real.json", PODS)
    secrets = tmp_path / "elsewhere"
    secrets.mkdir()
    (secrets / "sacct.psv").write_bytes(SACCT)
    (folder / "link.psv").symlink_to(secrets / "sacct.psv")
    (folder / "folder").symlink_to(secrets)
    (folder / "endless").symlink_to("/dev/zero")
    (folder / "dangling").symlink_to(tmp_path / "nothing")
    os.mkfifo(folder / "pipe")

    first, second = in_a_directory.file(), in_a_directory.file()

    assert [each.source for each in first.landed] == ["kubernetes/pods"]
    assert {each.key.removeprefix("incoming/"): each.reason.partition(",")[0] for each in first.set_aside} == {
        "link.psv": "is a symbolic link",
        "folder": "is a symbolic link",
        "endless": "is a symbolic link",
        "dangling": "is a symbolic link",
        "pipe": "is a device",
    }
    assert second == Filed((), (), (), 0)
    assert (secrets / "sacct.psv").read_bytes() == SACCT


def test_a_file_in_a_directory_waits_until_it_stays_as_it_is(in_a_directory: Incoming) -> None:
    in_a_directory.drop("growing.psv", SACCT[:100])
    written = in_a_directory.store.list("incoming/")[0].modified_at

    at_once = in_a_directory.file(now=written + seconds(1))
    in_a_directory.drop("growing.psv", SACCT)
    os.utime(in_a_directory.location.directory / "incoming" / "growing.psv", (0, written.timestamp() + 12))
    grown = in_a_directory.file(now=written + seconds(14))
    same = in_a_directory.file(now=written + seconds(23))
    quiet = in_a_directory.file(now=written + seconds(25))

    assert [len(each.waiting) for each in (at_once, grown, same, quiet)] == [1, 1, 1, 0]
    assert [len(each.landed) for each in (at_once, grown, same, quiet)] == [0, 0, 0, 1]


def test_a_file_whose_clock_is_ahead_lands_when_two_looks_see_the_same(in_a_directory: Incoming) -> None:
    in_a_directory.drop("x.psv", SACCT)
    written = in_a_directory.store.list("incoming/")[0].modified_at
    before = written - seconds(3_600)

    first = in_a_directory.file(now=before)
    second = in_a_directory.file(now=before + seconds(10))

    assert (len(first.waiting), len(second.landed)) == (1, 1)
    assert second.landed[0].extracted_at == (before + seconds(10)).replace(microsecond=0)


def test_on_s3_an_object_is_complete_when_it_is_there(on_s3: Incoming) -> None:
    on_s3.drop("x.psv", SACCT)
    written = on_s3.store.list("incoming/")[0].modified_at

    assert len(on_s3.file(now=written).landed) == 1
