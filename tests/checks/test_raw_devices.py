"""Checks of raw_devices: each passes on what was billed, and fails on what it is there for."""

from chargeback.contracts.raw_devices import RAW_DEVICES
from tests.checks.judging import judged, put
from tests.estates import Estate
from tests.tables import a_table_of

DEVICES = """
    cluster  day         device  host   gpu    gpu_instance  namespace  pod  seen_from             samples  sentinels  impossible  duplicates  conflicts  parent_values
    slurm-a  2026-03-31  0       gpu01  GPU-a  ''            ''         ''   2026-03-31T08:00:00Z  100      5          1           100         {first}    0
    slurm-a  2026-03-31  0       gpu01  GPU-a  ''            ml         p    2026-03-31T09:00:00Z  100      0          0           0           {second}   0
    slurm-a  2026-03-31  1       gpu01  GPU-b  7             ''         ''   2026-03-31T08:00:00Z  90       0          0           0           0          9
"""  # noqa: E501


def test_telemetry_trustworthy_passes_for_missing_and_repeated_values_and_counts_them(estate: Estate) -> None:
    put(estate, RAW_DEVICES, a_table_of(RAW_DEVICES, DEVICES.format(first=0, second=0)))

    judgement = judged("telemetry_trustworthy", estate)

    assert judgement.is_pass
    metrics = dict(judgement.evidence.metrics)
    assert metrics == {
        "findings": 0, "devices": 2, "samples": 290, "sentinels": 5, "impossible": 1, "duplicates": 100, "conflicts": 0,
        "parent_values": 9,
    }  # fmt: skip


def test_telemetry_trustworthy_fails_for_exporters_that_contradict_each_other_and_stops_nothing(estate: Estate) -> None:
    put(estate, RAW_DEVICES, a_table_of(RAW_DEVICES, DEVICES.format(first=2, second=1)))

    judgement = judged("telemetry_trustworthy", estate)

    assert judgement.is_failure
    assert not judgement.evidence.blocking
    assert judgement.told == (
        "gpu01 GPU-a | one value of a metric at one instant | different values at 3 instants, all of them left out"
    )
