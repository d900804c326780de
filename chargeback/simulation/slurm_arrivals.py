"""The ordinary work of a Slurm day: people submit, mostly by day, more on working days, and take what is free.

Not here: scenes (slurm_scenes.py).
"""

from collections.abc import Callable, Iterator
from datetime import date
from random import Random

from chargeback.simulation.calendar_days import HOUR
from chargeback.simulation.estate_plan import TEAMS, UNMAPPED_ACCOUNT
from chargeback.simulation.slurm_desk import FIRST_JOB, SlurmDesk
from chargeback.simulation.slurm_run import SlurmRun, limit_minutes_of

NUMBERS_A_DAY = 100_000
SATURDAY = 5

COUNTS, COUNT_WEIGHTS = (1, 2, 4, 8), (52, 26, 14, 8)
STATES, STATE_WEIGHTS = (
    ("COMPLETED", "FAILED", "CANCELLED", "OUT_OF_MEMORY", "TIMEOUT", "PREEMPTED"),
    (74, 10, 6, 3, 4, 3),
)
BEHAVIOURS, BEHAVIOUR_WEIGHTS = ("busy", "starved", "idle", "poker", "steady"), (62, 20, 9, 4, 5)
UNMAPPED_SHARE = 0.02


def arrivals_of(desk: SlurmDesk, day: int, seed: int) -> Iterator[SlurmRun]:
    """Runs that start on a day, as far as devices are free; the numbers of a day do not depend on those of others."""
    random = Random(f"{seed}/slurm/{desk.days.names[day]}")  # noqa: S311
    desk.number_from(FIRST_JOB + NUMBERS_A_DAY * (day + 1))
    gpus = sum(len(host.gpus) for host in desk.hosts)
    is_weekend = date.fromisoformat(desk.days.names[day]).weekday() >= SATURDAY
    for _ in range(max(2, gpus * (3 if is_weekend else 6) // 2)):
        run = _one(desk, day, random)
        if run is not None:
            yield run


def _one(desk: SlurmDesk, day: int, random: Random) -> SlurmRun | None:
    hour = random.triangular(0, 23, 13)
    seconds = min(30 * HOUR, int(random.lognormvariate(9.3, 1.1)) + 40)
    count = random.choices(COUNTS, COUNT_WEIGHTS)[0]
    is_slice = random.random() < 0.2
    profile = random.choice(("3g.40gb", "2g.20gb", "1g.10gb")) if is_slice else ""
    found = desk.on_one_host(
        random.sample(desk.hosts, len(desk.hosts)), 1 if is_slice else count, earliest=desk.days.at(day, hour),
        seconds=seconds, kind="mig" if is_slice else "whole", profile=profile, within=2 * HOUR,
    )  # fmt: skip
    account, user = desk.person(random.choice(TEAMS))
    fields: dict[str, object] = {
        "account": UNMAPPED_ACCOUNT if random.random() < UNMAPPED_SHARE else account, "user": user,
        "state": random.choices(STATES, STATE_WEIGHTS)[0], "seed": random.getrandbits(48),
        "behaviour": random.choices(BEHAVIOURS, BEHAVIOUR_WEIGHTS)[0], "is_interactive": random.random() < 0.15,
        "partition": "mig" if is_slice else "gpu",
    }  # fmt: skip
    waited = random.randrange(1, 3600)
    return None if found is None else _as_run(desk, *found, seconds, waited, fields)


def _as_run(
    desk: SlurmDesk, grants: tuple[object, ...], at: int, seconds: int, waited: int, fields: dict[str, object]
) -> SlurmRun:
    number = desk.number()
    state = fields["state"]
    qos = "low" if state == "PREEMPTED" or number % 9 == 0 else "normal"
    limit = limit_minutes_of(seconds) if state == "TIMEOUT" else 2880
    make: Callable[..., SlurmRun] = SlurmRun
    return make(
        job_id_raw=number, job_id=str(number), job_name=f"train-{number % 97}", grants=grants, submitted=at - waited,
        started=at, ended=at + seconds, qos=qos, limit_minutes=limit, **fields,
    )  # fmt: skip
