"""Telemetry as exporters print it, as the Prometheus API answers it, and as Parquet: the same series in the end."""

import io
import json
from datetime import datetime
from typing import Any

import orjson
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.usage.dcgm import parse_dcgm
from chargeback.usage.dcgm_rows import SERIES_COLUMNS
from chargeback.usage.dcgm_scan import scanned
from chargeback.usage.extract import ParsedExtract, UnreadableExtract
from tests.chargeback.usage.telemetry import DAY, SM, START, UTIL, matrix, series
from tests.tables import instant


def parsed(content: bytes | str) -> ParsedExtract:
    """What an object of cluster k holds."""
    return parse_dcgm(content if isinstance(content, bytes) else content.encode(), cluster="k")


def parquet(**columns: Any) -> bytes:
    """A Parquet file."""
    written = io.BytesIO()
    pl.DataFrame(columns).write_parquet(written)
    return written.getvalue()


def test_a_matrix_a_vector_text_with_times_openmetrics_and_parquet_say_the_same() -> None:
    milliseconds = START * 1_000 + 500
    sample = {"__name__": SM, "UUID": "GPU-1", "Hostname": "n1", "gpu": "0", "hpc_job": "7"}
    labels = ",".join(f'{name}="{value}"' for name, value in sample.items() if name != "__name__")
    vector = {"resultType": "vector", "result": [{"metric": sample, "value": [milliseconds / 1_000, "0.25"]}]}
    spellings: dict[str, bytes | str] = {
        "matrix": matrix(series(SM, {0.5: "0.25"}, hpc_job="7")),
        "vector": orjson.dumps({"status": "success", "data": vector}),
        "text": f"# TYPE {SM} gauge\n{SM}{{{labels}}} 0.25 {milliseconds}\n",
        "openmetrics": f"# TYPE {SM} gauge\n{SM}{{{labels}}} 0.25 {milliseconds / 1_000}\n# EOF\n",
        "long": parquet(timestamp=[milliseconds], metric=[SM], value=[0.25], UUID=["GPU-1"], Hostname=["n1"], gpu=["0"],
                        hpc_job=["7"]),
        "wide": parquet(timestamp=[milliseconds], UUID=["GPU-1"], Hostname=["n1"], gpu=["0"], hpc_job=["7"],
                        DCGM_FI_PROF_SM_ACTIVE=[0.25]),
    }  # fmt: skip

    frames = {name: parsed(content).frame.drop("line") for name, content in spellings.items()}

    first = frames["matrix"]
    assert {name for name, frame in frames.items() if not frame.equals(first)} == set()
    assert dict(first.schema) == {name: dtype for name, dtype in SERIES_COLUMNS.items() if name != "line"}
    assert first.select("at", "value", "overlaps_from", "overlaps_until").rows() == [
        ([milliseconds], [250_000], instant(f"{DAY}T00:00:00.5Z"), instant(f"{DAY}T00:00:00.5Z"))
    ]


def test_a_scrape_without_times_is_of_its_extraction() -> None:
    (row,) = parsed('DCGM_FI_DEV_GPU_UTIL{UUID="GPU-1",gpu="0"} 44\n').frame.iter_rows(named=True)

    assert (row["at"], row["value"], row["overlaps_from"], row["line"]) == ([None], [440_000], None, 1)


def test_a_scrape_of_a_host_without_gpus_says_nothing() -> None:
    found = parsed("# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization\n# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n")

    assert (found.records, len(found.frame)) == (0, 0)


def test_an_answer_without_series_says_nothing() -> None:
    found = parsed(matrix())

    assert (found.records, len(found.frame), found.quarantined) == (0, 0, ())
    assert dict(found.frame.schema) == SERIES_COLUMNS


def test_a_line_that_cannot_be_read_costs_only_itself() -> None:
    found = parsed(
        'DCGM_FI_DEV_GPU_UTIL{UUID="GPU-1"} 1\nDCGM_FI_DEV_GPU_UTIL{UUID="GPU-2} 1\n'
        'DCGM_FI_DEV_GPU_UTIL{UUID="GPU-3"} ERROR - FAILED TO CONVERT TO STRING\nDCGM_FI_DEV_GPU_UTIL{gpu="0"} 1\n'
    )

    assert found.frame["gpu"].to_list() == ["GPU-1"]
    assert [(each.line, each.reason.partition(":")[0]) for each in found.quarantined] == [
        (2, "no sample"), (3, "no sample"), (4, "series without the UUID of a GPU"),
    ]  # fmt: skip


def test_labels_with_quotes_backslashes_and_brackets_keep_their_text() -> None:
    found = parsed('DCGM_FI_DEV_GPU_UTIL{UUID="GPU-1",pod="a\\"b\\\\c}, d"} 1\n')

    assert found.frame["pod"].to_list() == ['a"b\\c}, d']


@pytest.mark.parametrize(
    "element, reason",
    [
        ({"metric": {"UUID": "GPU-1"}}, "series without"),
        ({"values": [[0, "1"]]}, "series without"),
        ("oops", "series without"),
        ({"metric": {"UUID": "GPU-1"}, "values": "oops"}, "series without"),
        ({"metric": {"UUID": "GPU-1"}, "values": [[0, "1", 2]]}, "`values` are not pairs of a number and a text"),
        ({"metric": {"UUID": "GPU-1"}, "values": [["0", "1"]]}, "`values` are not pairs of a number and a text"),
        ({"metric": {"UUID": "GPU-1"}, "values": [[0, 1]]}, "`values` are not pairs of a number and a text"),
        ({"metric": {"__name__": UTIL, "gpu": "0"}, "values": [[0, "1"]]}, "series without the UUID"),
    ],
)
def test_a_series_that_cannot_be_read_costs_only_itself(element: object, reason: str) -> None:
    content = matrix(series(UTIL, {0: 1}), element, series(UTIL, {0: 1}))  # type: ignore[arg-type]

    found = parsed(content)

    assert (found.records, len(found.frame)) == (3, 2)
    (refused,) = found.quarantined
    assert refused.line == 2
    assert refused.reason.startswith(reason)


