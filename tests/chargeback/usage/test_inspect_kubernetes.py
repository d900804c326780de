"""What a file of Kubernetes objects or telemetry is, and what it would bill, before anything is set up."""

import json
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.usage.extract_kinds import kind_of
from chargeback.usage.inspect_extract import inspect_extract
from chargeback.usage.inspection import Inspection
from tests.tables import CASES, instant, shared_file

UTC = ZoneInfo("UTC")
END_OF_DAY = instant("2026-07-09T00:00Z")

PROLOG_MAP = b"job_id|start_epoch|host|uuids|end_epoch\n7|1783468800|n1|GPU-a,GPU-b|\n8|soon|n1|GPU-c|\n"
DEVICE_MAP = b"host,minor,nvml_index,uuid\nn1,0,6,GPU-a\nn1,4,0,GPU-b\n"
EXPOSITION = b'# TYPE DCGM_FI_DEV_GPU_UTIL gauge\nDCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-a"} 5\n'


def inspect(content: bytes, **more) -> Inspection:
    found = inspect_extract(content, name="f", cluster="k8s-b", zone=None, billing_zone=UTC, **more)
    shown = found.as_json()
    parts = sum(found.ignored.values()) + len(found.quarantined) + len(found.unknown_gpu_count) + found.holds
    assert found.records == parts
    assert json.loads(json.dumps(shown, default=str)) == shown
    for sums in (found.by_accelerator, found.by_account, found.by_cluster, found.by_month):
        assert sum(sums.values(), Fraction(0)) == found.gpu_seconds
    return found


def a_pod(name: str, **limits: str) -> dict[str, object]:
    """A pod that held from nine to ten; limits as gpu="1"."""
    times = {"startedAt": "2026-07-03T09:00:00Z", "finishedAt": "2026-07-03T10:00:00Z"}
    return {
        "kind": "Pod", "apiVersion": "v1",
        "metadata": {"name": name, "namespace": "team-a", "uid": name, "creationTimestamp": "2026-07-03T09:00:00Z"},
        "spec": {"nodeName": "n1", "restartPolicy": "Never", "containers": [
            {"name": "c", "resources": {"limits": {f"nvidia.com/{key}": value for key, value in limits.items()}}}]},
        "status": {"phase": "Succeeded", "containerStatuses": [{"name": "c", "state": {"terminated": times}}],
                   "conditions": [{"type": "PodScheduled", "status": "True",
                                   "lastTransitionTime": "2026-07-03T09:00:00Z"}]},
    }  # fmt: skip


def a_list(*pods: dict[str, object]) -> bytes:
    return json.dumps({"kind": "PodList", "apiVersion": "v1", "items": list(pods)}).encode()


@pytest.mark.parametrize(
    ("content", "source"),
    [
        (b'{"kind":"PodList","items":[]}', "kubernetes/pods"),
        (b'{"kind":"List","items":[{"kind":"Node"}]}', "kubernetes/nodes"),
        (b'{"type":"BOOKMARK","object":{"kind":"Pod"}}\n{"type":"ADDED","object":{"kind":"Pod"}}', "kubernetes/pods"),
        (b'{\n"kind":"Job"}\n{\n"kind":"Job"}\n', "kubernetes/workloads"),
        (b"apiVersion: kueue.x-k8s.io/v1beta1\nkind: Workload\n", "kubernetes/workloads"),
        (b"# said\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: ResourceClaim\nkind: List\n", "kubernetes/claims"),
        (b'{"pod_resources":[]}', "kubernetes/claims"),
        (b'{"kind":"SecretList","items":[]}', "not a source that is read"),
        (b'{"status":"success","data":{"resultType":"matrix","result":[]}}', "dcgm"),
        (b"PAR1....", "dcgm"),
        (EXPOSITION, "dcgm"),
        (PROLOG_MAP, "slurm/bindings"),
        (DEVICE_MAP, "slurm/devices"),
    ],
)  # fmt: skip
def test_a_file_is_named_by_its_shape(content: bytes, source: str) -> None:
    assert kind_of(content) == source


