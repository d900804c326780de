"""A whole month of landing objects, made of four minutes of a real Slurm by a documented, deterministic transformation.

A rack is the dump's hosts under names of its own (`r1-a100-1`). On working days each of two racks replays the dump's
workload twice, at weekends once, slowed down by a constant factor about the dump's first instant (replay.py). Jobs
cross midnight and both ends of the month. Job numbers and database indices move on with every replay. Every night at
02:15 UTC the extracts of a real site are made: sacct since the midnight before the last one, so that jobs stand in two
extracts, running ones as running; node events; reservations. `scontrol show job -d` is sampled where the dump has a
sample, in a day's first replays; the node listing is made once. All times are UTC.

Nothing is random and nothing else is added: device-seconds of an account are the dump's x factor x replays.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from chargeback.simulation.replay import TURNS, TURNS_AT_WEEKENDS, Replay
from chargeback.simulation.stretched_hosts import job_details, node_listing, sacctmgr_extract
from chargeback.simulation.stretched_jobs import job_records, origin_of, sacct_extract

SACCT = "sacct-X-dup.us-delim"
NODES = "scontrol-show-node.txt"
EVENTS = "sacctmgr-event.psv"
RESERVATIONS = "sacctmgr-reservation.psv"
SAMPLES = ("showjob-mid.txt", "showjob-preempt.txt")
DUMP_FILES = (SACCT, NODES, EVENTS, RESERVATIONS, *SAMPLES)
"""Files of chargeback/simulation/real_slurm that `demo_month` needs, by name."""

NIGHTLY = timedelta(hours=2, minutes=15)
DAY = timedelta(days=1)
SATURDAY = 5


@dataclass(frozen=True, slots=True)
class DemoObject:
    """One object to land: its source, when it was extracted, its file name's ending and its bytes."""

    source: str
    extracted_at: datetime
    extension: str
    content: bytes


def demo_month(dump: Mapping[str, bytes], *, month: str) -> list[DemoObject]:
    """Landing objects of one cluster and calendar month (`2026-10`), in the formats that Slurm's own commands print.

    Input:   the bytes of DUMP_FILES by name.
    Output:  objects in order of extraction: one node listing, and per night (from the 1st of the month to that of the
             next) one sacct, one event and one reservation extract; job details at the instants of the samples. The
             first replays are those of the day before, whose jobs run into the month; the last ones run out of it.
    """
    first = date.fromisoformat(f"{month}-01")
    days = [first + n * DAY for n in range(31) if (first + n * DAY).month == first.month]
    records = job_records(dump[SACCT])
    replays = replays_of([first - DAY, *days], origin=origin_of(records))
    listed_at = datetime(first.year, first.month, 1, tzinfo=UTC) + NIGHTLY
    racks = [Replay(first, turn, origin_of(records)) for turn in TURNS_AT_WEEKENDS]
    return sorted(
        [
            DemoObject("slurm/nodes", listed_at, "txt", node_listing(racks, dump[NODES], extracted_at=listed_at)),
            *(found for day in [*days, days[-1] + DAY] for found in _extracts_of_night(day, replays, dump)),
            *_samples(replays, dump, until=_night(days[-1] + DAY)),
        ],
        key=lambda found: (found.extracted_at, found.source, found.content),
    )


def replays_of(days: Sequence[date], *, origin: datetime) -> list[Replay]:
    """The replays that begin on the days: every turn, at weekends one of each rack."""
    return [
        Replay(day, turn, origin)
        for day in days
        for turn in (range(len(TURNS)) if day.weekday() < SATURDAY else TURNS_AT_WEEKENDS)
    ]


def _night(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + NIGHTLY


def _extracts_of_night(day: date, replays: Sequence[Replay], dump: Mapping[str, bytes]) -> Iterator[DemoObject]:
    """What is extracted in the night to that day: everything since the midnight of the day before."""
    extracted_at = _night(day)
    window_start = extracted_at - NIGHTLY - DAY
    recent = [replay for replay in replays if window_start - DAY < replay.starts < extracted_at]
    jobs = sacct_extract(recent, job_records(dump[SACCT]), window_start=window_start, extracted_at=extracted_at)
    yield DemoObject("slurm/sacct", extracted_at, "txt", jobs)
    for source, name in (("slurm/events", EVENTS), ("slurm/reservations", RESERVATIONS)):
        table = sacctmgr_extract(recent, dump[name], window_start=window_start, extracted_at=extracted_at)
        yield DemoObject(source, extracted_at, "psv", table)


def _samples(replays: Sequence[Replay], dump: Mapping[str, bytes], *, until: datetime) -> Iterator[DemoObject]:
    for replay in replays:
        for name in SAMPLES if replay.turn == 0 else ():
            sample = job_details(replay, dump[name])
            if sample and sample[0] < until:
                yield DemoObject("slurm/bindings", sample[0], "txt", sample[1])
