"""Damaged node listings, events, reservations and job details: every record is read, ignored or quarantined."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.usage.extract import ParsedExtract, UnreadableExtract
from chargeback.usage.inventory import inventory_of
from chargeback.usage.slurm_events import parse_events
from chargeback.usage.slurm_job_details import parse_job_details
from chargeback.usage.slurm_nodes import parse_nodes
from chargeback.usage.slurm_reservations import parse_reservations

Parser = Callable[..., ParsedExtract]

NODES = b"""NodeName=gpu01 CPUTot=64 RealMemory=512000 Gres=gpu:a100:4(S:0-1),shard:80 State=IDLE+DRAIN
   Partitions=gpu,long CfgTRES=cpu=64,mem=500G,gres/gpu=4,gres/gpu:a100=4
NodeName=gpu[02-03] CPUTot=64 Gres=gpu:a100_3g.40gb:2 State=IDLE
"""
NODES_JSON = (
    b'{"nodes": [{"name": "gpu01", "gres": "gpu:h100:8", "cpus": {"set": true, "number": 64}, "state": ["IDLE"]}]}'
)
EVENTS = b"""Cluster|NodeName|TimeStart|TimeEnd|State|Reason
c|gpu01|2026-03-10T00:00:00|Unknown|DOWN*|fan
c|gpu02|2026-03-10T00:00:00|2026-03-11T00:00:00|DRAIN|xid 79
"""
RESERVATIONS = b"""Cluster|Name|TRES|TimeStart|TimeEnd
c|maint|cpu=64|2026-03-10T00:00:00|2026-03-11T00:00:00
"""
RESERVATIONS_OF_SCONTROL = b"""ReservationName=m StartTime=2026-03-10T10:00:00 EndTime=2026-03-10T12:00:00
   Nodes=gpu[01-02] Flags=MAINT TRES=cpu=128 Accounts=(null)
"""
JOBS = b"""JobId=7 JobName=x
   RunTime=01:00:00 TimeLimit=1-00:00:00
   StartTime=2026-03-10T10:00:00 EndTime=Unknown
   JOB_GRES=gpu:a100:5
     Nodes=a100-[1-2] CPU_IDs=4 Mem=2048 GRES=gpu:a100:3(IDX:0,2-3)
   OverSubscribe=NO
"""

SAMPLES: list[tuple[Parser, bytes]] = [
    (parse_nodes, NODES), (parse_nodes, NODES_JSON), (parse_events, EVENTS), (parse_reservations, RESERVATIONS),
    (parse_reservations, RESERVATIONS_OF_SCONTROL), (parse_job_details, JOBS),
]  # fmt: skip


def read_or_refuse(parse: Parser, content: bytes) -> ParsedExtract | str:
    """What the parser reads, or why it refuses the whole."""
    try:
        return parse(content, cluster="c", zone=ZoneInfo("Europe/Amsterdam"))
    except UnreadableExtract as refusal:
        return str(refusal)


@pytest.mark.parametrize("sample", range(len(SAMPLES)))
@settings(max_examples=40, deadline=None)
@given(cuts=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 20), st.binary(max_size=6)), max_size=4))
def test_a_damaged_listing_is_refused_in_one_line_or_every_record_of_it_is_accounted_for(
    sample: int, cuts: list[tuple[int, int, bytes]]
) -> None:
    parse, content = SAMPLES[sample]
    for at, length, inserted in cuts:
        content = content[:at] + inserted + content[at + length :]

    found = read_or_refuse(parse, content)

    if isinstance(found, str):
        assert "\n" not in found
        return
    assert found.records == len(found.frame) + found.steps_ignored + len(found.quarantined)
    assert all(fault.line >= 1 and fault.reason and "\n" not in fault.reason for fault in found.quarantined)
    if parse is parse_nodes:
        inventory_of(found.frame, aliases={})
