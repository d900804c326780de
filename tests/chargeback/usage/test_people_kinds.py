"""Files of people are known by their shape, and what schedulers write is never taken for one."""

import pytest

from chargeback.usage.extract import UnreadableExtract
from chargeback.usage.extract_clusters import clusters_named_in
from chargeback.usage.people_kinds import people_kind_of

OWNERS = b"cluster,kind,key,project,team,cost_centre,company,percent,valid_from,valid_until\n"
SACCT = b"JobIDRaw|Cluster|State|Start|End|AllocTRES\n"
EVENTS = b"Cluster|NodeName|TimeStart|TimeEnd|State|Reason\n"


@pytest.mark.parametrize("content, kind", [
    (OWNERS, "ownership"),
    (b"\xef\xbb\xbf# who pays\n" + OWNERS, "ownership"),
    (b'"team","key","kind","percent"\n', "ownership"),
    (b'version: "1"\neffective_from: 2026-10\ncurrency: EUR\n', "rate-cards"),
    (b"# prices\naccelerators:\n  h100: {}\nversion: 1\n", "rate-cards"),
    (b"- {cluster: a, run: 1, gpus: 2, by: x, reason: y}\n", "approvals"),
    (b'[{"cluster": "a", "run": "1", "gpus": "2", "by": "x", "reason": "y"}]', "approvals"),
    (b"- cluster: a\n  run: 1\n  gpus: 2\n  by: x\n  reason: y\n", "approvals"),
    (b'{"format": "gpu-chargeback/keyring/1", "keyring": {"version": "1"}}', "keyrings"),
    (b'{\n  "format": "gpu-chargeback/signed-record/1",\n  "record": {}}', "approvals"),
    (SACCT, None),
    (EVENTS, None),
    (b"NodeName=a Gres=gpu:2\n", None),
    (b"host,minor,nvml_index,uuid\n", None),
    (b"apiVersion: v1\nkind: Pod\nmetadata: {name: version}\n", None),
    (b'[{"kind":"Pod","spec":{"reason":1}}]', None),
    (b"", None),
    (b"\xff\xfe\x00", None),
])  # fmt: skip
def test_a_file_of_people_is_known_by_its_shape(content: bytes, kind: str | None) -> None:
    assert people_kind_of(content) == kind


def test_sacct_names_its_clusters_in_text_and_in_json() -> None:
    row = "{0}|{1}|COMPLETED|2026-10-05T00:00:00|2026-10-05T01:00:00|gres/gpu=1\n"
    text = SACCT + "".join(row.format(*each) for each in ((1, "a"), (2, "b"), (3, ""))).encode()
    job = '{"job_id":1,"time":{"start":1770000000,"end":1770003600},"state":{"current":"COMPLETED"}}'
    document = f'{{"meta":{{"plugin":{{"type":"openapi/dbv0.0.38"}},"slurm":{{"cluster":"c"}}}},"jobs":[{job}]}}'

    assert clusters_named_in("slurm/sacct", text) == {"a", "b"}
    assert clusters_named_in("slurm/sacct", document.encode()) == {"c"}
    assert clusters_named_in("slurm/sacct", b"JobIDRaw|State|Start|End\n") == frozenset()


def test_events_and_reservations_name_theirs_and_other_sources_none() -> None:
    events = EVENTS + b"a|n1|2026-10-05T00:00:00|2026-10-05T01:00:00|DOWN|\na|n2|2026-10-05T00:00:00||DOWN|\n"

    assert clusters_named_in("slurm/events", events) == {"a"}
    assert clusters_named_in("slurm/events", EVENTS.replace(b"Cluster|", b"")) == frozenset()
    assert clusters_named_in("slurm/nodes", b"NodeName=a Cluster=b\n") == frozenset()


def test_what_cannot_be_read_as_its_source_says_so() -> None:
    with pytest.raises(UnreadableExtract):
        clusters_named_in("slurm/events", b"hello\n")
