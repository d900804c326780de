"""Checks of landed_objects: each passes on what was billed, and fails on what it is there for."""

from tests.checks.judging import judged
from tests.estates import Estate


def test_landed_objects_unchanged_passes_while_every_object_has_the_bytes_that_were_read(billed_estate: Estate) -> None:
    judgement = judged("landed_objects_unchanged", billed_estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["objects"] == 1


def test_landed_objects_unchanged_fails_when_an_object_was_altered(estate: Estate) -> None:
    (altered,) = (estate.folder / "lake" / "landing" / "slurm" / "sacct").rglob("*.psv")
    altered.chmod(0o644)
    altered.write_bytes(altered.read_bytes().replace(b"gres/gpu:h100=1", b"gres/gpu:h100=8"))

    judgement = judged("landed_objects_unchanged", estate)

    assert judgement.is_failure
    assert altered.name in judgement.told


def test_landed_objects_unchanged_fails_when_an_object_was_removed(estate: Estate) -> None:
    (removed,) = (estate.folder / "lake" / "landing" / "slurm" / "sacct").rglob("*.psv")
    removed.unlink()

    judgement = judged("landed_objects_unchanged", estate)

    assert judgement.is_failure
    assert "it was removed; restore it from the source" in judgement.told