def test_the_worked_day_bills_its_pods_by_namespace_and_accelerator() -> None:
    pods = shared_file("worked-day", "pods.json").read_bytes()
    nodes = shared_file("worked-day", "nodes.json").read_bytes()

    found = inspect(pods, nodes=nodes, extracted_at=END_OF_DAY, aliases={"nvidia-a100-sxm4-80gb": "a100-sxm4-80gb"})

    assert found.source == "kubernetes/pods"
    assert (found.records, found.holds, found.ignored) == (5, 4, {"never scheduled": 1})
    assert found.by_accelerator == {"a100-sxm4-80gb": 230_400}
    assert found.by_account == {"nlp": 14_400, "serving": 93_600, "vision": 122_400}
    assert found.running == (("serving/serve-7c9", 93_600),)


def test_what_still_runs_counts_to_the_last_instant_of_the_file_where_nobody_says_more() -> None:
    pods = shared_file("worked-day", "pods.json").read_bytes()

    found = inspect(pods)

    assert found.running[0] == ("serving/serve-7c9", 72_000)


def test_every_pod_is_held_ignored_for_a_reason_unknown_or_quarantined() -> None:
    waiting, unreadable = a_pod("waits", gpu="1"), a_pod("odd", gpu="1")
    waiting["spec"] = {"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}
    waiting["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False"}]}
    unreadable["metadata"] = {"name": "odd", "namespace": "team-a", "uid": "odd", "creationTimestamp": "yesterday"}
    pods = [a_pod("two", gpu="2"), a_pod("cpu"), a_pod("part", gpu="1", gpumem="a lot"), waiting, unreadable]

    found = inspect(a_list(*pods))

    assert (found.holds, found.gpu_seconds) == (1, 7200)
    assert found.ignored == {"never scheduled": 1, "no GPUs": 1}
    assert found.unknown_gpu_count == (("team-a/part", 3600),)
    assert [(each.line, "odd" in each.reason) for each in found.quarantined] == [(5, True)]


def test_watch_events_of_one_pod_are_one_pod() -> None:
    events = [{"type": kind, "object": a_pod("p", gpu="1")} for kind in ("ADDED", "MODIFIED", "DELETED")]
    bookmark = {"type": "BOOKMARK", "object": {"kind": "Pod", "metadata": {"resourceVersion": "7"}}}
    lines = [json.dumps(each) for each in [*events, bookmark]]

    found = inspect("\n".join(lines).encode())

    assert (found.records, found.holds, found.gpu_seconds) == (4, 1, 3600)
    assert found.ignored["another observation of the same pod counts"] == 2


@pytest.mark.parametrize("case", ["K01", "K02"])
def test_a_case_that_others_got_wrong_bills_its_right_value(case: str) -> None:
    expected = {"K01": 14_400, "K02": 1_200}

    found = inspect((CASES / case / "pod.json").read_bytes())

    assert found.gpu_seconds == expected[case]


def test_a_prolog_map_names_the_line_that_cannot_be_read() -> None:
    found = inspect(PROLOG_MAP)

    assert (found.source, found.holds, found.ignored) == ("slurm/bindings", 0, {"bills nothing by itself": 1})
    assert [each.line for each in found.quarantined] == [3]


def test_a_device_map_bills_nothing_by_itself() -> None:
    found = inspect(DEVICE_MAP)

    assert (found.source, found.records, found.ignored) == ("slurm/devices", 2, {"bills nothing by itself": 2})


