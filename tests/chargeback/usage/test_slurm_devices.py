"""Which number of a host is which GPU, and which host's map is in force on a day."""

import polars as pl
import pytest

from chargeback.billing_period import Interval
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.usage.extract import ParsedExtract, UnreadableExtract
from chargeback.usage.slurm_devices import parse_device_map, raw_device_maps_of_day
from tests.tables import instant

HEADER = "host,minor,nvml_index,uuid\n"


def parsed(text: str) -> ParsedExtract:
    """A map of cluster slurm-a."""
    return parse_device_map(text.encode(), cluster="slurm-a")


def landed(**texts: str) -> pl.DataFrame:
    """Maps by the day and hour of their extraction: d10h01."""
    return pl.concat(
        [
            parsed(HEADER + text).frame.with_columns(
                object=pl.lit(name), extracted_at=pl.lit(instant(f"2026-03-{name[1:3]}T{name[4:]}:00Z"))
            )
            for name, text in texts.items()
        ]
    )


def in_force(maps: pl.DataFrame, day: int) -> list[tuple[object, ...]]:
    """host, minor, uuid and object of the maps in force on a day of March."""
    interval = Interval(instant(f"2026-03-{day:02}T00:00Z"), instant(f"2026-03-{day + 1:02}T00:00Z"))
    found = raw_device_maps_of_day(maps, cluster="slurm-a", day=f"2026-03-{day:02}", interval=interval)
    assert RAW_DEVICE_MAPS.breaches(found) == []
    return found.select("host", "minor", "uuid", "object").rows()


def test_a_map_names_the_gpu_of_each_minor_number_and_its_nvml_index() -> None:
    found = parsed(HEADER + "n1,0,6,GPU-a\nn1,4,0,GPU-b\n")

    assert found.frame.select("host", "minor", "nvml_index", "uuid", "line").rows() == [
        ("n1", 0, 6, "GPU-a", 2), ("n1", 4, 0, "GPU-b", 3),
    ]  # fmt: skip
    assert (found.records, found.quarantined) == (2, ())


def test_columns_are_read_by_their_names_and_the_index_may_be_missing() -> None:
    found = parsed("uuid, host, minor\nGPU-a, n1, 0\n")

    assert found.frame.select("host", "minor", "nvml_index", "uuid").rows() == [("n1", 0, None, "GPU-a")]


def test_maps_of_many_hosts_in_one_file_keep_no_header_and_no_repeated_line() -> None:
    found = parsed(HEADER + "n1,0,0,GPU-a\n" + HEADER + "n2,0,0,GPU-b\nn1,0,0,GPU-a\n\n")

    assert found.frame["uuid"].to_list() == ["GPU-a", "GPU-b"]
    assert (found.records, found.ignored_reasons) == (3, {"the same line stands before": 1})


def test_a_minor_number_that_stands_for_two_gpus_stands_for_neither() -> None:
    found = parsed(HEADER + "n1,0,0,GPU-a\nn1,0,1,GPU-b\nn1,1,1,GPU-b\nn2,0,0,GPU-c\n")

    assert found.frame["uuid"].to_list() == ["GPU-b", "GPU-c"]
    assert [(each.line, "minor 0 of host n1" in each.reason) for each in found.quarantined] == [(2, True), (3, True)]
    assert found.records == 4


@pytest.mark.parametrize(
    "line, reason",
    [(",0,0,GPU-a", "without a host"), ("n1,0,0,", "without a host or a UUID"), ("n1,one,0,GPU-a", "minor of host n1"),
     ("n1,0,x,GPU-a", "nvml_index of host n1"), ("n1,0", "without a host or a UUID"), ("n1,-1,0,GPU-a", "minor of")],
)  # fmt: skip
def test_a_line_that_cannot_be_used_is_quarantined_with_its_number(line: str, reason: str) -> None:
    found = parsed(HEADER + f"n1,7,7,GPU-z\n{line}\n")

    (refused,) = found.quarantined
    assert (refused.line, reason in refused.reason, len(found.frame)) == (3, True, 1)


@pytest.mark.parametrize("text", ["", "minor,nvml_index,uuid\n0,6,GPU-a\n", "n1,0,0,GPU-a\n", "JobId=7\n"])
def test_what_names_no_columns_is_refused(text: str) -> None:
    with pytest.raises(UnreadableExtract, match="no device map of cluster slurm-a: its first line must be host,minor"):
        parsed(text)


def test_the_latest_map_of_each_host_is_in_force_until_the_end_of_the_day() -> None:
    maps = landed(d08h01="n1,0,0,GPU-a\nn2,0,0,GPU-x\n", d10h12="n1,0,0,GPU-b\nn1,1,1,GPU-a\n", d12h01="n1,0,0,GPU-c\n")

    assert in_force(maps, 9) == [("n1", 0, "GPU-a", "d08h01"), ("n2", 0, "GPU-x", "d08h01")]
    assert in_force(maps, 10) == [
        ("n1", 0, "GPU-b", "d10h12"), ("n1", 1, "GPU-a", "d10h12"), ("n2", 0, "GPU-x", "d08h01"),
    ]  # fmt: skip


def test_before_its_first_map_a_host_has_the_next_one() -> None:
    maps = landed(d10h01="n1,0,0,GPU-a\n", d12h01="n1,0,0,GPU-b\nn2,0,0,GPU-x\n")

    assert in_force(maps, 5) == [("n1", 0, "GPU-a", "d10h01"), ("n2", 0, "GPU-x", "d12h01")]


def test_the_same_map_every_night_is_the_first_one() -> None:
    night = "n1,1,1,GPU-b\nn1,0,0,GPU-a\n"
    maps = landed(d08h01="n1,0,0,GPU-z\n", d09h01=night, d10h01="n1,0,0,GPU-a\nn1,1,1,GPU-b\n", d11h01=night)

    assert {row[3] for row in in_force(maps, 11)} == {"d09h01"}


def test_without_maps_no_number_names_anything() -> None:
    assert in_force(landed(d08h01=""), 9) == []
