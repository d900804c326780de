"""Where what runs write to stdout and stderr is kept: on S3 beside the lake, by dagster-aws; else in the home folder.

No credentials stand in the configuration: boto3 finds them where the lake does. Not here: the event log (event_log.py).
"""

import os
from collections.abc import Mapping

import yaml

from resources.settings import Settings
from resources.storage_location import StorageLocation

FOLDER = "run-logs"


def run_logs_section(settings: Settings) -> str:
    """The `compute_logs` section of a dagster.yaml. For a lake in a directory: the folder where Dagster keeps them too.

    dagster-aws addresses an endpoint of its own by path, and Amazon by the name of the bucket.
    """
    location = settings.location
    if not location.is_s3:
        return _section("resources.run_output", "FiledRunOutput", {"base_dir": str(settings.home / "storage")})
    named = {"bucket": location.bucket, "prefix": "/".join(part for part in (location.prefix, FOLDER) if part)}
    reached = {"endpoint_url": location.endpoint_url, "region": location.region}
    config = {
        **named,
        **{name: value for name, value in reached.items() if value},
        "use_ssl": not (location.endpoint_url or "").startswith("http://"),
        "local_dir": str(settings.home / FOLDER),
        "skip_empty_files": True,
    }
    return _section("dagster_aws.s3", "S3ComputeLogManager", config)


def _section(module: str, name: str, config: Mapping[str, object]) -> str:
    section = {"compute_logs": {"module": module, "class": name, "config": dict(config)}}
    return yaml.safe_dump(section, sort_keys=False)


def reach_run_logs(location: StorageLocation) -> None:
    """Let dagster-aws's client, which takes neither region nor checksum mode, reach the store as the lake's does.

    What the environment says already stands. Processes that are started from here inherit it.
    """
    if not location.is_s3:
        return
    os.environ.setdefault("AWS_REQUEST_CHECKSUM_CALCULATION", "when_required")
    os.environ.setdefault("AWS_RESPONSE_CHECKSUM_VALIDATION", "when_required")
    if location.region:
        os.environ.setdefault("AWS_DEFAULT_REGION", location.region)
