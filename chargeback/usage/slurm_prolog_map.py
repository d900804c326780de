"""Which GPUs, by UUID, a Slurm prolog saw a job get: the one record that needs no table of device numbers.

infra/extract/slurm-prolog-gpus.sh writes a line per job and host. Not here: what `scontrol show job -d` prints
(slurm_job_details.py), which knows types and device numbers but no UUIDs.
"""

from datetime import UTC, datetime

import polars as pl

from chargeback.usage.extract import EXCERPT_LENGTH, ParsedExtract, Quarantined

HEADER = "job_id|start_epoch|host|"
GPU = "gpu"

NO_GPUS = "job without GPUs"

_FIELDS = 4
_LATEST = 2**32
"""Seconds since 1970 that are no time of a job: a clock that was never set has them, or milliseconds."""


def is_prolog_map(text: str) -> bool:
    """Whether the first line names the columns of a prolog map."""
    return text.lstrip("\ufeff \r\n").startswith(HEADER)


def parse_prolog_map(text: str, *, schema: dict[str, pl.DataType]) -> ParsedExtract:
    """Read `job_id|start_epoch|host|uuids|end_epoch`: a header line, then a line per job and host.

    Input:   uuids comma-separated; the last field, which the epilog fills, may be empty or missing.
    Output:  `schema` of slurm_job_details, gres `gpu`, as many as there are UUIDs. A line speaks of the run from its
             start to its end; without an end, until it was extracted. Lines without UUIDs count as `steps_ignored`.
    """
    rows: list[dict[str, object]] = []
    quarantined: list[Quarantined] = []
    ignored = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.lstrip("\ufeff ").startswith(HEADER):
            continue
        try:
            row = _row(line.strip(), number)
        except ValueError as reason:
            quarantined.append(Quarantined(number, str(reason), line[:EXCERPT_LENGTH], None))
            continue
        ignored += row is None
        rows += [row] if row else []
    frame = pl.DataFrame(rows, schema=schema)
    reasons = {NO_GPUS: ignored} if ignored else {}
    records = len(frame) + ignored + len(quarantined)
    return ParsedExtract(frame, records, ignored, tuple(quarantined), ignored_reasons=reasons)


def with_prolog_maps(sampled: pl.DataFrame, mapped: pl.DataFrame) -> pl.DataFrame:
    """Put the UUIDs of prolog maps beside what `scontrol show job -d` showed of the same run and host.

    Input:   rows of raw_bindings, each key once in each of the two frames.
    Output:  one row per key. UUIDs stand at the row of GPUs that has as many, whatever its type, if there is one such
             row; a map that fits none stands by itself, or in place of an untyped row that says another count.
    """
    on = ["JobIDRaw", "Start", "host"]
    is_gpu = pl.col("gres").str.split(":").list.first() == GPU
    alone = sampled.filter(is_gpu, pl.len().over(on) == 1) if len(sampled) else sampled
    uuids = mapped.select(*on, "count", mapped_uuids="device_uuids")
    fitting = alone.join(uuids, on=[*on, "count"], how="inner", validate="1:1").select(*on, "gres", "mapped_uuids")
    joined = sampled.join(fitting, on=[*on, "gres"], how="left", validate="1:1").with_columns(
        device_uuids=pl.coalesce("mapped_uuids", "device_uuids")
    )
    apart = mapped.join(fitting, on=on, how="anti")
    kept = joined.join(apart, on=[*on, "gres"], how="anti")
    return pl.concat([kept.select(sampled.columns), apart.select(sampled.columns)])


def _row(line: str, number: int) -> dict[str, object] | None:
    fields = [field.strip() for field in line.split("|")]
    if len(fields) not in (_FIELDS, _FIELDS + 1):
        raise ValueError(
            f"prolog line has {len(fields)} fields, not {_FIELDS} or {_FIELDS + 1}: {HEADER}uuids|end_epoch"
        )
    job_id, start, host, uuids = fields[:_FIELDS]
    if not job_id or not host:
        raise ValueError("prolog line without a job id or a host")
    started = _instant(start, "start_epoch")
    ended = _instant(fields[_FIELDS], "end_epoch") if len(fields) > _FIELDS and fields[_FIELDS] else None
    if ended is not None and ended < started:
        raise ValueError(f"prolog line of job {job_id} ends {(started - ended).total_seconds():.0f} s before it starts")
    devices = sorted({uuid.strip() for uuid in uuids.split(",") if uuid.strip()})
    if not devices:
        return None
    return {
        "JobIDRaw": job_id,
        "Start": started,
        "host": host,
        "gres": GPU,
        "count": len(devices),
        "device_indices": None,
        "device_uuids": ",".join(devices),
        "OverSubscribe": None,
        "line": number,
        "overlaps_from": started,
        "overlaps_until": ended,
    }


def _instant(text: str, name: str) -> datetime:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < _LATEST):
        raise ValueError(f"{name} {text!r} is not in seconds since 1970; write it with `date +%s`")
    return datetime.fromtimestamp(int(text), UTC)
