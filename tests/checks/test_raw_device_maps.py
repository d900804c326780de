"""Checks of raw_device_maps: each passes on what was billed, and fails on what it is there for."""

import pytest

from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from tests.checks.judging import judged, put
from tests.estates import Estate
from tests.tables import a_table_of

HEADER = "cluster  day  host  minor  nvml_index  uuid  object  line\n"
FIRST = "slurm-a  2026-03-31  gpu01  0  6  GPU-a  o  1\n"


def test_raw_device_maps_unambiguous_passes_for_numbers_in_another_order_than_nvml_counts(estate: Estate) -> None:
    others = "slurm-a  2026-03-31  gpu01  4  0  GPU-b  o  2\nslurm-a  2026-03-31  gpu02  0  -  GPU-c  o  3"
    put(estate, RAW_DEVICE_MAPS, a_table_of(RAW_DEVICE_MAPS, HEADER + FIRST + others))

    judgement = judged("raw_device_maps_unambiguous", estate)

    assert judgement.is_pass
    assert dict(judgement.evidence.metrics) == {"findings": 0, "devices": 3, "hosts": 2}


@pytest.mark.parametrize(
    "other, told",
    [
        ("slurm-a  2026-03-31  gpu01  1  1  GPU-a  o  2", "gpu01 GPU-a | one minor number | 0, 1"),
        ("slurm-a  2026-03-31  gpu01  1  6  GPU-b  o  2", "gpu01 nvml_index 6 | one GPU | GPU-a, GPU-b"),
    ],
)
def test_raw_device_maps_unambiguous_fails_for_a_number_or_gpu_that_stands_twice(
    estate: Estate, other: str, told: str
) -> None:
    put(estate, RAW_DEVICE_MAPS, a_table_of(RAW_DEVICE_MAPS, HEADER + FIRST + other))

    judgement = judged("raw_device_maps_unambiguous", estate)

    assert judgement.is_failure
    assert judgement.evidence.blocking
    assert judgement.told == told
