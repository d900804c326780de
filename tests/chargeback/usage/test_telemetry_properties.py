"""Any day of telemetry, against a slow reading of the same rules, sample by sample."""

from collections import defaultdict
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chargeback.usage.telemetry import ENGINE, FB, SM, UTIL, matrix, observed, series, telemetry_said

GRID = 30
STALENESS = 90
NUMBERS = ("0", "0.25", "1", "140737488355328", "77")
VALUES: dict[str, int | None] = {"0": 0, "0.25": 250_000, "1": 1_000_000}
PER_CENT: dict[str, int | None] = {"0": 0, "0.25": 2_500, "1": 10_000, "77": 770_000}
MEBIBYTES: dict[str, int | None] = {"0": 0, "0.25": 0, "1": 1, "77": 77}
READ = {SM: VALUES, ENGINE: VALUES, UTIL: PER_CENT, FB: MEBIBYTES}


@dataclass(frozen=True)
class OneSeries:
    """A series of one device: its metric, slice, pod, job, and samples."""

    gpu: int
    gpu_instance: str
    metric: str
    pod: str
    job: str
    samples: tuple[tuple[int, str], ...]

    def element(self) -> dict[str, object]:
        """As Prometheus answers it."""
        labels = {"UUID": f"GPU-{self.gpu}", "GPU_I_ID": self.gpu_instance, "pod_name": self.pod, "hpc_job": self.job}
        said = {at * GRID: value for at, value in self.samples}
        return series(self.metric, said, **{name: value for name, value in labels.items() if value})  # type: ignore[arg-type]


SERIES = st.builds(
    OneSeries,
    gpu=st.integers(0, 1),
    gpu_instance=st.sampled_from(["", "", "", "1", "2"]),
    metric=st.sampled_from([SM, ENGINE, UTIL, FB]),
    pod=st.sampled_from(["", "a", "b"]),
    job=st.sampled_from(["", "", "5", "6"]),
    samples=st.dictionaries(st.integers(-4, 12), st.sampled_from(NUMBERS), max_size=10).map(
        lambda said: tuple(sorted(said.items()))
    ),
)
ESTATES = st.lists(SERIES, max_size=6, unique_by=lambda one: (one.gpu, one.gpu_instance, one.metric, one.pod, one.job))

Instants = dict[int, dict[str, set[int]]]


def _said_of_devices(estate: list[OneSeries]) -> dict[tuple[int, str], Instants]:
    """Device -> instant -> metric -> the valid values that stand there. Of a partitioned GPU only slices."""
    window = [(one, at, value) for one in estate for at, value in one.samples if at * GRID >= -STALENESS]
    of_day = {one.gpu for one, at, _ in window if at >= 0}
    partitioned = {one.gpu for one, at, _ in window if one.gpu_instance and (at >= 0 or one.gpu not in of_day)}
    devices: dict[tuple[int, str], Instants] = {}
    for one, at, text in window:
        if one.gpu in partitioned and not one.gpu_instance:
            continue
        said = devices.setdefault((one.gpu, one.gpu_instance), defaultdict(lambda: defaultdict(set)))
        value = READ[one.metric].get(text)
        instant = said[at]
        if value is not None:
            instant[one.metric].add(value)
    return devices


def _sampled(said: Instants, preference: tuple[str, ...]) -> dict[int, int]:
    """Instant -> value of the best metric: one that has a value on the day, else any."""
    valued = {
        metric: {at: next(iter(values[metric])) for at, values in said.items() if len(values[metric]) == 1}
        for metric in preference
    }
    for metric in preference:
        if any(at >= 0 for at in valued[metric]):
            return valued[metric]
    return next((found for found in valued.values() if found), {})


def _expected(estate: list[OneSeries]) -> list[tuple[object, ...]]:
    """gpu, slice, instant, activity, running, frame buffer of every sample, by the rules as they are told."""
    rows: list[tuple[object, ...]] = []
    for (gpu, gpu_instance), said in _said_of_devices(estate).items():
        preference = (SM, ENGINE) if gpu_instance else (SM, ENGINE, UTIL)
        readings = [_sampled(said, preference), _sampled(said, preference[1:]), _sampled(said, (FB,))]
        carried = {max(at for at in reading if at < 0) for reading in readings if any(at < 0 for at in reading)}
        for at in sorted({at for reading in readings for at in reading}):
            if at >= 0 or at in carried:
                rows.append((f"GPU-{gpu}", gpu_instance, at * GRID * 1_000, *(reading.get(at) for reading in readings)))
    return sorted(rows, key=lambda row: (str(row[0]), str(row[1]), int(str(row[2]))))


@given(ESTATES)
@settings(max_examples=80, deadline=None)
def test_every_sample_is_what_a_slow_reading_of_the_rules_makes_of_it(estate: list[OneSeries]) -> None:
    day = telemetry_said(observed(matrix(*(one.element() for one in estate))), staleness=STALENESS)

    names = day.devices.select("device", "gpu", "gpu_instance").unique()
    found = day.samples.join(names, on="device", how="left", validate="m:1").sort(
        "gpu", "gpu_instance", "at_milliseconds"
    )
    columns = ("gpu", "gpu_instance", "at_milliseconds", "active_ppm", "running_ppm", "fb_used_mebibytes")
    assert found.select(columns).rows() == _expected(estate)


@given(ESTATES, st.randoms(use_true_random=False), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_neither_order_nor_number_of_objects_changes_anything(
    estate: list[OneSeries], order: object, parts: int
) -> None:
    elements = [one.element() for one in estate]
    shuffled = list(elements)
    order.shuffle(shuffled)  # type: ignore[attr-defined]

    whole = telemetry_said(observed(matrix(*elements)))
    cut = telemetry_said(observed(*(matrix(*shuffled[part::parts]) for part in range(parts)), matrix(*elements)))

    assert cut.devices.equals(whole.devices)
    assert cut.samples.equals(whole.samples)


@given(ESTATES)
@settings(max_examples=60, deadline=None)
def test_each_value_of_the_day_is_a_sample_or_counted_as_what_it_is_instead(estate: list[OneSeries]) -> None:
    day = telemetry_said(observed(matrix(*(one.element() for one in estate))), staleness=STALENESS)

    said = sum(at >= 0 for one in estate for at, _ in one.samples)
    left_out = sum(day.counted("sentinels", "impossible", "duplicates", "parent_values"))
    devices = _said_of_devices(estate)
    of_day = [said for instants in devices.values() for at, metrics in instants.items() if at >= 0
              for said in metrics.values()]  # fmt: skip
    assert said == left_out + sum(len(values) == 1 for values in of_day) + _contradicting_values(estate, devices)
    assert day.counted("conflicts") == (sum(len(values) > 1 for values in of_day),)


def _contradicting_values(estate: list[OneSeries], devices: dict[tuple[int, str], Instants]) -> int:
    """How many values stand at instants of the day where series of one device and metric say different things."""
    return sum(
        len(devices[one.gpu, one.gpu_instance][at][one.metric]) > 1
        for one in estate
        for at, text in one.samples
        if (one.gpu, one.gpu_instance) in devices and at >= 0 and READ[one.metric].get(text) is not None
    )
