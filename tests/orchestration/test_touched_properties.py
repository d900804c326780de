"""What objects touch equals the slow definition: every day folded from all that landed, held against what stands."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.orchestration.test_touched_days import HEADER
from tests.raw_estate import RawEstate

FEW = settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
MIDNIGHT = datetime(2026, 10, 1, tzinfo=UTC)
NOW = MIDNIGHT + timedelta(days=4)

JOBS = st.lists(
    st.tuples(st.integers(-30, 80), st.integers(0, 70), st.sampled_from(["", "corrected", "renamed"])),
    min_size=1, max_size=5,
)  # fmt: skip
"""Hour of its start, hours that it ran, and what a later extract says of it."""

EXTRACTS = st.lists(st.tuples(st.integers(1, 95), st.integers(2, 60)), min_size=1, max_size=3)
"""Hour at which it was taken, and how many hours it reaches back."""


def hour(number: int) -> datetime:
    return MIDNIGHT + timedelta(hours=number)


def spelled(instant: datetime) -> str:
    return instant.replace(tzinfo=None).isoformat()


def extract(jobs: list[tuple[int, int, str]], taken: int, reach: int, *, is_later: bool) -> bytes:
    """What sacct shows at an hour of the jobs that ran in the hours before."""
    lines = [HEADER]
    for number, (start, length, what) in enumerate(jobs):
        ran = 1 if what == "corrected" and is_later else length
        end, goes_on = start + ran, start + ran > taken
        if start > taken or end < taken - reach:
            continue
        shown = "Unknown" if goes_on else spelled(hour(end))
        seconds = (min(end, taken) - start) * 3600
        name = "other" if what == "renamed" and is_later else "job"
        begins = spelled(hour(start))
        lines.append(
            f"{number}|{number}|lab|u|normal|gpu|{'RUNNING' if goes_on else 'COMPLETED'}|{begins}|{begins}|{shown}|"
            f"{seconds}|00:00:00|gres/gpu=1|gpu01|{name}"
        )
    return "\n".join([*lines, ""]).encode()


@FEW
@given(jobs=JOBS, before=EXTRACTS, after=EXTRACTS)
def test_extracts_of_slurm_jobs_touch_exactly_the_days_that_would_be_folded_otherwise(
    jobs: list[tuple[int, int, str]], before: list[tuple[int, int]], after: list[tuple[int, int]]
) -> None:
    with TemporaryDirectory() as folder:
        estate = RawEstate.begun_in(Path(folder), first_day="2026-10-01")
        for taken, reach in before:
            estate.land("slurm/sacct", extract(jobs, taken, reach, is_later=False), at=hour(taken))
        estate.make(now=NOW, source="slurm/sacct")

        arrived = [
            estate.land("slurm/sacct", extract(jobs, taken, reach, is_later=True), at=hour(taken))
            for taken, reach in after
        ]
        touched = estate.touched(*arrived, now=NOW)

        assert set(touched.days) == estate.differing(now=NOW, source="slurm/sacct")
        estate.make(now=NOW, source="slurm/sacct", only=touched.days)
        assert estate.touched(*arrived, now=NOW).days == {}
