"""A lake of two days by the command line: chargeback.toml, small extracts, and `chargeback` in processes of its own.

The first billed day is the last but one of March, so the month has two days. Not here: what is expected of it.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from resources.storage_location import StorageLocation

MONTH, DAYS, CLUSTER = "2026-03", ("2026-03-30", "2026-03-31"), "slurm-a"
CHARGEBACK = Path(sys.executable).parent / "chargeback"

SACCT = """\
JobIDRaw|JobID|Cluster|Account|User|QOS|Partition|State|Start|End|ElapsedRaw|AllocTRES|NodeList
201|201|slurm-a|vision-lab|ada|normal|gpu|COMPLETED|2026-03-30T08:00:00|2026-03-30T18:00:00|36000|gres/gpu:h100=4|gpu01
202|202|slurm-a|nlp-lab|bob|scavenger|gpu|COMPLETED|2026-03-30T21:00:00|2026-03-31T09:00:00|43200|gres/gpu:h100=8|gpu02
203|203|slurm-a|misc|eve|normal|gpu|FAILED|2026-03-31T10:00:00|2026-03-31T12:30:00|9000|gres/gpu:h100=1|gpu01
"""
NODES = "NodeName=gpu01 Gres=gpu:h100:8 State=IDLE\n\nNodeName=gpu02 Gres=gpu:h100:8 State=IDLE\n"
EVENTS = """\
Cluster|NodeName|TimeStart|TimeEnd|State|Reason
slurm-a|gpu01|2026-03-31T14:00:00|2026-03-31T16:00:00|DOWN|fan
"""
OWNERSHIP = """\
cluster,kind,key,project,team,cost_centre,company,percent,valid_from,valid_until
slurm-a,account,vision-lab,vis-01,Vision,4711,C1,100,2026-01-01,
slurm-a,account,nlp-lab,nlp-02,NLP,4712,C1,100,2026-01-01,
"""
CARD = """\
version: "2026.1"
effective_from: 2026-01
currency: EUR
accelerators:
  h100-sxm5-80gb:
    standard: {price: 2.385, unit: GPU-hour}
    preemptible: {price: 1.68, unit: GPU-hour}
"""
EXTRACTS = {
    "slurm/sacct": ("sacct.psv", SACCT),
    "slurm/nodes": ("nodes.txt", NODES),
    "slurm/events": ("events.psv", EVENTS),
    "ownership": ("ownership.csv", OWNERSHIP),
    "rate-cards": ("card.yaml", CARD),
}
REST_OF_SETTINGS = """
[billing]
timezone = "Europe/Amsterdam"
currency = "EUR"
first_day = 2026-03-30
[clusters.slurm-a]
timezone = "UTC"
tiers = {scavenger = "preemptible"}
[accelerators]
h100 = "h100-sxm5-80gb"
"""


@dataclass(frozen=True)
class SmallLake:
    """A folder with a chargeback.toml; the lake lies beside it or where `location` says."""

    folder: Path

    @property
    def home(self) -> Path:
        """The folder of the Dagster instance."""
        return self.folder / ".dagster"

    @property
    def environment(self) -> dict[str, str]:
        """This process's, without what another lake might have left in it."""
        kept = {name: value for name, value in os.environ.items() if name not in ("DAGSTER_HOME", "CHARGEBACK_TOML")}
        return {**kept, "DAGSTER_HOME": str(self.home), "GX_ANALYTICS_ENABLED": "false"}

    def run(self, *arguments: str | Path, program: str | Path = CHARGEBACK) -> subprocess.CompletedProcess[str]:
        """A command in the folder, to its end, whatever that is."""
        return subprocess.run(
            [str(program), *map(str, arguments)], cwd=self.folder, env=self.environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    def land(self, *sources: str) -> list[subprocess.CompletedProcess[str]]:
        """Land the extracts of some sources, or all of them."""
        landed = []
        for source in sources or EXTRACTS:
            name, text = EXTRACTS[source]
            file = self.folder / name
            file.write_text(text)
            of_cluster = ["--cluster", CLUSTER] if source.startswith("slurm/") else []
            at = "2026-04-02T02:00:00Z" if source in ("slurm/sacct", "slurm/events") else "2026-02-28T02:00:00Z"
            landed.append(self.run("land", file, "--source", source, *of_cluster, "--extracted-at", at))
        return landed

    def bill(self) -> subprocess.CompletedProcess[str]:
        """Bill the month in one worker."""
        return self.run("bill", MONTH, "--workers", "1")


def small_lake(folder: Path, location: StorageLocation | None = None) -> SmallLake:
    """Write the settings of a lake in a directory of the folder, or on a store."""
    lake = {"root": "lake"} if location is None else {"root": location.root, "endpoint_url": location.endpoint_url}
    lines = [f'{name} = "{value}"' for name, value in lake.items() if value]
    if location is not None and location.allow_http:
        lines.append("allow_http = true")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "chargeback.toml").write_text("[lake]\n" + "\n".join(lines) + REST_OF_SETTINGS)
    return SmallLake(folder)
