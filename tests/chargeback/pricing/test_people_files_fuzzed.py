"""Files that people write: whatever is in them, they are read or refused with a reason, never a stack trace."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from chargeback.pricing.ownership import ownership_findings, ownership_of_month, read_ownership
from chargeback.pricing.rate_card import CardRefused, RateCard, read_rate_card
from tests.chargeback.pricing.built_cards import H100, HEAD
from tests.chargeback.pricing.test_ownership import HEADER
from tests.chargeback.worked_month import CARD, MARCH

BUILT = (
    f"{HEAD}policies: {{blocked: charge, preempted_minutes: 5}}\n"
    "customer_classes:\n  x: {kind: external, mark_up: 9 %}\n"
    f"accelerators:\n{H100}    node: {{cpus_per_gpu: 24, memory_gib_per_gpu: 256}}\n"
    "    slices:\n      3g.40gb: {billing_weight: 1/2}\n    geometries:\n      halves: 2 x 3g.40gb\n"
).encode()
OWNERSHIP = (HEADER + "c,account,a,p,T,1,C1,60,2026-01-01,\nc,account,a,p,U,2,C1,40,2026-01-01,2026-03-10\n").encode()


@st.composite
def mutated(draw: st.DrawFn, content: bytes) -> bytes:
    """The content with a few stretches cut out, doubled or overwritten."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 30)))
        middle = draw(st.one_of(st.binary(max_size=6), st.just(content[start:end] * 2), st.sampled_from(TOKENS)))
        content = content[:start] + middle + content[end:]
    return content


TOKENS = [
    b"", b"-1", b"1e9", b"nan", b"&a", b"*a", b"!!int", b"{", b"}", b"[", b": ", b"\n", b"\t", b'"', b"\x00",
    b"\xff", b"2026-13", b"9999999999999", b"%YAML 9", b"---\n", b"? ", b"<<: ",
]  # fmt: skip


@given(mutated(CARD))
@settings(max_examples=300, deadline=None)
@example(b"{" * 5000)
@example(b"accelerators: " + b"{a: " * 5000)
@example(b"? {a: b}\n: c\n")
def test_a_mutated_card_is_read_or_refused_with_a_reason(content: bytes) -> None:
    card = read_rate_card(content, object_key="k")

    assert isinstance(card, RateCard) or (isinstance(card, CardRefused) and all(card.reasons) and card.reasons)


@given(mutated(BUILT))
@settings(max_examples=300, deadline=None)
def test_a_mutated_card_with_a_build_up_is_read_or_refused_with_a_reason(content: bytes) -> None:
    card = read_rate_card(content, object_key="k")

    assert isinstance(card, RateCard) or (isinstance(card, CardRefused) and all(card.reasons) and card.reasons)


@given(mutated(OWNERSHIP))
@settings(max_examples=300, deadline=None)
def test_a_mutated_ownership_file_is_read_or_refused_with_a_reason(content: bytes) -> None:
    rows, refusals = read_ownership(content, object_key="k")

    assert all(refusal.startswith("ownership k line ") for refusal in refusals)
    ownership_findings(ownership_of_month(rows, period=MARCH))
