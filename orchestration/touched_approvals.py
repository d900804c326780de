"""Which days an approval of GPU counts touches: those on which a run that it names stands with another count.

Not here: what an approval is (chargeback/usage/gpu_approvals.py) and when it counts (chargeback/usage/gpu_counts.py).
"""

from collections.abc import Mapping, Sequence

import polars as pl

from chargeback.contracts.partition import Partition
from chargeback.contracts.runs import RUNS
from chargeback.signatures.recognition import signed_kind_of
from chargeback.usage.gpu_approvals import GpuCountApproval, parse_approvals
from orchestration.touching import Touching, is_taken
from orchestration.workspace import Workspace
from resources.decompression import Undecompressible
from resources.landing import LandedObject

SETTLED_BY_APPROVAL = ("unknown", "approved")

Decision = tuple[int, str, GpuCountApproval]
"""Its place among all that landed, the object that it stands in, and what it says."""


def days_of_approvals(arrived: Sequence[LandedObject], *, workspace: Workspace, days: Sequence[str]) -> Touching:
    """The open days on which a run that the entries name stands with an unknown count, or with another one."""
    found = Touching()
    keys = {landed.key for landed in arrived}
    decisions = _decisions(found, keys, workspace)
    for cluster in sorted({said.cluster for _, key, said in decisions if key in keys}):
        if cluster in workspace.settings.clusters:
            after = {said.run: (at, key, said) for at, key, said in decisions if said.cluster == cluster}
            before = {said.run: (at, key, said) for at, key, said in decisions
                      if said.cluster == cluster and key not in keys}  # fmt: skip
            for day, names, basis in _settled_by_approval(workspace, cluster, days):
                counts, counted = _last(after, names), _last(before, names)
                if counts is None or counts[1] not in keys:
                    continue
                decides_otherwise = counted is None or counted[2].gpus != counts[2].gpus
                if (basis == "unknown" or decides_otherwise) and not _is_taken(counts[1], workspace, cluster, day):
                    found.touch_day(Partition.of_day(cluster, day).key, {counts[1]})
    return found


def _is_taken(key: str, workspace: Workspace, cluster: str, day: str) -> bool:
    state = workspace.lake.state(RUNS, Partition.of_day(cluster, day))
    return state is not None and is_taken(state, key)


def _decisions(found: Touching, arrived: set[str], workspace: Workspace) -> list[Decision]:
    """Every entry of every file that can be read, in order of landing; an arrived file that cannot be is refused."""
    decisions: list[Decision] = []
    for landed in workspace.landing.objects("approvals", None):
        try:
            content = workspace.landing.read(landed)
            if signed_kind_of(content):  # touched_months.py
                continue
            parsed = parse_approvals(content)
        except Undecompressible as damage:
            reasons: tuple[str, ...] = (str(damage),)
        else:
            reasons = tuple(f"{landed.key}: {finding}" for finding in parsed.findings)
            decisions += [(len(decisions) + at, landed.key, said) for at, said in enumerate(parsed.approvals)]
        if reasons and landed.key in arrived:
            found.refuse(landed.key, "\n".join(reasons))
    return [each for each in decisions if each[1] not in found.refused]


def _last(decisions: Mapping[str, Decision], names: Sequence[str]) -> Decision | None:
    """The decision that counts of those that name a run in any way."""
    return max((decisions[name] for name in names if name in decisions), key=lambda each: each[0], default=None)


def _settled_by_approval(
    workspace: Workspace, cluster: str, days: Sequence[str]
) -> list[tuple[str, tuple[str, str, str], str]]:
    """Day, names and basis of the count of every run that needs an approval or has one."""
    frame = workspace.lake.scan(RUNS, [Partition.of_day(cluster, day) for day in days]).frame
    chosen = frame.filter(pl.col("gpu_count_basis").is_in(SETTLED_BY_APPROVAL))
    rows = chosen.select("day", "run", "job_id_raw", "job_id", "gpu_count_basis").collect().rows()
    return [(day, (run, raw, shown), basis) for day, run, raw, shown, basis in rows]
