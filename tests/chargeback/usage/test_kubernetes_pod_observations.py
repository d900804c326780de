"""raw_pods of a day: of what was seen of a pod, what was so at the day's end, whatever lands later."""

import json
from itertools import permutations
from zoneinfo import ZoneInfo

import pytest

from chargeback.contracts.raw_pods import RAW_PODS
from tests.chargeback.usage.landed_kubernetes import (
    DAY,
    NEXT_DAY,
    THIRD_DAY,
    at,
    events,
    kubectl_list,
    pod,
    pod_list,
    rows_of_day,
    time,
)
from tests.tables import CASES, instant, shared_file

SERVICE = pod(created="-3 08:00", scheduled="-3 08:01", started="-3 08:02")


def test_a_service_that_is_listed_every_night_rewrites_no_old_day() -> None:
    nights = [(f"{night} 00:10", pod_list(SERVICE)) for night in range(4)]

    after_the_day = [rows_of_day(nights[:landed]) for landed in (2, 3, 4)]

    assert after_the_day[0]["lastSeen"].to_list() == [at("+1 00:00")]
    assert after_the_day[0]["extracted_at"].to_list() == [at("00:10")]
    assert all(rows.equals(after_the_day[0]) for rows in after_the_day)
    assert RAW_PODS.breaches(after_the_day[0]) == []


def test_what_a_pod_does_after_the_day_changes_nothing_of_the_day() -> None:
    ended = pod(created="-3 08:00", scheduled="-3 08:01", started="-3 08:02", finished="+1 12:00")
    running = [("00:10", pod_list(SERVICE)), ("+1 00:10", pod_list(SERVICE))]

    before = rows_of_day(running)
    after = rows_of_day([*running, ("+2 00:10", pod_list(ended))])
    on_its_last_day = rows_of_day([*running, ("+2 00:10", pod_list(ended))], NEXT_DAY)

    assert after.equals(before)
    assert after["phase"].to_list() == ["Running"]
    assert on_its_last_day.select("phase", "finished", "exitReason").rows() == [
        ("Succeeded", at("+1 12:00"), "Completed")
    ]
    assert rows_of_day([*running, ("+2 00:10", pod_list(ended))], THIRD_DAY).is_empty()


def test_a_pod_known_only_from_a_listing_after_its_end_stands_in_each_of_its_days_as_it_was_then() -> None:
    ended = pod(created="08:00", scheduled="08:01", started="08:02", finished="+1 12:00")
    dump = [("+2 00:10", pod_list(ended))]

    first, second = rows_of_day(dump), rows_of_day(dump, NEXT_DAY)

    assert first.select("phase", "scheduled", "finished", "lastSeen").rows() == [
        ("Running", at("08:01"), None, at("+1 00:00"))
    ]
    assert second.select("phase", "finished").rows() == [("Succeeded", at("+1 12:00"))]


def test_labels_are_those_of_the_first_listing_behind_the_day() -> None:
    relabelled = SERVICE | {"metadata": SERVICE["metadata"] | {"labels": {"team": "b"}}}
    again = SERVICE | {"metadata": SERVICE["metadata"] | {"labels": {"team": "c"}}}

    rows = rows_of_day(
        [("00:10", pod_list(SERVICE)), ("+1 00:10", pod_list(relabelled)), ("+2 00:10", pod_list(again))]
    )

    assert rows["labels"].to_list() == ['{"team":"b"}']


def test_k12_a_pod_that_a_listing_misses_was_last_seen_before_and_is_missing_from_there() -> None:
    gone = [("12:06", pod_list(SERVICE)), ("12:11", pod_list(SERVICE)), ("12:16", pod_list()), ("12:21", pod_list())]

    rows = rows_of_day(gone)

    assert rows.select("lastSeen", "missingFrom").rows() == [(at("12:11"), at("12:16"))]
    assert rows_of_day([*gone, ("+1 00:10", pod_list())]).equals(rows)
    assert rows_of_day([*gone, ("+1 00:10", pod_list())], NEXT_DAY).is_empty()


def test_a_pod_that_only_the_listing_of_a_later_day_misses_existed_until_then_on_every_day_between() -> None:
    running = pod(created="08:00", scheduled="08:00", started="08:01")
    nights = [("+1 00:10", pod_list(running)), ("+3 00:10", pod_list())]

    first, second, third = (rows_of_day(nights, day) for day in (DAY, NEXT_DAY, THIRD_DAY))
    as_long_as_nobody_knew = rows_of_day(nights[:1], NEXT_DAY)

    assert as_long_as_nobody_knew.select("lastSeen", "missingFrom").rows() == [(at("+1 00:10"), None)]
    assert [rows["lastSeen"].to_list() for rows in (first, second, third)] == [
        [at("+1 00:00")], [at("+2 00:00")], [at("+3 00:00")]
    ]  # fmt: skip


