"""Which days new records of jobs, events and reservations touch: each is folded with the row of it that stands there.

What stands is itself an observation of the record, so that no older object is read again. Days are looked at a few at a
time, and of them only the records that the new objects name: memory does not grow with the months that a job runs.
Not here: the folds (chargeback/usage/), and sources whose rows follow from several records (touched_days.py).
"""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from assets.landed_records import Teller, Told
from assets.materialisation import Day
from chargeback.usage.observations import PLACE
from orchestration.touching import Asking, Touching, is_taken
from orchestration.workspace import Workspace
from resources.lake_records import PartitionState
from resources.observations import ended_before, kept_of_interval
from resources.parsed_object import ParsedObject

DAYS_AT_ONCE = 8
RECORDS_AT_ONCE = 200_000


def touch_days_of_records(found: Touching, asking: Asking, teller: Teller) -> None:
    """Add the open days on which a record of the new objects says another thing than the row that stands there."""
    speaking = [day for day in map(asking.day, asking.days) if asking.keys_that_speak_of(day)]
    for parsed in _some_at_once(asking.parsed) if speaking else ():
        records = asking.observations.frame(parsed)
        if records is None:
            continue
        for some in _batches(speaking):
            told = [teller(asking.observations, day) for day in some]
            states = asking.workspace.lake.states(told[0].contract, [day.partition for day in some])
            for of_day, stands in _standing(told, records, asking.workspace):
                said = _objects_that_say_otherwise(of_day, _new_of_day(of_day, records, stands, states), stands, states)
                if said and (of_day.day.partition.key in states or asking.has_arrived_of(of_day.day)):
                    found.touch_day(of_day.day.partition.key, said)


def _some_at_once(parsed: Sequence[ParsedObject]) -> Iterator[Sequence[ParsedObject]]:
    """Objects of not too many records together, in order."""
    some: list[ParsedObject] = []
    for each in parsed:
        if some and sum(other.records for other in some) + each.records > RECORDS_AT_ONCE:
            yield some
            some = []
        some.append(each)
    yield some


def _batches(days: Sequence[Day]) -> Iterator[Sequence[Day]]:
    for at in range(0, len(days), DAYS_AT_ONCE):
        yield days[at : at + DAYS_AT_ONCE]


def _standing(
    asked: Sequence[Told], records: pl.DataFrame, workspace: Workspace
) -> Iterator[tuple[Told, pl.DataFrame]]:
    """Of each day the rows that stand there of records that the new objects name."""
    contract, name = asked[0].contract, asked[0].revised[0]
    scanned = workspace.lake.scan(contract, [each.day.partition for each in asked])
    rows = scanned.frame.filter(pl.col(name).is_in(records[name].unique().implode())).collect()
    of_day = {day: frame for (day,), frame in rows.partition_by("day", as_dict=True).items()}
    for each in asked:
        yield each, of_day.get(each.day.day, contract.empty())


def _new_of_day(
    told: Told, records: pl.DataFrame, stands: pl.DataFrame, states: Mapping[str, PartitionState]
) -> pl.DataFrame:
    """What the new objects say of a day that was not made from them."""
    state = states.get(told.day.partition.key)
    speaking = kept_of_interval(records, told.day.interval, ())
    ended = records.filter(ended_before(told.day.interval)).join(
        stands.select(told.revised), on=told.revised, how="semi"
    )
    said = pl.concat([speaking, ended])
    taken = [key for key in said["object"].unique() if state is not None and is_taken(state, key)]
    return said.filter(~pl.col("object").is_in(taken))


def _objects_that_say_otherwise(
    told: Told, new: pl.DataFrame, stands: pl.DataFrame, states: Mapping[str, PartitionState]
) -> set[str]:
    if told.fold is None or not len(new) or told.day.partition.key not in states:
        return set(new["object"])
    known = [name for name in new.columns if name in stands.columns]
    observed = pl.concat([stands.select(known), new], how="diagonal").select(new.columns)
    before, after = (
        told.fold(each, told.day).drop(PLACE, strict=False) for each in (observed.head(len(stands)), observed)
    )
    names = pl.concat([_missing(before, after), _missing(after, before)])[told.revised[0]].unique()
    return set(new.filter(pl.col(told.revised[0]).is_in(names.implode()))["object"])


def _missing(rows: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """The rows that the others do not have."""
    return rows.join(others, on=rows.columns, how="anti", nulls_equal=True)
