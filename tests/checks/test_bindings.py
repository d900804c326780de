"""Checks of bindings: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.bindings import BINDINGS
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.runs import RUNS
from tests.checks.judging import judged, put, rows_of
from tests.estates import Estate
from tests.tables import a_table_of

ON_LAST_DAY = {"cluster": "slurm-a", "day": "2026-03-31"}


def a_binding_of_each_hold(estate: Estate, gpu: str = "GPU-{}") -> pl.DataFrame:
    """One GPU for every hold of the last day, named after its run."""
    columns = [name for name in BINDINGS.column_names if name in HOLDS.column_names]
    return (
        rows_of(estate, HOLDS)
        .select(columns)
        .with_columns(
            gpu=pl.format(gpu, "run") if "{}" in gpu else pl.lit(gpu),
            device=pl.lit(None, pl.Int32),
            evidence=pl.lit("prolog map"),
            is_estimate=pl.lit(False),
        )
        .select(BINDINGS.column_names)
    )


def label(job: str, *, gpu: str = "GPU-1", until: str = "2026-03-31T09:00:00Z") -> pl.DataFrame:
    """raw_devices of gpu01: a job's label on one GPU from half past eight on."""
    text = (
        f"host   gpu    hpc_job  seen_from             seen_until\ngpu01  {gpu}  {job}  2026-03-31T08:30:00Z  {until}"
    )
    return a_table_of(RAW_DEVICES, text, **ON_LAST_DAY)


def grants(*jobs: str, uuids: str = "-", indices: str = "-") -> pl.DataFrame:
    """raw_bindings of jobs on gpu01 that began at eight."""
    rows = "\n".join(f"{job}  2026-03-31T08:00:00Z  gpu01  gpu:h100  {uuids}  {indices}" for job in jobs)
    header = "JobIDRaw  Start  host  gres  device_uuids  device_indices"
    return a_table_of(RAW_BINDINGS, f"{header}\n{rows}", **ON_LAST_DAY)


def test_bindings_within_holds_passes_for_bindings_as_long_as_their_holds(estate: Estate) -> None:
    put(estate, BINDINGS, a_binding_of_each_hold(estate))

    judgement = judged("bindings_within_holds", estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["bindings"] == judgement.evidence.metrics["holds"] == 2


def test_bindings_within_holds_fails_for_a_binding_that_outlives_its_hold(estate: Estate) -> None:
    longer = a_binding_of_each_hold(estate).with_columns(held_until=pl.col("held_until") + pl.duration(seconds=1))
    put(estate, BINDINGS, longer)

    judgement = judged("bindings_within_holds", estate)

    assert judgement.is_failure
    assert judgement.evidence.blocking
    assert "at most the devices of a hold of that length: 0" in judgement.told


def test_bindings_within_holds_fails_for_more_gpus_than_a_hold_has(estate: Estate) -> None:
    twice = [a_binding_of_each_hold(estate), a_binding_of_each_hold(estate, gpu="other-{}")]
    put(estate, BINDINGS, pl.concat(twice))

    judgement = judged("bindings_within_holds", estate)

    assert judgement.is_failure
    assert "hold of that length: 1 | 2 bindings" in judgement.told


def test_bindings_exclusive_passes_for_one_gpu_each(estate: Estate) -> None:
    put(estate, BINDINGS, a_binding_of_each_hold(estate))
    put(estate, RAW_BINDINGS, grants("3", uuids="GPU-1"))

    assert judged("bindings_exclusive", estate).is_pass


def test_bindings_exclusive_fails_for_a_gpu_that_two_prologs_gave_away_and_stops_nothing(estate: Estate) -> None:
    again = rows_of(estate, HOLDS).filter(pl.col("run").str.starts_with("3@"))
    run = rows_of(estate, RUNS).filter(pl.col("run").str.starts_with("3@"))
    renamed = {"run": pl.lit("4@2026-03-31T08:00:00Z")}
    put(estate, HOLDS, pl.concat([rows_of(estate, HOLDS), again.with_columns(**renamed)]))
    put(estate, RUNS, pl.concat([rows_of(estate, RUNS), run.with_columns(**renamed, job_id_raw=pl.lit("4"))]))
    put(estate, RAW_BINDINGS, grants("3", "4", uuids="GPU-1"))

    judgement = judged("bindings_exclusive", estate)

    assert judgement.is_failure
    assert not judgement.evidence.blocking
    assert "gpu01 GPU-1 | one hold at a time; claimed by prolog map" in judgement.told


def test_bindings_exclusive_fails_for_a_gpu_bound_twice_at_once(estate: Estate) -> None:
    again = a_binding_of_each_hold(estate, gpu="GPU-1").with_columns(run=pl.lit("another"))
    put(estate, BINDINGS, pl.concat([a_binding_of_each_hold(estate, gpu="GPU-1"), again]))

    assert judged("bindings_exclusive", estate).is_failure


def test_labels_agree_passes_for_a_label_within_its_hold(estate: Estate) -> None:
    put(estate, BINDINGS, a_binding_of_each_hold(estate, gpu="GPU-1"))
    put(estate, RAW_DEVICES, label("3"))

    assert judged("labels_agree", estate).is_pass


def test_labels_agree_fails_for_a_stale_label_a_stranger_and_an_index_without_table(estate: Estate) -> None:
    put(estate, BINDINGS, a_binding_of_each_hold(estate, gpu="GPU-1").filter(~pl.col("run").str.starts_with("3@")))
    put(estate, RAW_DEVICES, pl.concat([
        label("2", until="2026-03-31T09:00:00Z").with_columns(seen_from=pl.col("seen_from").dt.offset_by("-6h")),
        label("99", gpu="GPU-2").with_columns(device=pl.lit(1, pl.Int32)),
    ]))  # fmt: skip
    put(estate, RAW_BINDINGS, grants("3", indices="0"))

    judgement = judged("labels_agree", estate)

    assert judgement.is_failure
    assert not judgement.evidence.blocking
    assert judgement.evidence.metrics["labels"] == 2
    assert "gpu01 GPU-1 labelled 2 | held 2026-03-30T22:00:00Z .. 2026-03-31T04:00:00Z" in judgement.told
    assert "gpu01 GPU-2 labelled 99" in judgement.told
    assert "3 on gpu01" in judgement.told
    assert "refused, unbound" in judgement.told