def test_the_worked_day_s_telemetry_says_its_devices_coverage_and_sentinels() -> None:
    told = inspect(shared_file("worked-day", "sm_active.json").read_bytes()).telemetry

    assert told is not None
    assert (told.devices, told.slices, told.hosts, told.samples) == (4, 0, 1, 5_699)
    assert (told.seen_from, told.seen_until) == (instant("2026-07-07T23:59:15Z"), instant("2026-07-08T23:59:18Z"))
    assert told.scrape_seconds == 60
    assert told.expected_milliseconds == 4 * 86_400_000
    assert 0 < told.active_milliseconds < told.observed_milliseconds < told.expected_milliseconds
    assert told.activity_metrics == {"DCGM_FI_PROF_SM_ACTIVE": 4}
    assert told.labelled == {"pod": 4}
    assert told.faults["sentinels"] == 5


def test_a_gap_in_telemetry_is_not_observed() -> None:
    instants = [0, 30, 60, 600, 630]
    values = [[at, "0.5"] for at in instants]
    result = [{"metric": {"__name__": "DCGM_FI_PROF_SM_ACTIVE", "UUID": "GPU-a", "Hostname": "n1"}, "values": values}]
    answer = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}).encode()

    told = inspect(answer).telemetry

    assert told is not None
    assert (told.scrape_seconds, told.expected_milliseconds) == (30, 630_000)
    assert told.observed_milliseconds == told.active_milliseconds == (30 + 30 + 90 + 30) * 1000


def test_a_single_scrape_has_devices_and_no_coverage() -> None:
    told = inspect(EXPOSITION).telemetry

    assert told is not None
    assert (told.devices, told.samples, told.seen_from, told.scrape_seconds) == (1, 1, None, None)
    assert told.expected_milliseconds == 0


def test_identical_values_of_time_sliced_pods_are_one_sample() -> None:
    told = inspect(shared_file("data", "dcgm", "07_time_sliced_identical_values.prom").read_bytes()).telemetry

    assert told is not None
    assert (told.devices, told.samples, told.faults["duplicates"]) == (1, 1, 2)


def test_an_error_kept_instead_of_an_answer_is_one_line() -> None:
    found = inspect(b'{"status":"error","errorType":"timeout","error":"query timed out"}')

    assert found.problem
    assert "query timed out" in found.problem


DAMAGED = (
    ("worked-day", "pods.json"),
    ("data", "k8s", "ceems", "pods-metadata.json"),
    ("data", "k8s", "kai_gpu_fraction_pod.yaml"),
    ("data", "k8s", "dra_resourceclaim_allocated.yaml"),
    ("data", "k8s", "dra_resourceslice.yaml"),
    ("data", "k8s", "ceems", "nvidia-pod-resources.json"),
    ("data", "dcgm", "04_mig_parent_and_instance_rows.prom"),
)
REPLACEMENTS = (b"", b"null", b"{", b"}", b'"', b"[]", b"-1", b"9" * 40, b"\xff\xfe", b"\n", b": ", b"\x00", b"true")


@pytest.mark.parametrize("parts", DAMAGED, ids=lambda parts: parts[-1])
@settings(max_examples=60, deadline=None)
@given(where=st.floats(0, 1), length=st.integers(0, 40), put=st.sampled_from(REPLACEMENTS))
def test_a_damaged_file_is_an_answer_and_never_a_stack_trace(
    parts: tuple[str, ...], where: float, length: int, put: bytes
) -> None:
    content = shared_file(*parts).read_bytes()
    at = int(where * len(content))

    found = inspect(content[:at] + put + content[at + length :])

    assert found.problem is None or "\n" not in found.problem


@settings(max_examples=60, deadline=None)
@given(
    key=st.sampled_from(["metadata", "spec", "status", "kind", "apiVersion"]),
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("2026-07-03T09:00:00Z"),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
            ["name", "uid", "containers", "conditions", "phase", "labels", "limits"]), inner, max_size=3),
        max_leaves=8,
    ),
)  # fmt: skip
def test_a_pod_with_an_odd_part_is_counted_once(key: str, value: object) -> None:
    odd = a_pod("odd", gpu="1") | {key: value}

    found = inspect(a_list(a_pod("whole", gpu="1"), odd))

    assert found.records == 2
    assert found.gpu_seconds >= 3600
