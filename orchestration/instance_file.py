"""What stands in the dagster.yaml of a lake: where records are kept, how much runs at once, when a run is given up.

No password stands in it: the address of PostgreSQL is named by its environment variable. Not here: opening the instance
(instance.py), where runs' output goes (run_logs.py).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from orchestration.run_logs import run_logs_section
from resources.settings import Settings

COMMON = Path(__file__).parent.parent / "dagster.yaml"

MARK = "# Written from chargeback.toml at every start. Delete this line to keep a dagster.yaml of your own.\n"

FINANCE_CALLS_AT_ONCE = 1
START_TIMEOUT_SECONDS = 300
LOOKS_EVERY_SECONDS = 60
SLOTS_FREED_AFTER_SECONDS = 60


def instance_file(settings: Settings) -> str:
    """The text of the file; equal settings make equal bytes."""
    sections = yaml.safe_dump({**_storage(settings), **_limits(settings)}, sort_keys=False)
    return MARK + COMMON.read_text(encoding="utf-8") + sections + run_logs_section(settings)


def pool_limits(settings: Settings) -> dict[str, int]:
    """Pool -> how many steps may use that outside system at once, over all runs of the instance."""
    return {"landing": settings.instance.store_calls_at_once, "finance": FINANCE_CALLS_AT_ONCE}


def _storage(settings: Settings) -> Mapping[str, Any]:
    if settings.instance.storage == "sqlite":
        return {"event_log_storage": {"module": "resources.event_log", "class": "KeptOpenEventLog"}}
    address = {"postgres_url": {"env": settings.instance.postgres_url_env}}
    return {"storage": {"custom": {"module": "resources.postgres_storage", "class": "PostgresStorage",
                                   "config": address}}}  # fmt: skip


def _limits(settings: Settings) -> Mapping[str, Any]:
    return {
        "concurrency": {
            "pools": {"granularity": "op"},
            "runs": {"max_concurrent_runs": settings.instance.runs_at_once},
        },
        "run_monitoring": {
            "enabled": True,
            "start_timeout_seconds": START_TIMEOUT_SECONDS,
            "max_runtime_seconds": settings.instance.longest_run_minutes * 60,
            "poll_interval_seconds": LOOKS_EVERY_SECONDS,
            "free_slots_after_run_end_seconds": SLOTS_FREED_AFTER_SECONDS,
        },
    }
