"""Which snapshots tell of a day: enough to know who was there, and no more, so that old days stay untouched."""

from dataclasses import dataclass
from datetime import datetime

from chargeback.billing_period import Interval
from chargeback.usage.snapshots import listings_of, that_tell_of
from tests.chargeback.usage.landed_kubernetes import at

DAY = Interval(at("00:00"), at("+1 00:00"))
POD = frozenset({"Pod"})


@dataclass(frozen=True)
class Landed:
    """A snapshot of one or no full listing, whose records span a stretch."""

    extracted_at: datetime
    full_listings_of: frozenset[str] = frozenset()
    overlaps_from: datetime | None = None
    overlaps_until: datetime | None = None


def listing(text: str, *kinds: str, since: str | None = "-9 00:00") -> Landed:
    begins = since and at(since)
    return Landed(at(text), frozenset(kinds) or POD, begins, begins and at(text))


def partial(text: str, *, since: str = "-9 00:00", until: str | None = None) -> Landed:
    return Landed(at(text), frozenset(), at(since), at(until or text))


def telling(*landed: Landed) -> list[datetime]:
    """When those that tell of the day were extracted."""
    return [each.extracted_at for each, tells in zip(landed, that_tell_of(landed, DAY), strict=True) if tells]


def test_listings_tell_from_the_last_before_the_day_to_the_first_behind_it() -> None:
    nights = [listing(f"{night} 00:10") for night in range(-3, 4)]

    assert telling(*nights) == [at("-1 00:10"), at("00:10"), at("+1 00:10")]


def test_listings_within_an_hour_of_the_first_behind_the_day_look_a_second_time() -> None:
    quarters = [listing(f"+1 {hour:02}:{minute:02}") for hour in (0, 1, 2) for minute in (5, 20, 35, 50)]

    assert telling(*quarters) == [at(f"+1 {clock}") for clock in ("00:05", "00:20", "00:35", "00:50", "01:05")]


def test_a_listing_at_the_very_beginning_or_end_of_the_day_tells_of_it() -> None:
    assert telling(listing("00:00"), listing("+1 00:00"), listing("+2 00:00")) == [at("00:00"), at("+1 00:00")]


def test_an_empty_listing_tells_who_was_not_there() -> None:
    assert telling(listing("-1 00:10", since=None), listing("12:00", since=None)) == [at("-1 00:10"), at("12:00")]


def test_the_only_listing_tells_of_every_day() -> None:
    assert telling(listing("-5 00:10")) == [at("-5 00:10")]
    assert telling(listing("+5 00:10")) == [at("+5 00:10")]


def test_listings_of_another_kind_supersede_nothing() -> None:
    jobs, rays = listing("-3 00:10", "Job.batch"), listing("-1 00:10", "RayJob.ray.io")

    assert telling(jobs, rays) == [at("-3 00:10"), at("-1 00:10")]


def test_what_kubectl_printed_tells_until_a_full_listing_follows_it() -> None:
    assert telling(partial("-1 12:00")) == [at("-1 12:00")]
    assert telling(partial("-1 12:00"), listing("-1 18:00")) == [at("-1 18:00")]
    assert telling(partial("-1 12:00"), listing("00:10")) == [at("-1 12:00"), at("00:10")]


def test_events_tell_of_the_time_that_they_span_whenever_they_land() -> None:
    of_the_day = partial("+9 00:00", since="09:00", until="10:00")
    of_the_next_day = partial("+9 00:00", since="+1 09:00", until="+1 10:00")
    of_the_day_before = partial("-1 23:00", since="-1 09:00", until="-1 10:00")

    assert telling(of_the_day, of_the_next_day, of_the_day_before, listing("-1 23:30")) == [
        at("+9 00:00"),
        at("-1 23:30"),
    ]


def test_an_object_without_records_tells_nothing() -> None:
    assert telling(Landed(at("12:00"))) == []


def test_the_order_of_snapshots_changes_nothing() -> None:
    landed = [listing(f"{night} 00:10") for night in range(-3, 4)] + [partial("-2 12:00")]

    assert sorted(telling(*reversed(landed))) == telling(*landed)


def test_listings_are_one_row_per_kind_and_instant_in_order() -> None:
    landed = [listing("12:00"), listing("06:00", "Job.batch", "Pod"), listing("12:00"), partial("13:00")]

    assert listings_of(landed).rows() == [(at("06:00"), "Job.batch"), (at("06:00"), "Pod"), (at("12:00"), "Pod")]