def test_a_listing_that_misses_a_pod_which_a_later_one_shows_does_not_end_it() -> None:
    stale = [("12:00", pod_list(SERVICE)), ("12:05", pod_list()), ("12:10", pod_list(SERVICE))]

    rows = rows_of_day(stale)

    assert rows.select("lastSeen", "missingFrom").rows() == [(at("12:10"), None)]


def test_what_kubectl_did_not_print_is_not_gone() -> None:
    rows = rows_of_day([("12:00", pod_list(SERVICE)), ("12:30", kubectl_list(pod("other")))])

    assert rows.filter(uid="u-1").select("lastSeen", "missingFrom").rows() == [(at("12:00"), None)]


def test_a_listing_with_an_unreadable_pod_proves_no_absence() -> None:
    rows = rows_of_day([("12:00", pod_list(SERVICE)), ("12:05", pod_list(None))])

    assert rows["missingFrom"].to_list() == [None]


def test_k05_two_pods_of_one_name_are_two_rows() -> None:
    first = pod("1", name="a", created="12:00", scheduled="12:00", started="12:00", finished="17:00")
    second = pod("2", name="a", created="19:00", scheduled="19:00", started="19:00", finished="22:00")

    rows = rows_of_day([("18:00", pod_list(first)), ("+1 00:10", pod_list(second))])

    assert rows.select("uid", "scheduled", "finished").rows() == [
        ("1", at("12:00"), at("17:00")),
        ("2", at("19:00"), at("22:00")),
    ]


def test_a_final_state_outranks_a_running_one_that_was_extracted_later() -> None:
    ended = pod(created="08:00", scheduled="08:01", started="08:02", finished="12:00")
    stale = pod(created="08:00", scheduled="08:01", started="08:02")

    rows = rows_of_day([("12:05", pod_list(ended)), ("12:10", events(("MODIFIED", stale)))])

    assert rows.select("phase", "finished").rows() == [("Succeeded", at("12:00"))]


def test_a_binding_that_only_the_later_of_two_listings_behind_the_day_knows_is_not_lost() -> None:
    waiting, bound = pod(created="23:50", scheduled=None), pod(created="23:50", scheduled="23:58", started="23:59")

    rows = rows_of_day([("+1 00:01", pod_list(waiting)), ("+1 00:16", pod_list(bound))])

    assert rows.select("scheduled", "nodeName", "phase").rows() == [(at("23:58"), "node-1", "Running")]


def test_a_pod_waits_from_its_creation_and_why_it_waited_is_not_forgotten_when_it_is_bound() -> None:
    waiting, bound = (
        pod(created="20:00", scheduled=None),
        pod(created="20:00", scheduled="+1 02:00", started="+1 02:01"),
    )
    landed = [("21:00", pod_list(waiting)), ("+1 03:00", pod_list(bound))]

    waited, ran = rows_of_day(landed), rows_of_day(landed, NEXT_DAY)

    columns = ("phase", "scheduled", "nodeName", "unschedulableReason")
    assert waited.select(columns).rows() == [("Pending", None, None, "Unschedulable")]
    assert ran.select(columns).rows() == [("Running", at("+1 02:00"), "node-1", "Unschedulable")]
    assert rows_of_day(landed[1:]).select(columns).rows() == [("Pending", None, None, None)]


def test_the_first_start_and_the_last_readiness_are_kept_though_a_restart_hides_them() -> None:
    first, restarted = pod(scheduled="09:00", started="09:05"), pod(scheduled="09:00", started="15:00")

    rows = rows_of_day([("12:00", pod_list(first)), ("16:00", pod_list(restarted))])

    assert rows["containersStarted"].to_list() == [at("09:05")]


@pytest.mark.parametrize(
    ("deleting", "deleted"),
    [(None, "12:30"), ("12:20", "12:20"), ("12:45", "12:30")],
    ids=["unsaid", "before", "after the landing"],
)
def test_a_deleted_pod_is_gone_when_its_object_says_else_when_the_event_landed(
    deleting: str | None, deleted: str
) -> None:
    metadata = {"deletionTimestamp": time(deleting)} if deleting else {}
    removed = pod(created="09:00", scheduled="09:01", started="09:02", **metadata)

    rows = rows_of_day([("12:00", pod_list(SERVICE)), ("12:30", events(("DELETED", removed)))])

    assert rows.select("deleted", "lastSeen").rows() == [(at(deleted), at(deleted))]


def test_a_watch_event_shows_a_pod_until_the_last_instant_that_it_states_not_until_it_landed() -> None:
    seen = events(("ADDED", pod(scheduled="09:00")), ("MODIFIED", pod(scheduled="09:00", started="09:05")))

    rows = rows_of_day([("+1 00:05", seen), ("12:00", pod_list())])

    assert rows.select("lastSeen", "missingFrom", "line").rows() == [(at("09:05"), at("12:00"), 2)]


