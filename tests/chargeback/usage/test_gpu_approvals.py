"""Approvals of GPU counts, as people write them."""

import pytest

from chargeback.usage.gpu_approvals import GpuCountApproval, parse_approvals


def test_approvals_name_a_run_a_count_and_who_said_so_why() -> None:
    text = b"""
- {cluster: c1, run: 4711, gpus: 2, by: finance, reason: asked}
- {cluster: c1, run: 8_3, gpus: node count, by: finance, reason: whole node}
"""

    parsed = parse_approvals(text)

    assert parsed.findings == ()
    assert parsed.approvals == (
        GpuCountApproval("c1", "4711", 2, "finance", "asked"),
        GpuCountApproval("c1", "8_3", None, "finance", "whole node"),
    )


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        (b"- {cluster: c1, run: 1, gpus: 2, by: x}", "approval 1: reason missing"),
        (b"- {cluster: c1, run: 1, gpus: many, by: x, reason: y}", "approval 1: gpus 'many' is neither"),
        (b"- {cluster: c1, run: 1, gpus: -1, by: x, reason: y}", "approval 1: gpus '-1' is neither"),
        (b"- 4711", "approval 1: '4711' is no entry"),
        (b"cluster: c1", "approvals are no list"),
        (b"- {cluster: [", "approvals are no YAML"),
        (b"\xff\xfe\x00", "approvals are no YAML"),
    ],
)
def test_an_approval_that_cannot_be_read_is_a_finding(text: bytes, finding: str) -> None:
    parsed = parse_approvals(text)

    assert parsed.approvals == ()
    assert parsed.findings[0].startswith(finding)


def test_an_empty_file_approves_nothing() -> None:
    assert parse_approvals(b"").approvals == ()
