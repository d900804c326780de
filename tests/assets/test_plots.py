"""What a materialisation shows of its rows: totals first, and a picture that shows only what there is."""

import base64

import pytest

from assets.plots import capacity_report, charges_report
from chargeback.contracts.capacity import CAPACITY, STATES
from chargeback.contracts.team_charges import TEAM_CHARGES
from tests.tables import a_table_of

HOURS = """
    hour_start            host   units_per_gpu  capacity_unit_seconds  held_unit_seconds  out_of_service_unplanned_unit_seconds  unallocated_unit_seconds
    2026-03-30T00:00:00Z  gpu01  1              28800                  7200               0                                      21600
    2026-03-30T01:00:00Z  gpu01  1              28800                  0                  28800                                  0
    2026-03-30T01:00:00Z  gpu02  7              25200                  10800              0                                      14400
"""  # noqa: E501


NOTHING = {f"{state}_unit_seconds": 0 for state in STATES}


def _drawn(markdown: object) -> str:
    text = str(getattr(markdown, "value", ""))
    return base64.b64decode(text.removeprefix("![plot](data:image/svg+xml;base64,").removesuffix(")")).decode()


def test_a_day_shows_gpu_hours_of_the_states_that_occurred_slices_as_parts_of_a_gpu() -> None:
    report = capacity_report(a_table_of(CAPACITY, HOURS, **NOTHING))

    shown = {name: value.value for name, value in report.items() if name != "plot"}
    assert shown == {
        "held GPU-hours": pytest.approx(2.43),
        "out of service unplanned GPU-hours": 8.0,
        "unallocated GPU-hours": pytest.approx(6.57),
    }


def test_the_picture_of_a_day_names_those_states_and_no_others() -> None:
    drawn = _drawn(capacity_report(a_table_of(CAPACITY, HOURS, **NOTHING))["plot"])

    assert all(name in drawn for name in (">held<", ">out of service unplanned<", ">unallocated<"))
    assert "reserved" not in drawn
    assert "_" not in "".join(part.partition("<")[0] for part in drawn.split(">"))


def test_a_day_without_an_inventory_shows_no_picture() -> None:
    assert capacity_report(CAPACITY.empty()) == {}


def test_a_month_without_lines_still_shows_its_total() -> None:
    report = charges_report(TEAM_CHARGES.empty())

    assert report["total"].value == "0.00"
