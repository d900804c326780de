"""A simulated estate as a whole: the same from the same seed, with everything in it that it is there to show."""

import hashlib
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from itertools import chain, pairwise

import pytest

from chargeback.simulation.estate_plan import CLUSTERS, KUBERNETES, SLURM, Host, plan_estate
from chargeback.simulation.made import Made
from chargeback.simulation.simulate import simulated_estate
from resources.landing import SOURCES
from tests.chargeback.simulation.simulated import SimulatedEstate, content_of, month_end, simulated, small_estate
from tests.chargeback.simulation.simulated_days import parsed

SHOWN = {
    "crosses the first day's start", "crosses midnight", "still running at the end", "node failed",
    "on a draining node", "inside a reservation", "several hosts", "several hosts unevenly", "whole node", "MIG slice",
    "job array", "heterogeneous job", "requeued", "preempted", "preempts", "ran into its limit", "out of memory",
    "failed", "cancelled", "a few seconds", "held for no time", "suspended", "idle holder", "starved", "poker",
    "unmapped account", "shared account", "never started", "without GPUs", "service on a slice",
    "image pulled for long", "held and never ran", "evicted", "never scheduled", "gone unseen",
    "Ray cluster after its job", "queued by Kueue", "quota without pods", "init container asks most",
    "same name twice", "mislabelled", "unmapped namespace", "shared namespace", "several pods of one group",
    "GPU fraction", "reservation pod of a fraction", "vGPU", "time slice", "on a cordoned node", "host: down",
    "host: drain", "host: planned", "host: reserved", "node: not ready", "node: cordon", "telemetry gap",
    "blank values", "second exporter", "job map left behind", "busy though nobody holds it",
    "labels that stay after the end", "corrupt object", "overlapping extracts", "node listing landed twice",
    "pod listing landed twice",
}  # fmt: skip
"""What every estate has, however small."""


def _digest(objects: Iterable[Made]) -> str:
    digest = hashlib.sha256()
    for made in objects:
        digest.update(f"{made.source} {made.cluster} {made.extracted_at} {made.extension}\n".encode())
        digest.update(made.content)
    return digest.hexdigest()


def _smallest(seed: int, first_day: str = "2026-10-01") -> Iterable[Made]:
    return simulated_estate(gpus=16, days=3, seed=seed, first_day=date.fromisoformat(first_day))


def test_the_same_arguments_make_the_same_bytes_in_whatever_process() -> None:
    here = _digest(_smallest(5))
    program = (
        "from tests.chargeback.simulation.test_simulated_estate import _digest, _smallest; print(_digest(_smallest(5)))"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "42"}
    )

    assert _digest(_smallest(5)) == here
    assert elsewhere.stdout.strip() == here


def test_another_seed_is_another_estate() -> None:
    assert _digest(_smallest(5)) != _digest(_smallest(6))


def test_the_truth_is_the_same_too_and_changes_no_byte() -> None:
    first, second = (simulated.__wrapped__(16, 3, "2026-10-01", seed=5) for _ in range(2))

    assert first.truth.as_json() == second.truth.as_json()
    assert _digest(first.objects) == _digest(_smallest(5))


@pytest.mark.parametrize(("gpus", "days", "seed"), [(16, 3, 1), (19, 3, 2), (24, 5, 11), (64, 3, 3)])
def test_every_estate_shows_everything_that_it_is_there_to_show(gpus: int, days: int, seed: int) -> None:
    features = simulated(gpus, days, "2026-10-01", seed=seed).truth.features

    assert {name for name in SHOWN if not features[name]} == set()


def test_runs_cross_the_change_of_the_clock_and_the_months_end_where_there_is_one() -> None:
    assert small_estate().truth.features["crosses the change of the clock"] == len(CLUSTERS)
    assert month_end().truth.features["crosses the month's end"] == len(CLUSTERS)
    assert not simulated(16, 3, "2026-10-01", seed=1).truth.features["crosses the month's end"]


