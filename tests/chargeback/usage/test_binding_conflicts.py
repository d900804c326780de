"""Which claims become bindings: whatever is claimed, no GPU is held whole by two, and no hold has more than it held."""

from random import Random

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.usage.binding_conflicts import settle
from chargeback.usage.binding_evidence import CLAIMS
from tests.tables import instant

DAY = instant("2026-07-03T00:00Z")
HOLDS = {
    "hold": pl.UInt32(),
    "sharing": pl.String(),
    "device_count": pl.Int64(),
    "from": pl.Int64(),
    "until": pl.Int64(),
}
GPUS = ["GPU-a", "GPU-b", "GPU-a/1", "GPU-a/2", "GPU-c"]


def random_claims(seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A few holds that overlap or touch, and claims of a few GPUs and slices by evidence of a few ranks."""
    random = Random(seed)
    holds = []
    for hold in range(random.randint(1, 6)):
        begins = random.randrange(0, 10)
        sharing = random.choice(["whole", "whole", "mig", "time-slice", "shard"])
        holds.append((hold, sharing, random.randint(1, 3), begins, begins + random.randint(1, 5)))
    claims = [
        (random.choice(holds)[0], random.choice(GPUS), random.randrange(3), random.choice([None, 1, 2]),
         random.choice([None, 60, 120]))
        for _ in range(random.randint(0, 14))
    ]  # fmt: skip
    spells = pl.DataFrame(holds, schema=HOLDS, orient="row").with_columns(
        held_from=DAY + pl.duration(hours=pl.col("from")), held_until=DAY + pl.duration(hours=pl.col("until"))
    )
    return spells, pl.DataFrame(claims, schema=CLAIMS, orient="row").select("hold", "gpu", "rank", "devices",
                                                                           "overlap_seconds")  # fmt: skip


def is_one_device(one: str, other: str) -> bool:
    """Whether two names are of one device: a GPU and a slice of it are, two slices are not."""
    return one == other or one.split("/")[0] == other or other.split("/")[0] == one


def in_each_others_way(one: dict[str, object], other: dict[str, object]) -> bool:
    """Whether two holds cannot both have what they claim."""
    at_once = one["from"] < other["until"] and other["from"] < one["until"]  # type: ignore[operator]
    alone = {"whole", "mig"} & {one["sharing"], other["sharing"]}
    return (
        one["hold"] != other["hold"] and at_once and bool(alone) and is_one_device(str(one["gpu"]), str(other["gpu"]))
    )


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_whatever_is_claimed_bindings_are_exclusive_within_the_count_and_stronger_claims_go_first(seed: int) -> None:
    holds, claims = random_claims(seed)

    settled = settle(holds, claims)

    bound, contested = (frame.join(holds, on="hold").rows(named=True) for frame in (settled.bound, settled.contested))
    claimed = {(hold, gpu, rank) for hold, gpu, rank in claims.select("hold", "gpu", "rank").rows()}
    assert all((row["hold"], row["gpu"], row["rank"]) in claimed for row in [*bound, *contested])
    assert len({(row["hold"], row["gpu"]) for row in bound}) == len(bound)
    assert not any(in_each_others_way(one, other) for one in bound for other in bound)
    for hold in holds.rows(named=True):
        assert sum(row["devices"] for row in bound if row["hold"] == hold["hold"]) <= hold["device_count"]
    for row in bound:
        rivals = [{**hold, "gpu": gpu, "rank": rank} for hold in holds.rows(named=True)
                  for number, gpu, rank in claimed if number == hold["hold"]]  # fmt: skip
        stronger = [rival for rival in rivals if rival["rank"] < row["rank"] and in_each_others_way(row, rival)]
        had = {(other["hold"], other["gpu"], other["rank"]) for other in [*bound, *contested]}
        assert not any((rival["hold"], rival["gpu"], rival["rank"]) in had for rival in stronger)
    for row in contested:
        assert any(in_each_others_way(row, other) and other["rank"] == row["rank"] for other in contested)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**31), order=st.integers(0, 100))
def test_the_order_of_claims_says_nothing(seed: int, order: int) -> None:
    holds, claims = random_claims(seed)

    settled = settle(holds, claims)
    turned = settle(
        holds.sample(fraction=1, shuffle=True, seed=order), claims.sample(fraction=1, shuffle=True, seed=order)
    )

    assert turned.bound.sort("hold", "gpu").equals(settled.bound.sort("hold", "gpu"))
    assert turned.contested.sort("hold", "gpu").equals(settled.contested.sort("hold", "gpu"))
