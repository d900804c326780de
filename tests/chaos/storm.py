"""The storm: a month is billed again and again from nothing, while its processes are killed and its store fails.

A life begins with an empty lake and ends with one undisturbed bill; then what stands there is compared. Lives go on
until enough processes were killed. Not here: what is compared (comparison.py), and the faults (tests/services).
"""

import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.context import ForkServerContext
from pathlib import Path
from urllib.parse import urlsplit

from chargeback.contracts.quarantine import QUARANTINE
from chargeback.simulation.estate_plan import CLUSTERS, SLURM
from orchestration.workspace import open_workspace
from resources.open_store import store_at
from resources.storage_location import StorageLocation
from resources.storage_proof import StorageProof, newest_proof, record_proof
from tests.chaos.attempts import Attempt, BillMonth, Landing, RunDay, RunMonth
from tests.chaos.comparison import Standing, faults_of
from tests.chaos.killing import Ended, attempted
from tests.chaos.small_month import FIRST_DAY, SmallLake, landing_objects
from tests.services.fault_proxy import Fault, FaultProxy, SeededFaults, fault_proxy
from tests.services.seaweedfs import S3Server

MOST_TRIES = 40

NEVER = ("LakeCorruption", "Unreproducible", "ObjectConflict", "ObjectCorrupted", "EvidenceDamaged", "database is")
"""Words of faults that no killing and no failing store excuses."""


@dataclass(frozen=True)
class Ordeal:
    """What a life has to bear.

    `kills`: how often each of its steps is killed before it may end; it may also end by itself before it is killed.
    A life has only the steps named here, over these clusters. `fault_rate`: the part of requests that fail.
    """

    kills: Mapping[type, int]
    fault_rate: float
    clusters: tuple[str, ...]

    @property
    def days(self) -> Sequence[Attempt]:
        """The days to compute, one of each cluster."""
        return [RunDay(cluster, FIRST_DAY) for cluster in self.clusters]

    def steps(self, chance: random.Random, *, is_left_to_bill: bool) -> Sequence[Attempt]:
        """The steps of a life in order; those that a bill would take itself are left to it, or taken one by one."""
        steps: list[Attempt] = [BillMonth()]
        if not is_left_to_bill:
            steps[:0] = [*chance.sample(self.days, len(self.days)), RunMonth()]
        return [each for each in steps if type(each) in self.kills]


WHOLE = Ordeal({Landing: 100, RunDay: 8, RunMonth: 6, BillMonth: 3}, fault_rate=0.05, clusters=tuple(sorted(CLUSTERS)))
BRIEF = Ordeal({Landing: 3, RunDay: 2, RunMonth: 2}, fault_rate=0.01, clusters=(SLURM,))
"""A storm of a minute: one cluster, and the bill over workers only where the storm is over."""


@dataclass
class Figures:
    """What happened in a storm."""

    seed: int
    lives: int = 0
    attempts: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    stopped: Counter[str] = field(default_factory=Counter)
    faults: Counter[Fault] = field(default_factory=Counter)
    requests: int = 0
    seconds: float = 0.0
    compared: int = 0
    differences: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        counted = [f"    {count:>6,} {what}" for what, count in [*self.kills.most_common(), *self.faults.most_common()]]
        stops = [f"    {count:>6,} {what}" for what, count in self.stopped.most_common(12)]
        return "\n".join(
            [
                f"seed {self.seed}: {self.kills.total():,} kills in {self.attempts:,} attempts over {self.lives} lives",
                f"  {self.faults.total():,} faults in {self.requests:,} requests, {self.seconds:,.0f} s",
                *counted,
                f"  attempts that the store stopped: {self.stopped.total():,}",
                *stops,
                f"  {self.compared:,} partitions and objects compared, {len(self.differences)} differences",
                *(f"    {each}" for each in self.differences),
            ]
        )


