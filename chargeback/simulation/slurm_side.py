"""The Slurm cluster, day by day: what it plans, and the objects that a night's extracts are.

Not here: the formats (sacct_writer.py, slurm_listing_writer.py), telemetry (dcgm_writer.py).
"""

from collections import Counter
from collections.abc import Iterator
from zoneinfo import ZoneInfo

from chargeback.simulation.bookings import FOREVER
from chargeback.simulation.calendar_days import AFTER_MIDNIGHT, HOUR, MINUTE, SimulatedDays, instant_of
from chargeback.simulation.disturbed_telemetry import slurm_disturbances
from chargeback.simulation.estate_plan import SLURM, Estate, owners_of
from chargeback.simulation.made import Made
from chargeback.simulation.sacct_writer import ExtractWindow, sacct_text
from chargeback.simulation.scraping import Disturbances
from chargeback.simulation.slurm_arrivals import arrivals_of
from chargeback.simulation.slurm_desk import SlurmDesk
from chargeback.simulation.slurm_host_scenes import place_host_scenes
from chargeback.simulation.slurm_listing_writer import (
    device_map,
    event_table,
    job_details,
    node_listing,
    prolog_lines,
    reservation_table,
)
from chargeback.simulation.slurm_run import HostSpell, SlurmRun
from chargeback.simulation.slurm_scenes import CPU_HOST, place_edge_scenes, place_job_scenes
from chargeback.simulation.slurm_stage import SlurmStage
from chargeback.simulation.truth import RunFact
from chargeback.simulation.truth_capacity import CapacitySpell

SAMPLED_AT_HOURS = (0.5, 6.5, 12.5, 18.5)
STATES_OF_SPELLS = {
    "down": "out_of_service_unplanned",
    "drain": "out_of_service_unplanned",
    "planned": "out_of_service_planned",
    "reserved": "reserved_unused",
}


class SlurmSide:
    """Runs and spells that can still matter; earlier ones are forgotten."""

    cluster = SLURM

    def __init__(self, estate: Estate, days: SimulatedDays, seed: int) -> None:
        self.hosts = estate.of(SLURM)
        self._days, self._seed = days, seed
        self._zone: ZoneInfo = days.zone
        self._desk = SlurmDesk(estate, days, seed)
        stage = SlurmStage(self._desk)
        for place in (place_edge_scenes, place_host_scenes, place_job_scenes):
            place(stage)
        self.runs: list[SlurmRun] = stage.runs
        self.spells: list[HostSpell] = stage.spells
        self._planned: list[SlurmRun] = list(stage.runs)
        self.without_prolog = self.hosts[1].name

    def plan(self, day: int) -> None:
        """Let people submit on that day."""
        arrived = list(arrivals_of(self._desk, day, self._seed))
        self.runs += arrived
        self._planned += arrived

    def forget(self, before: int) -> None:
        """Drop what ended before an instant."""
        self.runs = [run for run in self.runs if run.ended is None or run.ended >= before or run.submitted >= before]
        self._desk.bookings.forget(before)

    def newly_planned(self) -> list[RunFact]:
        """Facts of what was planned since this was last asked."""
        facts = [fact_of(run) for run in self._planned]
        self._planned = []
        return facts

    def facts(self) -> list[RunFact]:
        """Facts of all runs that can still matter."""
        return [fact_of(run) for run in self.runs]

    def disturbances(self) -> Disturbances:
        """What goes wrong with the telemetry of its hosts."""
        return slurm_disturbances(self.hosts, self._days)

    def shown(self) -> Counter[str]:
        """What is there to see beside runs."""
        of_hosts = Counter(f"host: {spell.kind}" for spell in self.spells)
        return of_hosts + Counter({"node listing landed twice": 1, "overlapping extracts": self._days.count - 1})

    def capacity_spells(self) -> list[CapacitySpell]:
        """What befalls hosts, in the states of capacity."""
        return [CapacitySpell(each.host, STATES_OF_SPELLS[each.kind], each.starts, each.ends) for each in self.spells]

    def objects(self, day: int) -> Iterator[Made]:
        """What is extracted on a day and in the night after it."""
        starts, ends = self._days.starts[day], self._days.starts[day + 1]
        night = ends + AFTER_MIDNIGHT
        window = ExtractWindow(SLURM, self._days.at(day - 1, 0), night, self._zone)
        if day <= 1:
            listed_at = self._days.start + HOUR
            listing = node_listing(self.hosts, cpu_host=CPU_HOST, cluster_zone=self._zone, listed_at=listed_at)
            yield self._made("slurm/nodes", listing, starts + HOUR, "txt")
        if day == 0:
            yield self._made("slurm/devices", device_map(self.hosts), starts + HOUR, "csv")
        for hour in SAMPLED_AT_HOURS:
            at = starts + int(hour * HOUR)
            yield self._made("slurm/bindings", job_details(self.runs, sampled_at=at, zone=self._zone), at, "txt")
        lines = prolog_lines(self.runs, since=starts, at=night, without=self.without_prolog)
        yield self._made("slurm/bindings", lines, night + MINUTE, "psv")
        yield self._made("slurm/sacct", sacct_text(self.runs, window), night, "txt")
        yield self._made("slurm/events", event_table(self.spells, window), night, "psv")
        yield self._made("slurm/reservations", reservation_table(self.spells, window), night, "psv")

    def _made(self, source: str, content: bytes, at: int, extension: str) -> Made:
        return Made(source, SLURM, content, instant_of(at), extension)


def fact_of(run: SlurmRun) -> RunFact:
    """What is true of a run: it holds from start to end, a suspended one too."""
    began = run.submitted if run.started is None else run.started
    until = began if run.started is None else FOREVER if run.ended is None else run.ended
    return RunFact(
        run=run.key,
        row_from=began,
        row_until=until,
        workload_class=run.workload_class,
        tier=run.tier,
        owners=owners_of(run.account),
        end_cause="" if run.ended is None else run.end_cause,
        started=run.started,
        ended=run.ended,
        holding=run.holding(),
        scenes=run.scenes,
    )
