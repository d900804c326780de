"""Checks of raw_samples: each passes on what was billed, and fails on what it is there for."""

import polars as pl
import pytest

from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_samples import RAW_SAMPLES
from checks.raw_samples import misplaced
from tests.checks.judging import judged, put
from tests.estates import Estate
from tests.tables import a_table_of

DEVICES = """
    cluster  day         device  host   gpu    seen_from
    slurm-a  2026-03-31  0       gpu01  GPU-a  2026-03-31T08:00:00Z
    slurm-a  2026-03-31  1       gpu01  GPU-b  2026-03-31T08:00:00Z
"""
HEADER = "cluster  day  device  at_milliseconds  active_ppm\n"


def _put(estate: Estate, *samples: tuple[int, int]) -> None:
    put(estate, RAW_DEVICES, a_table_of(RAW_DEVICES, DEVICES))
    rows = "\n".join(f"slurm-a  2026-03-31  {device}  {at}  0" for device, at in samples)
    put(estate, RAW_SAMPLES, a_table_of(RAW_SAMPLES, HEADER + rows))


def test_samples_ordered_passes_for_samples_of_the_day_and_what_is_carried_in(estate: Estate) -> None:
    _put(estate, (0, -90_000), (0, 0), (0, 30_000), (1, -1), (1, 86_399_999))

    judgement = judged("samples_ordered", estate)

    assert judgement.is_pass
    assert dict(judgement.evidence.metrics) == {"findings": 0, "samples": 5, "carried_in": 2}


@pytest.mark.parametrize(
    "samples, told",
    [
        (((0, 0), (2, 0)), "device 2 at 0 ms | * | a device that raw_devices does not have"),
        (((0, -90_001), (0, 0)), "device 0 at -90001 ms | * | an instant outside of -90000 to 86400000"),
        (((0, 0), (0, 86_400_000)), "device 0 at 86400000 ms | * | an instant outside of -90000 to 86400000"),
    ],
)
def test_samples_ordered_fails_for_a_sample_that_is_where_it_cannot_be(
    estate: Estate, samples: tuple[tuple[int, int], ...], told: str
) -> None:
    _put(estate, *samples)

    judgement = judged("samples_ordered", estate)

    assert judgement.is_failure
    assert judgement.evidence.blocking
    expected = "samples of known devices in order of device and time, each instant once"
    assert judgement.told == told.replace("*", expected)


@pytest.mark.parametrize(
    "samples, observed",
    [
        (((0, 0), (0, 30), (1, 0)), []),
        (((1, 0), (0, 0)), ["a device after a later one"]),
        (((0, 60), (0, 30)), ["an instant that does not follow the one before, 60"]),
        (((0, 60), (0, 60)), ["an instant that does not follow the one before, 60"]),
    ],
)
def test_a_pass_that_would_meet_samples_out_of_order_is_told_which(
    samples: tuple[tuple[int, int], ...], observed: list[str]
) -> None:
    frame = pl.DataFrame(samples, schema={"device": pl.Int32, "at_milliseconds": pl.Int32}, orient="row")

    found = misplaced(frame, known=pl.Series([0, 1], dtype=pl.Int32), earliest=-90, end=86_400_000)

    assert found["observed"].to_list() == observed