def test_a_pod_that_came_and_went_between_two_listings_is_known_from_its_events() -> None:
    ended = pod("short", scheduled="09:00", started="09:05", finished="09:30")
    seen = events(("ADDED", pod("short", scheduled=None)), ("MODIFIED", ended), ("DELETED", ended))

    rows = rows_of_day([("00:10", pod_list()), ("+1 00:15", seen), ("+1 00:10", pod_list())])

    assert rows.select("uid", "scheduled", "finished").rows() == [("short", at("09:00"), at("09:30"))]


def test_a_pod_that_finished_and_was_cleared_away_on_the_next_day_stands_on_its_own_day_only() -> None:
    running = pod(created="20:00", scheduled="20:00", started="20:01")
    cleared = pod(
        created="20:00", scheduled="20:00", started="20:01", finished="21:00", deletionTimestamp=time("+1 00:20")
    )
    watched = events(("MODIFIED", running), ("DELETED", cleared))

    first, second = (rows_of_day([("+1 01:00", watched)], day) for day in (DAY, NEXT_DAY))

    assert first.select("phase", "finished").rows() == [("Succeeded", at("21:00"))]
    assert second.is_empty()


def test_a_pod_that_a_listing_shows_as_created_while_it_was_taken_was_seen_when_it_was_created() -> None:
    rows = rows_of_day([("09:00", pod_list(pod(created="09:00:02", scheduled="09:00:03")))])

    assert rows["lastSeen"].to_list() == [at("09:00:02")]


def test_days_are_those_of_the_billing_zone() -> None:
    late = pod(created="21:00", scheduled="21:30", started="21:31", finished="22:30")
    zone = ZoneInfo("Europe/Amsterdam")

    first, second = (rows_of_day([("+1 00:10", pod_list(late))], day, zone=zone) for day in (DAY, NEXT_DAY))

    assert first.select("phase", "finished", "lastSeen").rows() == [("Running", None, at("22:00"))]
    assert second.select("phase", "finished", "lastSeen").rows() == [("Succeeded", at("22:30"), at("+1 00:10"))]


def test_a_day_of_which_nothing_tells_has_no_pods() -> None:
    assert rows_of_day([("00:10", pod_list())]).equals(RAW_PODS.empty())
    assert rows_of_day([("10:00", pod_list(pod()))], "2026-07-01").equals(RAW_PODS.empty())


def test_the_order_in_which_listings_land_changes_nothing() -> None:
    ended = pod(scheduled="09:00", started="09:05", finished="13:00")
    landed = [
        ("00:10", pod_list(SERVICE)),
        ("10:00", pod_list(SERVICE, pod(scheduled="09:00", started="09:05"))),
        ("14:00", events(("MODIFIED", ended))),
        ("+1 00:10", pod_list(SERVICE, ended)),
    ]

    rows = rows_of_day(landed)

    assert all(rows_of_day(order).equals(rows) for order in permutations(landed))
    assert rows_of_day([*landed, *landed]).equals(rows)


def test_k01_a_pod_that_pulls_its_image_until_it_is_deleted_is_bound_and_never_started() -> None:
    content = (CASES / "K01" / "pod.json").read_bytes()
    landing = "-5 11:10"  # 3 July

    rows = rows_of_day([(landing, content)], "2026-07-03")

    assert rows.select("scheduled", "containersStarted", "deletionTimestamp", "phase").rows() == [
        (instant("2026-07-03T09:02Z"), None, instant("2026-07-03T11:02Z"), "Pending")
    ]


def test_k02_an_evicted_pod_stands_on_the_day_of_its_eviction_and_on_no_later_one() -> None:
    content = pod_list(json.loads((CASES / "K02" / "pod.json").read_bytes()))
    landed = [(f"{day} 00:10", content) for day in (-4, -3, -2)]

    evicted, after = rows_of_day(landed, "2026-07-03"), rows_of_day(landed, "2026-07-04")

    assert evicted.select("scheduled", "disrupted", "disruptionReason", "deletionTimestamp").rows() == [
        (instant("2026-07-03T10:00Z"), instant("2026-07-03T10:20Z"), "TerminationByKubelet", None)
    ]
    assert after.is_empty()


def test_the_worked_day_has_five_pods_of_which_one_was_never_bound() -> None:
    content = shared_file("worked-day", "pods.json").read_bytes()

    rows = rows_of_day([("+1 00:10", content)], "2026-07-08")

    assert rows.select("name", "phase", "unschedulableReason").sort("name").rows() == [
        ("job-b-x", "Succeeded", None),
        ("nb-1-0", "Succeeded", None),
        ("serve-7c9", "Running", None),
        ("train-0", "Succeeded", None),
        ("wait-1", "Pending", "Unschedulable"),
    ]
    assert rows["scheduled"].null_count() == 1
    assert RAW_PODS.breaches(rows) == []