@pytest.mark.parametrize(
    "content, reason",
    [
        (b'{"status":"success","data":{"resultType":"matrix","result":[{"metr', "no JSON"),
        (b'{"status":"error","errorType":"bad_data","error":"exceeded 11,000 points"}', "exceeded 11,000"),
        (b'{"status":"success","data":{"resultType":"scalar","result":[0,"1"]}}', "resultType is 'scalar'"),
        (b'{"status":"success","data":["DCGM_FI_DEV_GPU_UTIL"]}', "resultType is None"),
        (b"[1, 2]", "a JSON list"),
        (b"JobID|State\n1|COMPLETED\n", "no line of it is a sample"),
        (b"", "no line of it is a sample"),
        (b"PAR1 and then nothing", "no readable Parquet"),
    ],
)  # fmt: skip
def test_what_is_no_telemetry_is_refused_in_one_line_that_says_why(content: bytes, reason: str) -> None:
    with pytest.raises(UnreadableExtract) as refusal:
        parsed(content)

    assert reason in str(refusal.value)
    assert "cluster k" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_parquet_with_instants_and_many_metrics_leaves_out_what_is_not_read_and_not_there() -> None:
    at = [datetime.fromisoformat(f"{DAY}T00:00:{second:02}+00:00") for second in (0, 30)]

    found = parsed(
        parquet(timestamp=at, UUID=["GPU-1", "GPU-1"], pod=["p", None], DCGM_FI_DEV_GPU_UTIL=[44, None],
                DCGM_FI_DEV_GPU_TEMP=[60, 61], DCGM_FI_DEV_FB_USED=[100, 200])
    )  # fmt: skip

    said = found.frame.sort("metric", "pod").select("metric", "pod", "at", "value").rows()
    assert said == [
        ("DCGM_FI_DEV_FB_USED", "", [START * 1_000 + 30_000], [200]),
        ("DCGM_FI_DEV_FB_USED", "p", [START * 1_000], [100]),
        (UTIL, "p", [START * 1_000], [440_000]),
    ]


def test_rows_of_parquet_without_a_time_or_a_metric_are_quarantined_and_other_metrics_left_out() -> None:
    found = parsed(
        parquet(timestamp=[START * 1_000, None, START * 1_000], metric=[UTIL, UTIL, "DCGM_FI_DEV_GPU_TEMP"],
                value=["44", "45", "60"], uuid=["GPU-1"] * 3)
    )  # fmt: skip

    assert (found.records, len(found.frame), found.steps_ignored) == (3, 1, 1)
    assert [each.line for each in found.quarantined] == [2]


@pytest.mark.parametrize(
    "columns, reason",
    [
        ({"UUID": ["GPU-1"], "metric": [UTIL], "value": [1]}, "needed are timestamp"),
        ({"timestamp": [0], "UUID": ["GPU-1"], "temperature": [1]}, "needed are timestamp"),
        ({"timestamp": [datetime(2026, 7, 8)], "metric": [UTIL], "value": [1], "UUID": ["x"]}, "names no instant"),  # noqa: DTZ001
    ],
)
def test_parquet_without_the_columns_that_are_needed_is_refused(columns: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnreadableExtract, match=reason):
        parsed(parquet(**columns))


NUMBERS = st.one_of(
    st.floats(allow_nan=False, width=32).map(str),
    st.integers(0, 100).map(str),
    st.sampled_from(
        ["NaN", "+Inf", "1e+03", "", "0.0000005", "9223372036854775794", "N/A", "1,2", '"', "\\n", "]]", "ü"]
    ),
)
LABELS = st.sampled_from(['a"b', '"values":[[1,"2"]]', "c]],[d", "\\", "e, f", "ü", '{"metric":'])


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([SM, UTIL, "DCGM_FI_DEV_GPU_TEMP"]),
            LABELS,
            st.dictionaries(st.integers(0, 86_399_999).map(lambda ms: ms / 1_000), NUMBERS, max_size=6),
        ),
        max_size=5,
    )
)
def test_what_is_read_in_bulk_is_what_is_read_one_by_one(
    elements: list[tuple[str, str, dict[float, object]]],
) -> None:
    answer = matrix(*(series(metric, samples, pod=label) for metric, label, samples in elements))

    in_bulk = parsed(answer)
    one_by_one = parsed(json.dumps(orjson.loads(answer)))  # spaces between samples, so the slow way

    assert in_bulk.frame.equals(one_by_one.frame)
    assert (in_bulk.records, in_bulk.ignored_reasons) == (one_by_one.records, one_by_one.ignored_reasons)


def test_a_list_as_prometheus_spells_it_is_cut_out_and_one_in_a_label_is_not() -> None:
    found = scanned(matrix(series(SM, {0: "0.25", 30.5: "NaN"}, pod='"values":[[1,"2"]]'), series(SM, {0: 1})))

    assert found is not None
    assert found.samples.rows() == [(START, "0.25"), (START + 30.5, "NaN"), (START, "1")]
    assert [each["values"] for each in orjson.loads(found.skeleton)["data"]["result"]] == [2, 1]
