"""GPU counts in TRES text: typed and untyped name the same GPUs."""

import re

import polars as pl
import pytest

from chargeback.usage.tres import GrantedGres, gpu_part, parse_tres
from tests.tables import CASES, shared_file


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gres/gpu=4,gres/gpu:a100=4", [("gpu", "a100", 4)]),
        ("cpu=8,gres/gpu:V100=1,gres/gpu=1,mem=10G,node=1", [("gpu", "v100", 1)]),
        ("gres/gpu:p100=1,mem=125G", [("gpu", "p100", 1)]),
        ("gres/gpu=8,gres/gpu:a100=3,gres/gpu:h100=5", [("gpu", "a100", 3), ("gpu", "h100", 5)]),
        ("gres/gpu=5,gres/gpu:a100=3", [("gpu", "a100", 3), ("gpu", "", 2)]),
        ("gres/shard:nvidia_gb10=40,gres/shard=40", [("shard", "nvidia_gb10", 40)]),
        ("gres/mps=25", [("mps", "", 25)]),
        ("gres/cpu=9,gres/gpumem=40777023488,gres/gpuutil=100,billing=3", []),
        ("gres/gpu=0,mem=1G", []),
        ("", []),
    ],
)
def test_typed_and_untyped_counts_are_reconciled_never_added(text: str, expected: list) -> None:
    assert list(parse_tres(text).gres) == [GrantedGres(*entry) for entry in expected]


def test_an_explicit_zero_is_known_and_silence_is_not() -> None:
    assert parse_tres("cpu=1,gres/gpu=0").names_gpus
    assert not parse_tres("cpu=1,mem=1G").names_gpus


@pytest.mark.parametrize(
    "text", ["gres/gpu=3,gres/gpu:a100=4", "gres/gpu=x", "N/A", "gres/gpu=1,gres/gpu=2", "gres/gpu=-1"]
)
def test_a_contradiction_is_refused_with_what_it_is(text: str) -> None:
    with pytest.raises(ValueError, match=r"too many|no whole number|not name=count|stands twice"):
        parse_tres(text)


def test_every_tres_text_seen_in_public_means_what_it_should() -> None:
    lines = shared_file("data", "sacct", "tres_strings_seen_in_public.tsv").read_text().splitlines()[1:]
    counted = [line.split("\t") for line in lines if re.match(r"\d|0 or", line.split("\t")[1])]

    found = {text: parse_tres(text).device_count for text, _, _ in counted}

    expected = {text: 25 if count == "0.25" else int(re.match(r"\d+", count)[0]) for text, count, _ in counted}
    assert found == expected
    assert len(found) >= 17


def test_the_usage_figures_of_a_job_are_no_count() -> None:
    usage = "cpu=00:56:24,energy=0,fs/disk=350130624578,gres/gpumem=40777023488,gres/gpuutil=100"

    assert parse_tres(usage).gres == ()


def test_squeue_says_na_per_node_but_the_granted_gpu_counts() -> None:
    header, row = (CASES / "S23" / "squeue.txt").read_text().split()
    fields = dict(zip(header.split("|"), row.split("|"), strict=True))

    granted = parse_tres(fields["TRES_ALLOC"])

    assert granted.gres == (GrantedGres("gpu", "", 1),)
    with pytest.raises(ValueError, match="not name=count"):
        parse_tres(fields["TRES_PER_NODE"])


def test_only_the_entries_that_speak_of_gpus_are_looked_at_per_record() -> None:
    frame = pl.DataFrame({"text": ["billing=17,cpu=1,gres/gpu:a100=1,gres/gpumem=3,gres/gpu=1,mem=1G", "cpu=1", None]})

    found = frame.select(gpu_part(pl.col("text")))["text"].to_list()

    assert found == ["gres/gpu:a100=1,gres/gpu=1", "", None]
