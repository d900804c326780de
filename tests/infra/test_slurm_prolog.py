"""The prolog of a Slurm site, run as slurmd runs it, against an nvidia-smi and a scontrol of ours."""

import os
import subprocess
from pathlib import Path

import pytest

from chargeback.usage.slurm_devices import parse_device_map
from chargeback.usage.slurm_job_details import parse_job_details
from tests.tables import instant

SCRIPT = Path(__file__).parents[2] / "infra" / "extract" / "slurm-prolog-gpus.sh"
START = int(instant("2026-03-10T10:00:00Z").timestamp())

# A host on which minor numbers and NVML's order differ: minor 0 is NVML's GPU 1.
NVIDIA_SMI = """
==============NVSMI LOG==============

Timestamp                                 : Tue Mar 10 10:00:00 2026
Driver Version                            : 550.90.07
Attached GPUs                             : 2
GPU 00000000:07:00.0
    Product Name                          : NVIDIA A100-SXM4-80GB
    Serial Number                         : 1565220008176
    GPU UUID                              : GPU-b
    Minor Number                          : 4
    MIG Mode
        Current                           : Disabled
GPU 00000000:0F:00.0
    Product Name                          : NVIDIA A100-SXM4-80GB
    GPU UUID                              : GPU-a
    Minor Number                          : 0
"""


