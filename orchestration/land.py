"""`chargeback land`: files into landing/, each complete or absent, the same bytes only once."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from chargeback.signatures.recognition import signed_kind_of
from resources.decompression import (
    Undecompressible,
    archive_in,
    compression_of,
    decompressed,
    refuse_explosive,
    without_compression,
)
from resources.lake_binding import bind_lake
from resources.landing import LARGEST_READ_BYTES, PEOPLE_SOURCES, SOURCES, LandedObject, Landing
from resources.object_names import name_fault, readable
from resources.open_store import store_at
from resources.people_objects import PeopleRefused, faults_of
from resources.setting_kinds import SettingsRefused
from resources.settings import load_settings
from resources.signed_objects import SignedObjects

SIGNED_SOURCES = ("approvals", "keyrings")


def land_files(
    files: list[Path], *, source: str, cluster: str | None, extracted_at: str | None, config: Path | None
) -> list[LandedObject]:
    """Land every file; extracted-at is given, else the file's own time. Raises SettingsRefused for a bad request.

    What is signed is dated by when it lands, as in the inbox: neither an option nor a file's time dates it back.
    """
    settings = load_settings(config)
    if source not in SOURCES:
        raise SettingsRefused(f"unknown source {source!r}; known: {', '.join(SOURCES)}")
    if source not in PEOPLE_SOURCES:
        if cluster is None:
            raise SettingsRefused(f"source {source} needs --cluster; known: {', '.join(sorted(settings.clusters))}")
        settings.cluster(cluster)
    given = given_instant(extracted_at) if extracted_at else None
    missing = [str(file) for file in files if not file.is_file()]
    if missing:
        raise SettingsRefused(f"no such file: {', '.join(missing)}")
    faults = tuple(fault for file in files for fault in _faults(file, source))
    if faults:
        raise PeopleRefused((*faults, "nothing was landed"))
    signed = [file for file in files if source in SIGNED_SOURCES and signed_kind_of(_unpacked(file))]
    if signed and given:
        raise SettingsRefused(f"--extracted-at cannot date {signed[0]}: a signature counts from when it lands")
    times = {file: datetime.now(UTC) if file in signed else given or _written_at(file) for file in files}
    store = store_at(settings.location)
    bind_lake(store, settings)
    landing = Landing(store)
    if source == "keyrings":
        _refuse_unchained(times, SignedObjects(landing, settings.signing.trust_root))
    console = Console(soft_wrap=True, highlight=False)
    return [_land(landing, file, source, cluster, at, console) for file, at in times.items()]


def _faults(file: Path, source: str) -> list[str]:
    """Why a file may not be landed, one line each: landing is for good."""
    if fault := name_fault(file.name):
        return [f"{readable(file.name)} {fault}"]
    size = file.stat().st_size
    if size > LARGEST_READ_BYTES:
        return [f"{file.name} is {size} bytes long; at most {LARGEST_READ_BYTES} are read again: land it in parts"]
    content = file.read_bytes()
    if packed := archive_in(content):
        return [f"{file.name} is {packed}: unpack it and land what is inside"]
    if not content:
        return [f"{file.name} is empty"]
    try:
        if source in PEOPLE_SOURCES:
            return faults_of(source, _unpacked(file), name=file.name)
        refuse_explosive(content, name=_packed_name(file.name, content), largest_bytes=LARGEST_READ_BYTES)
    except Undecompressible as refused:
        return [str(refused)]
    return []


def _refuse_unchained(times: Mapping[Path, datetime], signed: SignedObjects) -> None:
    """A keyring that is not the next of the chain would put every signature out of force. Raises PeopleRefused."""
    if len(times) > 1:
        raise SettingsRefused("keyrings are landed one by one, in their order")
    ((file, at),) = times.items()
    if faults := signed.faults_of_keyring(_unpacked(file), name=file.name, at=at):
        raise PeopleRefused((*faults, "nothing was landed"))


def _unpacked(file: Path) -> bytes:
    content = file.read_bytes()
    return decompressed(content, name=_packed_name(file.name, content), largest_bytes=LARGEST_READ_BYTES)


def _packed_name(name: str, content: bytes) -> str:
    """The name with the ending that its content has a right to."""
    return without_compression(name) + compression_of(content)


def _written_at(file: Path) -> datetime:
    return datetime.fromtimestamp(file.stat().st_mtime, UTC)


def _land(
    landing: Landing, file: Path, source: str, cluster: str | None, at: datetime, console: Console
) -> LandedObject:
    content = file.read_bytes()
    landed = landing.land(
        content,
        source=source,
        cluster=None if source in PEOPLE_SOURCES else cluster,
        extracted_at=at,
        extension=_extension(file.name) + compression_of(content),
    )
    verb = "landed" if landed.is_new else "was landed before as"
    console.print(f"{file} {verb} {landed.key} ({len(content):,} bytes)", markup=False)
    return landed


def _extension(name: str) -> str:
    """What the name says of the format; how it is compressed the content says."""
    ending = Path(without_compression(name.lower())).suffix.removeprefix(".")
    return ending if ending.isalnum() and ending.isascii() else "txt"


def given_instant(text: str) -> datetime:
    """An instant as people write it after --extracted-at. Raises SettingsRefused, one line."""
    try:
        read = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        raise SettingsRefused(f"--extracted-at {text!r} is no instant; write it as 2026-10-05T01:00:00Z") from error
    if read.tzinfo is None:
        raise SettingsRefused(f"--extracted-at {text!r} has no offset; write it as {text}Z or {text}+02:00")
    return read.astimezone(UTC)