@pytest.mark.parametrize("gpus", [16, 17, 23, 32, 64, 256])
def test_an_estate_has_the_gpus_that_were_asked_for_in_both_clusters_and_of_all_kinds(gpus: int) -> None:
    estate = plan_estate(gpus=gpus, seed=1)
    slurm, kubernetes = estate.of(SLURM), estate.of(KUBERNETES)

    assert estate.gpu_count == gpus
    assert _gpus(slurm) == gpus // 2
    assert max(len(host.gpus) for host in estate.hosts) <= 8
    assert {host.model.gres for host in slurm} == {host.model.gres for host in kubernetes} == {"a100", "h100"}
    assert {kind for host in kubernetes for kind in host.kinds} == {"whole", "mig", "fraction", "time-slice", "vgpu"}
    uuids = [gpu.uuid for host in estate.hosts for gpu in host.gpus]
    assert len(set(uuids)) == len(uuids)


def _gpus(hosts: Iterable[Host]) -> int:
    return sum(len(host.gpus) for host in hosts)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"gpus": 15}, "take at least 16"),
        ({"days": 2}, "take at least 3"),
        ({"scrape_seconds": 9}, "take 10 to 3600"),
    ],
)
def test_an_estate_too_small_to_show_everything_is_refused(changes: dict[str, int], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        simulated_estate(**{"gpus": 16, "days": 3, "seed": 1, **changes})  # type: ignore[arg-type]


def _clustered(estate: SimulatedEstate) -> list[tuple[str, str]]:
    return sorted({(made.cluster, made.source) for made in estate.objects if made.cluster})


def test_every_record_is_read_but_those_of_the_object_that_is_broken_on_purpose() -> None:
    estate = small_estate()
    unreadable, quarantined = Counter[str](), Counter[str]()
    for cluster, source in _clustered(estate):
        for made, extract in zip(estate.landed(cluster, source), parsed(estate, cluster, source), strict=True):
            if made.source == source and extract is None:
                unreadable[f"{source} {cluster} {made.extracted_at:%Y-%m-%dT%H:%M:%SZ}"] += 1
            quarantined[source] += len(extract.quarantined) if extract else 0

    broken = estate.truth.quarantined
    assert unreadable == {f"{b['source']} {b['cluster']} {b['extracted_at']}": b["records"] for b in broken}
    assert quarantined.total() == 0
    assert len(broken) == 1


def test_every_source_of_the_landing_that_a_site_has_is_there() -> None:
    sources = {made.source for made in small_estate().objects}

    assert sources <= set(SOURCES)
    assert sources == {
        "slurm/sacct", "slurm/bindings", "slurm/nodes", "slurm/events", "slurm/reservations", "slurm/devices",
        "kubernetes/pods", "kubernetes/nodes", "kubernetes/workloads", "dcgm", "ownership", "rate-cards",
    }  # fmt: skip


def test_extracts_overlap_and_a_listing_lands_twice() -> None:
    estate = small_estate()
    accounting = [content_of(made).decode() for made in estate.landed(SLURM, "slurm/sacct")]
    finished = [{line for line in text.splitlines() if "\x1fCOMPLETED\x1f" in line} for text in accounting]
    twice = Counter(made.content for made in estate.landed(KUBERNETES, "kubernetes/pods"))

    assert all(first & second for first, second in pairwise(finished))
    assert sorted(twice.values())[-1] == 2


def test_states_of_capacity_add_up_in_the_truth_itself() -> None:
    for of_day in chain(*(small_estate().of(cluster).values() for cluster in CLUSTERS)):
        for states in of_day["capacity"].values():
            capacity = Fraction(states["capacity"])

            assert sum(Fraction(text) for state, text in states.items() if state != "capacity") == capacity


def test_a_day_of_thirty_two_gpus_is_small() -> None:
    objects = list(simulated_estate(gpus=32, days=3, seed=1))

    assert sum(len(made.content) for made in objects) / 3 * 31 < 40_000_000