class Node:
    """A compute node whose commands are ours."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.spool = folder / "bin", folder / "spool"
        self.bin.mkdir(parents=True)
        self.install("nvidia-smi", f"cat <<'END'{NVIDIA_SMI}END")
        self.install("scontrol", "echo 'JobId=7 JobName=x StartTime=2026-03-10T11:00:00 EndTime=Unknown'")

    def install(self, name: str, body: str) -> None:
        """Put a command in the place of the real one."""
        program = self.bin / name
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the script with nothing in the environment but this."""
        path = f"{self.bin}:{os.environ['PATH']}"
        return subprocess.run(
            ["sh", str(SCRIPT), *arguments], capture_output=True, text=True, check=False,
            env={"PATH": path, "CHARGEBACK_GPU_SPOOL": str(self.spool), "SLURMD_NODENAME": "n1", **environment},
        )  # fmt: skip

    def starts(self, job: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """What slurmd runs before a job."""
        told = {"SLURM_JOB_ID": job, "SLURM_SCRIPT_CONTEXT": "prolog_slurmd", "SLURM_JOB_START_TIME": str(START)}
        return self.run(**{**told, **environment})

    def ends(self, job: str) -> subprocess.CompletedProcess[str]:
        """What slurmd runs after a job."""
        return self.run(SLURM_JOB_ID=job, SLURM_SCRIPT_CONTEXT="epilog_slurmd")

    def collected(self) -> list[str]:
        """The lines of this host, without the header."""
        done = self.run("--collect")
        assert done.returncode == 0
        header, *lines = done.stdout.splitlines()
        assert header == "job_id|start_epoch|host|uuids|end_epoch"
        return lines


@pytest.fixture
def node(tmp_path: Path) -> Node:
    """A node where every command answers."""
    return Node(tmp_path)


def test_a_jobs_device_numbers_are_minor_numbers_and_become_uuids(node: Node) -> None:
    done = node.starts("7", SLURM_JOB_GPUS="0,4", CUDA_VISIBLE_DEVICES="0,1")

    assert (done.returncode, done.stderr) == (0, "")
    assert node.collected() == [f"7|{START}|n1|GPU-a,GPU-b|"]


@pytest.mark.parametrize("visible", ["GPU-a,GPU-b", "MIG-11111111-2222-3333-4444-555555555555"])
def test_uuids_that_slurm_says_itself_are_taken_as_they_are(node: Node, visible: str) -> None:
    node.starts("7", SLURM_JOB_GPUS="0", CUDA_VISIBLE_DEVICES=visible)

    assert node.collected() == [f"7|{START}|n1|{visible}|"]


def test_what_the_prolog_is_not_told_the_controller_is_asked(node: Node) -> None:
    node.starts("7", SLURM_JOB_GPUS="0", SLURM_JOB_START_TIME="")

    assert node.collected() == [f"7|{START + 3600}|n1|GPU-a|"]


def test_a_job_without_gpus_leaves_nothing_behind(node: Node) -> None:
    assert node.starts("7").returncode == 0
    assert node.collected() == []


@pytest.mark.parametrize("body", ["exit 9", "echo 'NVIDIA-SMI has failed'", "cat /dev/null"])
def test_a_driver_that_does_not_answer_costs_the_evidence_and_never_the_node(node: Node, body: str) -> None:
    node.install("nvidia-smi", body)

    done = node.starts("7", SLURM_JOB_GPUS="0")

    assert done.returncode == 0
    assert "job 7 has device 0, which nvidia-smi does not name" in done.stderr
    assert node.collected() == []


def test_a_number_that_names_no_gpu_is_not_guessed(node: Node) -> None:
    done = node.starts("7", SLURM_JOB_GPUS="0,1")

    assert (done.returncode, node.collected()) == (0, [])
    assert "device 1" in done.stderr


def test_a_start_that_nobody_knows_is_not_guessed(node: Node) -> None:
    node.install("scontrol", "exit 1")

    done = node.starts("7", SLURM_JOB_GPUS="0", SLURM_JOB_START_TIME="")

    assert (done.returncode, node.collected()) == (0, [])
    assert "nobody says when job 7 started" in done.stderr


def test_a_spool_that_cannot_be_written_never_costs_the_node(node: Node) -> None:
    node.spool.write_text("a file is in the way")

    done = node.starts("7", SLURM_JOB_GPUS="0")

    assert done.returncode == 0
    assert "cannot write" in done.stderr


def test_the_epilog_writes_the_end_beside_the_start_of_its_job_alone(node: Node) -> None:
    node.starts("7", SLURM_JOB_GPUS="0")
    node.starts("77", SLURM_JOB_GPUS="4")

    assert node.ends("7").returncode == 0

    first, second = node.collected()
    assert second == f"77|{START}|n1|GPU-b|"
    assert first.startswith(f"7|{START}|n1|GPU-a|")
    assert int(first.rpartition("|")[2]) > START


def test_a_line_is_told_a_last_time_some_days_after_its_job_ended_and_then_forgotten(node: Node) -> None:
    node.starts("7", SLURM_JOB_GPUS="0")
    node.starts("8", SLURM_JOB_GPUS="4")
    (line,) = node.spool.glob("7-*.line")
    line.write_text(f"7|{START}|n1|GPU-a|{START + 60}\n")

    assert len(node.collected()) == 2
    assert node.collected() == [f"8|{START}|n1|GPU-b|"]


def test_what_a_host_collects_lands_as_bindings_and_its_device_map_as_devices(node: Node) -> None:
    node.starts("7", SLURM_JOB_GPUS="0,4")
    node.ends("7")
    text = node.run("--collect").stdout

    bindings = parse_job_details(text.encode(), cluster="slurm-a")
    devices = parse_device_map(node.run("--device-map").stdout.encode(), cluster="slurm-a")

    assert bindings.frame.select("JobIDRaw", "host", "count", "device_uuids").rows() == [("7", "n1", 2, "GPU-a,GPU-b")]
    assert bindings.quarantined == ()
    assert devices.frame.select("host", "minor", "nvml_index", "uuid").rows() == [
        ("n1", 4, 0, "GPU-b"), ("n1", 0, 1, "GPU-a"),
    ]  # fmt: skip


def test_a_host_without_gpus_has_no_device_map(node: Node) -> None:
    node.install("nvidia-smi", "exit 9")

    done = node.run("--device-map")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "slurm-prolog-gpus: nvidia-smi names no GPU on n1\n"


@pytest.mark.parametrize("arguments", [["--what"], []])
def test_a_call_that_is_none_is_refused(node: Node, arguments: list[str]) -> None:
    done = node.run(*arguments)

    assert done.returncode == 2
    assert done.stderr.startswith("usage: ")
