"""Files of this machine that commands read and write: whole, or not at all. Not here: the lake's objects."""

from pathlib import Path

from resources.setting_kinds import SettingsRefused


def read_file(path: Path) -> bytes:
    """Its bytes. Raises SettingsRefused if there is no such file."""
    if not path.is_file():
        raise SettingsRefused(f"no such file: {path}")
    return path.read_bytes()


def refuse_without_folder(path: Path) -> None:
    """Raise SettingsRefused for a file whose folder does not exist: before any work is done for it."""
    if not path.parent.is_dir():
        raise SettingsRefused(f"{path}: there is no folder {path.parent}; make it first")


def half_written(path: Path) -> Path:
    """Where a file is written before it takes its place."""
    return path.with_name(f".{path.name}.half-written")


def write_file(path: Path, content: bytes) -> None:
    """Write a file whole, or leave what stands there. Raises SettingsRefused without its folder."""
    refuse_without_folder(path)
    half_written(path).write_bytes(content)
    half_written(path).replace(path)
