"""Where a run's stdout and stderr go: into files of the home folder, and nowhere else.

Dagster's own manager also shows them at the terminal, by two `tail` processes and a Python process that watches each, a
run; a bill of ninety runs would start hundreds, and they would write into its progress bar. Not here: S3 (run_logs.py).
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

from dagster._core.execution.compute_logs import redirect_to_file
from dagster._core.storage.compute_log_manager import CapturedLogContext, ComputeIOType
from dagster._core.storage.local_compute_log_manager import IO_TYPE_EXTENSION, LocalComputeLogManager
from dagster._serdes import ConfigurableClassData
from dagster._utils import ensure_file, touch_file


class FiledRunOutput(LocalComputeLogManager):
    """LocalComputeLogManager that mirrors nothing; what the UI shows is the same."""

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> Self:
        """Keep output below the configured folder."""
        return cls(inst_data=inst_data, **config_value)

    @contextmanager
    def capture_logs(self, log_key: Sequence[str]) -> Iterator[CapturedLogContext]:
        """While it lasts, what this process writes goes to the run's files."""
        written, faults = (
            self.get_captured_local_path(log_key, IO_TYPE_EXTENSION[kind])
            for kind in (ComputeIOType.STDOUT, ComputeIOType.STDERR)
        )
        ensure_file(written)
        ensure_file(faults)
        with redirect_to_file(sys.stdout, written), redirect_to_file(sys.stderr, faults):
            yield CapturedLogContext(log_key)
        touch_file(self.complete_artifact_path(log_key))  # type: ignore[no-untyped-call]
