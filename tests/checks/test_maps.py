"""Checks of maps: each passes on what was billed, and fails on what it is there for."""

from chargeback.contracts.maps import MAPS
from tests.checks.judging import judged, rows_of
from tests.estates import Estate


def test_maps_signed_passes_in_a_parallel_month_that_is_billed_by_unsigned_maps(billed_estate: Estate) -> None:
    judgement = judged("maps_signed", billed_estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["unsigned_maps"] == len(rows_of(billed_estate, MAPS)) == 2


def test_maps_signed_fails_in_enforced_mode_and_names_each_unsigned_map(billed_estate: Estate) -> None:
    judgement = judged("maps_signed", billed_estate, mode="enforced")

    assert judgement.is_failure
    for name in ("accelerators", "tiers"):
        assert f"map {name} | a signature that counts | unsigned: no [signing] trust_root is set" in judgement.told
