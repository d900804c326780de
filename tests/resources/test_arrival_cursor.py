"""What a sensor remembers: bounded, exact, and whole after it was written and read again."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.arrival_cursor import SEEN_AT_MOST, CursorUnreadable, SeenLately, packed, unpacked
from resources.arrival_cursor_listing import Accounted
from resources.object_store import StoredObject

START = datetime(2026, 10, 5, tzinfo=UTC)


def stored(number: int, *, at: float = 0) -> StoredObject:
    """An object that was modified so many seconds after START."""
    return StoredObject(f"landing/x/{number:05}", 10, START + timedelta(seconds=at))


def looked_at(accounted: Accounted, listing: list[StoredObject]) -> list[str]:
    """Look at everything that is unaccounted for; the keys."""
    seen = []
    for portion in accounted.unaccounted(listing):
        seen += [each.key for each in portion.objects]
        accounted.account(portion)
    return seen


def again(accounted: Accounted) -> Accounted:
    """What the next look knows."""
    return Accounted(unpacked(packed({"listing": accounted.remembered()}))["listing"])


def test_each_object_of_a_growing_listing_is_looked_at_once_in_order_of_modification() -> None:
    accounted = Accounted()
    first = [stored(3, at=1), stored(1, at=3), stored(2, at=2)]

    assert looked_at(accounted, first) == [stored(3).key, stored(2).key, stored(1).key]
    assert looked_at(again(accounted), [*first, stored(0, at=9)]) == [stored(0).key]
    assert looked_at(again(accounted), first) == []


@pytest.mark.parametrize("at", [5, 3, -86_400 * 400], ids=["equal time", "earlier", "clock set back by a year"])
def test_an_object_that_shows_up_late_is_found_whatever_its_time(at: int) -> None:
    accounted = Accounted()
    listing = [stored(number, at=5) for number in range(100, 3_000)]
    looked_at(accounted, listing)

    assert looked_at(again(accounted), [stored(7, at=at), *listing]) == [stored(7).key]


def test_an_object_that_was_replaced_is_looked_at_again() -> None:
    accounted = Accounted()
    looked_at(accounted, [stored(1, at=1), stored(2, at=2)])

    assert looked_at(accounted, [replace(stored(1, at=1), size=11), stored(2, at=2)]) == [stored(1).key]


def test_objects_that_are_gone_cost_one_more_look_at_their_neighbours_and_then_nothing() -> None:
    accounted = Accounted()
    listing = [stored(number, at=number) for number in range(2_000)]
    looked_at(accounted, listing)

    assert len(looked_at(accounted, listing[1:])) < 20
    assert looked_at(accounted, listing[1:]) == []


def test_a_look_that_stops_half_way_goes_on_where_it_stopped() -> None:
    accounted = Accounted()
    listing = [stored(number, at=number) for number in range(200)]
    first = next(iter(accounted.unaccounted(listing)))
    accounted.account(first)

    rest = looked_at(again(accounted), listing)

    assert len(first.objects) < 200
    assert [each.key for each in first.objects] + rest == [each.key for each in listing]


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.booleans()), max_size=60),
    st.integers(0, 5),
    st.randoms(use_true_random=False),
)
def test_no_object_is_ever_missed_whatever_the_clock_of_the_store_does(
    arriving: list[tuple[int, bool]], most: int, order: random.Random
) -> None:
    accounted, listing, seen = Accounted(), list[StoredObject](), list[str]()
    for number, (at, is_time_to_look) in enumerate(arriving):
        listing.append(stored(number, at=at))
        if is_time_to_look:
            order.shuffle(listing)
            for count, portion in enumerate(accounted.unaccounted(listing)):
                if count == most:
                    break
                seen += [each.key for each in portion.objects]
                accounted.account(portion)
            accounted = again(accounted)

    seen += looked_at(accounted, listing)

    assert set(seen) == {each.key for each in listing}


def test_the_cursor_of_a_hundred_thousand_objects_is_as_large_as_that_of_ten_thousand() -> None:
    sizes = []
    for count in (10_000, 100_000):
        accounted = Accounted()
        looked_at(accounted, [stored(number, at=number) for number in range(count)])
        sizes.append(len(packed({"listing": accounted.remembered()})))

    assert sizes[1] <= sizes[0] * 1.02
    assert sizes[1] < 16_000


def test_an_arrival_that_is_told_again_is_known_and_the_oldest_is_forgotten_first() -> None:
    seen = SeenLately()
    assert seen.note("landing/a", "v1")
    assert not SeenLately(seen.remembered()).note("landing/a", "v1")
    assert SeenLately(seen.remembered()).note("landing/a", "v2")

    for number in range(SEEN_AT_MOST):
        seen.note(str(number))

    assert not seen.knows("landing/a", "v1")
    assert SeenLately(seen.remembered()).knows("0")
    assert len(seen.remembered()) == 8 * SEEN_AT_MOST * 5 // 4


@pytest.mark.parametrize("cursor", ["x", "1:", "1:zzzz", "2:abc", packed({})[:-1], "1:" + "é"])
def test_a_cursor_that_was_changed_by_hand_is_refused_with_what_to_do(cursor: str) -> None:
    with pytest.raises(CursorUnreadable, match="set it to nothing in the UI"):
        unpacked(cursor)
    assert unpacked(None) == unpacked("") == {}
