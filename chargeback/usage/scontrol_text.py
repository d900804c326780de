"""Records that `scontrol show ...` prints: each begins with its key field and goes on over any number of lines.

Not here: what the fields mean (slurm_nodes.py, slurm_reservations.py, slurm_job_details.py).
"""

from collections.abc import Iterator


def split_records(text: str, *, key: str) -> Iterator[tuple[int, str]]:
    """Line number and text of every record that begins with `key=` (`NodeName`, `JobId`); none if there is none."""
    lines = text.split("\n")
    begins = [at for at, line in enumerate(lines) if line.lstrip().startswith(f"{key}=")]
    ends = [*begins[1:], len(lines)]
    for begin, end in zip(begins, ends, strict=False):
        yield begin + 1, "\n".join(lines[begin:end])
