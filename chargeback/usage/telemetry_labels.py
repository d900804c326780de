"""Stretches in which a device carried the same workload labels. Labels can be stale: evidence, not truth.

Several pods may stand on one device at once (time slicing), each in a series of its own; several jobs of a job map are
one text. Of two exporters, the one that knows a workload counts (case D18). Not here: who held the device.
"""

import polars as pl

from chargeback.usage.dcgm_names import joined_jobs
from chargeback.usage.telemetry_instants import FAULTS, SIGNATURE
from chargeback.usage.telemetry_said import Said

POD = ("namespace", "pod", "container", "pod_uid")
STANDING = (*POD, "hpc_job", "slice_profile")

_COUNTS = ("samples", *FAULTS)


def labels_of_sources(said: Said) -> pl.DataFrame:
    """source, set (number of its labels among all sets of labels, in order), STANDING; in order of source."""
    labels = said.series.select("source", *STANDING)
    sets = labels.select(STANDING).unique().sort(STANDING).with_row_index("set")
    return labels.join(sets, on=list(STANDING), how="left", validate="m:1", maintain_order="left")


def stretches_of(said: Said, labels: pl.DataFrame, instants: pl.DataFrame, *, staleness: int) -> pl.DataFrame:
    """Cut the instants of every device into stretches of the same labels.

    Input:   `labels`: labels_of_sources; `instants`: device, at, SIGNATURE, FAULTS and `samples` (0 or 1) of those that
             count, sorted; `staleness` in milliseconds.
    Output:  device, STANDING, `first` and `last` instant, sums of samples and FAULTS. A stretch ends where labels
             change or where more than the staleness passes without a sample. Samples count in every stretch that they
             belong to, faults in one. Instants without labels between labelled ones that are no further apart than the
             staleness are a second exporter's: they count to the stretch before them.
    """
    spans = _spans(instants, staleness)
    standing = _standing(said, labels, spans)
    is_labelled = standing.group_by("span").agg(pl.col("is_labelled").any()).sort("span")["is_labelled"]
    told = spans.with_columns(is_labelled=is_labelled)
    told = told.with_columns(is_absorbed=~pl.col("is_labelled") & _is_between(staleness))
    own = told.filter(~pl.col("is_absorbed")).with_columns(order=pl.int_range(pl.len()).over("device"))
    pieces = standing.drop("is_labelled").join(own, on="span", how="inner", validate="m:1")
    pieces = pieces.sort("device", *STANDING, "order").with_columns(stretch=_stretch(staleness))
    is_main = pl.col("stretch") == pl.col("stretch").min().over("span")
    mains = pieces.filter(is_main).select("span", "stretch")
    owner = told.select("span", owner=pl.when(~pl.col("is_absorbed")).then("span").forward_fill().over("device"))
    lent = told.join(owner, on="span", validate="1:1").join(mains, left_on="owner", right_on="span", validate="m:1")
    faults = lent.group_by("stretch").agg(pl.col(FAULTS).sum())
    borrowed = lent.filter("is_absorbed").group_by("stretch").agg(borrowed=pl.col("samples").sum())
    return (
        pieces.group_by("stretch", "device", *STANDING, maintain_order=True)
        .agg(pl.col("first").min(), pl.col("last").max(), pl.col("samples").sum())
        .join(borrowed, on="stretch", how="left", validate="1:1")
        .join(faults, on="stretch", how="left", validate="1:1")
        .with_columns(pl.col("samples") + pl.col("borrowed").fill_null(0), pl.col(FAULTS).fill_null(0))
        .drop("borrowed")
    )


def _spans(instants: pl.DataFrame, staleness: int) -> pl.DataFrame:
    """Runs of instants of a device with the same labels throughout, numbered in order of device and time."""
    goes_on = pl.all_horizontal(pl.col(name) == pl.col(name).shift(1) for name in ("device", *SIGNATURE))
    goes_on &= pl.col("at") - pl.col("at").shift(1) <= staleness
    return (
        instants.with_columns(span=(~goes_on).fill_null(True).cum_sum())
        .group_by("span", "device", maintain_order=True)
        .agg(pl.col("at").min().alias("first"), pl.col("at").max().alias("last"), pl.col(_COUNTS).sum())
    )


def _standing(said: Said, labels: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """span, STANDING, is_labelled: what stood on the device; a set without a pod only where no other set has one."""
    begins = spans.select("span", "device", at="first")
    devices = said.series.select("source", "device")
    sources = said.samples.lazy().filter(pl.col("at").is_in(begins["at"].unique().implode())).collect()
    at_begin = (
        sources.join(devices, on="source", how="left", validate="m:1")
        .join(begins, on=["device", "at"], how="inner", validate="m:1")
        .join(labels, on="source", how="left", validate="m:1")
        .select("span", *STANDING)
        .unique()
    )
    has_pod = pl.any_horizontal(pl.col(name) != "" for name in POD)
    jobs = at_begin.group_by("span").agg(jobs=pl.col("hpc_job").unique(), slice_profile=pl.col("slice_profile").max())
    joined = jobs.with_columns(hpc_job=pl.Series([joined_jobs(texts) for texts in jobs["jobs"]], dtype=pl.String))
    return (
        at_begin.select("span", *POD, has_pod=has_pod)
        .unique()
        .filter(pl.col("has_pod") | ~pl.col("has_pod").any().over("span"))
        .join(joined, on="span", how="left", validate="m:1")
        .select("span", *STANDING, is_labelled=pl.col("has_pod") | (pl.col("hpc_job") != ""))
    )


def _is_between(staleness: int) -> pl.Expr:
    """Whether the labelled spans before and after, of the same device, are at most the staleness apart."""
    before = pl.when("is_labelled").then("last").forward_fill().over("device")
    after = pl.when("is_labelled").then("first").backward_fill().over("device")
    return (after - before <= staleness).fill_null(False)


def _stretch(staleness: int) -> pl.Expr:
    """Numbers pieces that follow each other with the same labels as one stretch; of pieces sorted by labels."""
    goes_on = pl.all_horizontal(pl.col(name) == pl.col(name).shift(1) for name in ("device", *STANDING))
    goes_on &= pl.col("order") - pl.col("order").shift(1) == 1
    goes_on &= pl.col("first") - pl.col("last").shift(1) <= staleness
    return (~goes_on).fill_null(True).cum_sum()
