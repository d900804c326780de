"""Properties of raw_pods: listings that tell the truth at any instants give the truth of the day, once and for all."""

from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.contracts.raw_pods import RAW_PODS
from tests.chargeback.usage.landed_kubernetes import at, pod, pod_list, rows_of_day

MINUTES_OF_DAY = 24 * 60
BEGIN, END = 0, MINUTES_OF_DAY
"""The day in minutes since its midnight; instants before it are negative."""


def clock(minutes: int) -> str:
    """Minutes since the day's midnight as the helpers spell times."""
    days, rest = divmod(minutes, MINUTES_OF_DAY)
    return f"{days} {rest // 60:02}:{rest % 60:02}"


def instant_of(minutes: int | None) -> Any:
    return None if minutes is None else at(clock(minutes))


@dataclass(frozen=True)
class Life:
    """A pod's truth in minutes: created, bound, finished (it stays listed) and removed; None: not yet."""

    uid: str
    created: int
    scheduled: int | None
    finished: int | None
    removed: int | None

    def shown_at(self, now: int) -> dict[str, Any] | None:
        """What a listing taken now shows of it; None if it is not there."""
        if now < self.created or (self.removed is not None and now >= self.removed):
            return None
        known = [clock(each) if each is not None and each <= now else None for each in (self.scheduled, self.finished)]
        return pod(self.uid, created=clock(self.created), scheduled=known[0], started=known[0], finished=known[1])


@st.composite
def lives(draw: st.DrawFn, uid: str) -> Life:
    steps = [draw(st.none() | st.integers(0, 2 * MINUTES_OF_DAY)) for _ in range(3)]
    created = draw(st.integers(-2 * MINUTES_OF_DAY, 2 * MINUTES_OF_DAY))
    scheduled = None if steps[0] is None else created + steps[0] // 8
    finished = None if scheduled is None or steps[1] is None else scheduled + steps[1]
    removed = (
        None
        if steps[2] is None
        else max(each for each in (created, scheduled, finished) if each is not None) + steps[2]
    )
    return Life(uid, created, scheduled, finished, removed)


pods = st.tuples(*(lives(uid) for uid in "abc"))
instants = st.lists(st.integers(-2 * MINUTES_OF_DAY, 4 * MINUTES_OF_DAY), min_size=1, max_size=8, unique=True)


def listings(truth: tuple[Life, ...], taken: list[int]) -> list[tuple[str, bytes]]:
    return [(clock(now), pod_list(*filter(None, (life.shown_at(now) for life in truth)))) for now in taken]


def cut(minutes: int | None) -> Any:
    return instant_of(minutes) if minutes is not None and minutes < END else None


def was_over_before_the_day(life: Life, taken: list[int], *, last_seen: int) -> bool:
    """Whether the listings knew by then that it had finished, or missed it, or saw it for the last time."""
    missed = min((now for now in taken if now > last_seen), default=last_seen)
    finished = life.finished if life.finished is not None and life.finished <= last_seen else missed
    return min(missed, finished) <= BEGIN


@settings(max_examples=100, deadline=None)
@given(truth=pods, taken=instants)
def test_listings_give_the_truth_of_the_day_as_far_as_any_of_them_saw_it(
    truth: tuple[Life, ...], taken: list[int]
) -> None:
    rows = {row["uid"]: row for row in rows_of_day(listings(truth, taken)).iter_rows(named=True)}

    for life in truth:
        saw = [now for now in taken if life.shown_at(now)]
        row = rows.get(life.uid)
        if row is None:
            assert not saw or life.created >= END or was_over_before_the_day(life, taken, last_seen=max(saw))
            continue
        assert saw
        assert life.created < END
        latest = max(saw)
        known = {"scheduled": life.scheduled, "finished": life.finished}
        assert all(row[name] in (None, cut(truly)) for name, truly in known.items())
        first_behind = min((now for now in saw if now >= END), default=latest)
        assert all(row[name] == cut(truly) for name, truly in known.items() if truly is None or truly <= first_behind)
        missed = min((now for now in taken if now > latest), default=latest)
        assert row["lastSeen"] == instant_of(END if missed >= END else latest)
        assert row["missingFrom"] == (instant_of(missed) if latest < missed < END else None)


@settings(max_examples=60, deadline=None)
@given(truth=pods, taken=instants, later=st.lists(st.integers(60, 3 * MINUTES_OF_DAY), max_size=4))
def test_what_lands_an_hour_after_the_first_listing_behind_the_day_never_changes_it(
    truth: tuple[Life, ...], taken: list[int], later: list[int]
) -> None:
    told = [*taken, END + 10]
    first_behind = min(now for now in told if now >= END)

    rows = rows_of_day(listings(truth, told))
    with_later = rows_of_day(listings(truth, sorted({*told, *(first_behind + each + 1 for each in later)})))

    assert with_later.equals(rows)
    assert RAW_PODS.breaches(rows) == []


@settings(max_examples=40, deadline=None)
@given(truth=pods, taken=instants, shuffled=st.randoms(use_true_random=False))
def test_the_order_in_which_listings_land_and_landing_them_twice_changes_nothing(
    truth: tuple[Life, ...], taken: list[int], shuffled: Any
) -> None:
    landed = listings(truth, taken)
    mixed = [*landed, *landed]
    shuffled.shuffle(mixed)

    assert rows_of_day(mixed).equals(rows_of_day(landed))