@dataclass
class Storm:
    """One storm over one server, driven by one seed."""

    server: S3Server
    folder: Path
    seed: int
    context: ForkServerContext
    ordeal: Ordeal = WHOLE

    def __post_init__(self) -> None:
        self.figures = Figures(self.seed)
        self._random = random.Random(self.seed)
        self._landing = Landing(landing_objects(self.seed, self.ordeal.clusters))
        self._seconds: dict[type, float] = {}
        self._proof: StorageProof | None = None

    def until(self, kills: int) -> Figures:
        """Live through month after month until so many processes were killed, or one month ended otherwise."""
        begun = time.monotonic()
        expected = self._undisturbed()
        port = urlsplit(self.server.endpoint_url).port or 0
        with fault_proxy(port, SeededFaults(self.seed, self.ordeal.fault_rate)) as proxy:
            while self.figures.kills.total() < kills and not self.figures.differences:
                self._life(proxy, expected)
                self.figures.requests, self.figures.faults = proxy.requests, proxy.faults
                self.figures.seconds = time.monotonic() - begun
        return self.figures

    def _undisturbed(self) -> Standing:
        """The same month on a lake of its own, with no proxy and no kill; it also says how long each attempt takes."""
        location = self.server.proven_location()
        self._proof = newest_proof(store_at(location), location)
        lake = SmallLake.written(self.folder / "calm", location, self.ordeal.clusters)
        # The first process waits for the fork server to start; landing twice takes as long as landing goes on taking.
        steps: list[Attempt] = [self._landing, self._landing, *self.ordeal.days, RunMonth(), BillMonth()]
        for attempt in steps:
            begun = time.monotonic()
            ended = attempted(self.context, attempt, lake.config, kill_after=None, chance=self._random)
            assert ended.is_done, (attempt, ended)
            self._seconds[type(attempt)] = time.monotonic() - begun
        workspace = open_workspace(lake.settings)
        assert not (faults := faults_of(workspace)), faults
        standing = Standing.of(workspace)
        assert any(key.startswith(f"{QUARANTINE.table}|") for key in standing.contents)
        assert any(key.endswith("lines.csv") for key in standing.objects)
        return standing

    def _life(self, proxy: FaultProxy, expected: Standing) -> None:
        """From an empty lake to a billed one; every second life leaves all runs to the bill's own workers."""
        self.figures.lives += 1
        calm, folder = self.server.fresh_location(), self.folder / f"life-{self.figures.lives}"
        stormy = SmallLake.written(folder, replace(calm, endpoint_url=proxy.endpoint_url), self.ordeal.clusters)
        for location in (calm, stormy.settings.location):
            self._trust(location)
        is_left_to_bill = self.figures.lives % 2 == 0
        steps: list[Attempt] = [self._landing]
        steps += self.ordeal.steps(self._random, is_left_to_bill=is_left_to_bill)
        for attempt in steps:
            self._insist(attempt, stormy)
        lake = SmallLake.written(folder, calm, self.ordeal.clusters)
        last = attempted(self.context, BillMonth(), lake.config, kill_after=None, chance=self._random)
        workspace = open_workspace(lake.settings)
        standing = Standing.of(workspace)
        self.figures.compared += len(standing.contents) + len(standing.objects)
        found = [*(last.reasons if not last.is_done else ()), *faults_of(workspace), *standing.differences_to(expected)]
        self.figures.differences += [f"life {self.figures.lives} {calm.root}: {each}" for each in found]

    def _trust(self, location: StorageLocation) -> None:
        """Record under a new prefix, and for the address of the proxy, what was found of this very server."""
        assert self._proof is not None
        address = location.endpoint_url or ""
        record_proof(store_at(location), replace(self._proof, prefix=location.prefix, endpoint_url=address))

    def _insist(self, attempt: Attempt, lake: SmallLake) -> None:
        """Kill as many tries as a step of a life has to bear, then let it come to its end."""
        to_kill = self.ordeal.kills[type(attempt)]
        for number in range(to_kill + MOST_TRIES):
            # Early moments more often: every try passes them again, and goes on where the one before it died.
            moment = self._random.random() ** 3 * self._seconds[type(attempt)] if number < to_kill else None
            begun = time.monotonic()
            ended = attempted(self.context, attempt, lake.config, kill_after=moment, chance=self._random)
            if ended.is_done:  # a machine that was busy when the calm month was timed would let later ones slip through
                self._seconds[type(attempt)] = min(self._seconds[type(attempt)], time.monotonic() - begun)
            self._note(attempt, ended)
            self.folder.joinpath("figures.txt").write_text(f"{self.figures}\n")
            if ended.is_done:
                return
        self.figures.differences.append(f"{attempt}: not done after {number + 1} tries; at last {ended.reasons}")

    def _note(self, attempt: Attempt, ended: Ended) -> None:
        self.figures.attempts += 1
        if ended.killed:
            self.figures.kills[ended.killed] += 1
        elif ended.reasons:
            self.figures.stopped[f"{type(attempt).__name__}: {ended.reasons[0][:160]}"] += 1
        said = " ".join((*ended.reasons, ended.said))
        name = type(attempt).__name__
        self.figures.differences += [f"{name}: {said[-600:]}" for word in NEVER if word in said]
