"""DCGM telemetry as the Prometheus HTTP API answers: a matrix for each metric and stretch of time, JSON.

Labels are what Prometheus makes of an exporter's: its own pod stands in `pod`, the workload's in `exported_pod`. A GPU
in MIG mode has a row of its own beside those of its slices; power is known of whole GPUs only. Not here: what is read
(scraping.py).
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from chargeback.simulation.calendar_days import AFTER_MIDNIGHT, MINUTE, SimulatedDays, instant_of
from chargeback.simulation.device_activity import FULL, Holding, Reading
from chargeback.simulation.estate_plan import CLUSTERS, Device, Host
from chargeback.simulation.made import Made, compressed
from chargeback.simulation.scraping import (
    STALENESS_SCRAPES,
    Disturbances,
    Labels,
    Scrape,
    scrape_instants,
    scrapes_of,
)
from chargeback.simulation.truth_activity import Sampled

POWER = "DCGM_FI_DEV_POWER_USAGE"
METRICS = ("DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_GR_ENGINE_ACTIVE", POWER, "DCGM_FI_DEV_FB_USED")
SENTINEL = "9223372036854775794"
MOST_SCRAPES_AN_OBJECT = 400_000

ACTIVITY_TEXTS = tuple(f"{value / FULL:.4f}".rstrip("0").rstrip(".") for value in range(FULL + 1))

Series = dict[Labels, list[str]]


@dataclass(frozen=True, slots=True)
class Telemetry:
    """What the exporters of one cluster say: written once a day, with a few scrapes of the day before."""

    cluster: str
    hosts: Sequence[Host]
    days: SimulatedDays
    scrape_seconds: int
    disturbances: Disturbances

    @property
    def staleness(self) -> int:
        """Seconds that a sample holds at most."""
        return STALENESS_SCRAPES * self.scrape_seconds

    def objects_of(
        self, day: int, holdings: Mapping[str, Sequence[Holding]], noted: dict[str, list[Sampled]]
    ) -> Iterator[Made]:
        """The day's objects; every valid sample is also added to `noted`, per device.

        `holdings`: per device those that have it near the day.
        """
        starts, ends = self.days.starts[day] - self.staleness, self.days.starts[day + 1]
        for part, hosts in enumerate(self._groups(ends - starts)):
            series: dict[str, Series] = {metric: defaultdict(list) for metric in METRICS}
            for host in hosts:
                instants = scrape_instants(host.name, self.scrape_seconds, starts, ends)
                for device in host.devices:
                    scrapes = list(
                        scrapes_of(host, device, holdings.get(device.identity, ()), self.disturbances, instants,
                                   self.days)
                    )  # fmt: skip
                    noted[device.identity] = [_sampled(device, scrape) for scrape in scrapes if not scrape.is_blank]
                    self._write(series, host, device, scrapes)
                self._write_cut_gpus(series, host, instants)
            for number, metric in enumerate(METRICS):
                at = ends + AFTER_MIDNIGHT + (part * len(METRICS) + number) * MINUTE // 10
                yield Made("dcgm", self.cluster, compressed(_matrix(metric, series[metric])), instant_of(at), "json.gz")

    def _groups(self, seconds: int) -> Iterator[Sequence[Host]]:
        """Hosts whose telemetry of a day goes into one object."""
        group: list[Host] = []
        scrapes = 0
        for host in self.hosts:
            group.append(host)
            scrapes += len(host.devices) * seconds // self.scrape_seconds
            if scrapes >= MOST_SCRAPES_AN_OBJECT:
                yield group
                group, scrapes = [], 0
        if group:
            yield group

    def _write(self, series: dict[str, Series], host: Host, device: Device, scrapes: Sequence[Scrape]) -> None:
        """Put every scrape under its labels, and once more under those of a second exporter."""
        base, second = self._labels(host, device), self._labels(host, device, second=True)
        doubled = self.disturbances.doubled.get(host.name, (0, 0))
        stamps = [f"[{scrape.at // 1000}.{scrape.at % 1000:03}," for scrape in scrapes]
        texts = zip(*(_texts(scrape) for scrape in scrapes), strict=True)
        pairs = [
            [f'{stamp}"{text}"]' for stamp, text in zip(stamps, of_metric, strict=True)] for of_metric in texts
        ]  # fmt: skip
        under = [
            (scrape.labels, doubled[0] * 1000 <= scrape.at < doubled[1] * 1000) for scrape in scrapes
        ]  # fmt: skip
        for (labels, is_doubled), alike in groupby(range(len(scrapes)), key=under.__getitem__):
            indices = list(alike)
            for metric, of_metric in zip(METRICS, pairs, strict=True):
                if metric == POWER and device.instance:
                    continue
                for each in labels:
                    series[metric][(*base, *each)] += of_metric[indices[0] : indices[-1] + 1]
                if is_doubled:
                    series[metric][second] += of_metric[indices[0] : indices[-1] + 1]

    def _write_cut_gpus(self, series: dict[str, Series], host: Host, instants: range) -> None:
        """Rows of whole GPUs in MIG mode: what their slices do does not stand there."""
        for gpu in host.gpus:
            if gpu.kind == "cut":
                nothing = Reading(0, 0, gpu.model.idle_deciwatts, 0)
                self._write(series, host, gpu, [Scrape(at, nothing, False, ((),)) for at in instants])

    def _labels(self, host: Host, device: Device, *, second: bool = False) -> Labels:
        port = 9401 if second else 9400
        labels = {
            "DCGM_FI_DRIVER_VERSION": "550.90.07",
            "Hostname": host.name,
            "UUID": device.uuid,
            "device": f"nvidia{device.minor}",
            "gpu": str(device.nvml_index),
            "instance": f"{host.name}:{port}",
            "job": "dcgm-trial" if second else "dcgm-exporter",
            "modelName": device.model.product,
        }
        if device.instance:
            labels |= {"GPU_I_ID": device.instance, "GPU_I_PROFILE": device.profile}
        if CLUSTERS[self.cluster] == "kubernetes":
            pod = f"{'dcgm-trial' if second else 'dcgm-exporter'}-{host.name[-2:]}x7f"
            labels |= {"container": "nvidia-dcgm-exporter", "namespace": "gpu-operator", "pod": pod}
        return tuple(labels.items())


def _sampled(device: Device, scrape: Scrape) -> Sampled:
    reading = scrape.reading
    milliwatts = None if device.instance else reading.deciwatts * 100
    return Sampled(scrape.at, reading.active * 100, reading.running * 100, milliwatts)


def _texts(scrape: Scrape) -> tuple[str, str, str, str]:
    if scrape.is_blank:
        return SENTINEL, SENTINEL, SENTINEL, SENTINEL
    reading = scrape.reading
    watts = f"{reading.deciwatts // 10}.{reading.deciwatts % 10}"
    return ACTIVITY_TEXTS[reading.active], ACTIVITY_TEXTS[reading.running], watts, str(reading.fb_mebibytes)


def _matrix(metric: str, series: Series) -> bytes:
    results = [
        f'{{"metric":{json.dumps({"__name__": metric, **dict(labels)}, sort_keys=True, separators=(",", ":"))},'
        f'"values":[{",".join(pairs)}]}}'
        for labels, pairs in series.items()
    ]
    return f'{{"status":"success","data":{{"resultType":"matrix","result":[{",".join(results)}]}}}}\n'.encode()
