"""What a lake knows of its accelerators: GPUs, slices and how telemetry saw them cut; what a new card makes of it."""

from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.raw_devices import RAW_DEVICES
from orchestration.accelerators_in_use import InUse, accelerators_in_use
from orchestration.rate_card_template import Beginning, card_text
from tests.checks.judging import put
from tests.estates import Estate
from tests.tables import a_table_of

SEEN = """
    device  gpu    gpu_instance  slice_profile  seen_from          seen_until
    0       GPU-1  1             4g.40gb        2026-03-31T00:00Z  2026-03-31T08:00Z
    1       GPU-1  2             3g.40gb        2026-03-31T00:00Z  2026-03-31T20:00Z
    2       GPU-1  3             4g.40gb        2026-03-31T09:00Z  2026-03-31T20:00Z
    3       GPU-2  1             3g.40gb        2026-03-31T00:00Z  2026-03-31T20:00Z
    4       GPU-2  2             3g.40gb        2026-03-31T00:00Z  2026-03-31T20:00Z
    5       GPU-3  ''            ''             2026-03-31T00:00Z  2026-03-31T20:00Z
    """
OFFERED = """
    hour_start         host   accelerator             units_per_gpu  capacity_unit_seconds
    2026-03-31T08:00Z  gpu01  a100-sxm4-80gb:3g.40gb  7              25200
    2026-03-31T08:00Z  gpu01  a100-sxm4-80gb          7              75600
    2026-03-31T09:00Z  gpu01  a100-sxm4-80gb          7              25200
    2026-03-31T08:00Z  gpu02  h100-sxm5-80gb          1              28800
    """
BEGINNING = Beginning(version="2026.2", effective_from="2026-05", currency="EUR", supersedes="2026.1")


def in_use(estate: Estate) -> InUse:
    day = {"cluster": "slurm-a", "day": "2026-03-31"}
    put(estate, CAPACITY, a_table_of(CAPACITY, OFFERED, inventory="node record", **day))
    put(estate, RAW_DEVICES, a_table_of(RAW_DEVICES, SEEN, host="gpu01", model="NVIDIA A100-SXM4-80GB", **day))
    return accelerators_in_use(estate.workspace)


def test_gpus_are_counted_at_the_hour_that_has_most_of_them_slices_with_their_gpu(estate: Estate) -> None:
    found = in_use(estate)

    # The day before has more: gpu03 with 8 whole a100, gpu04 with one cut in two, gpu01 and gpu02 with 8 h100 each.
    assert (found.gpus["a100-sxm4-80gb"], found.gpus["h100-sxm5-80gb"]) == (9, 16)


def test_a_geometry_is_what_telemetry_saw_last_on_a_gpu(estate: Estate) -> None:
    found = in_use(estate)

    assert found.geometries == {"a100-sxm4-80gb": {(("3g.40gb", 1), ("4g.40gb", 1)), (("3g.40gb", 2),)}}
    assert found.profiles == {"a100-sxm4-80gb": {"3g.40gb", "4g.40gb"}}


def test_a_new_card_says_beside_a_geometry_what_it_comes_to(estate: Estate) -> None:
    text = card_text(BEGINNING, ["a100-sxm4-80gb"], in_use(estate))

    assert "      3g.40gb: {billing_weight: 1/2}    # compute 3/7, memory 4/8" in text
    assert "      cut-1: 1 x 3g.40gb + 1 x 4g.40gb    # 15/14 of a GPU: too much, lower a weight" in text
    assert "      cut-2: 2 x 3g.40gb    # 1 of a GPU\n" in text
