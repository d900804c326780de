"""Slurm host lists: zeros are kept, nothing is resolved, nothing explodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chargeback.usage.hostlist import expand_hosts, fold_hosts
from tests.tables import CASES


def test_host_lists_keep_their_leading_zeros() -> None:
    lists = (CASES / "S19" / "nodelists.txt").read_text().split()

    found = [set(expand_hosts(text)) for text in lists]

    mixed = {f"foo{n}" for n in ("003", *(f"0{k}" for k in range(10, 21)), "103", "104", "10", "12", "13", "14")}
    assert found == [
        {"gpu01", "gpu02", "gpu03", "gpu04", "gpu07"},
        {"b04-09", "b04-10"},
        {*mixed, "foo-m11-16"},
        {"a100gpu2", "a100gpu4"},
    ]
    assert len(found[2]) == 19


@pytest.mark.parametrize("text", ["None assigned", "", "(null)", "None"])
def test_no_host_is_no_host(text: str) -> None:
    assert expand_hosts(text) == ()


@pytest.mark.parametrize(
    "text", ["node[0-999999999]", "a[0-999]b[0-999]", "@group", "n[1-", "a b", "n[x-y]", "n1!n2", "g[1-2]99999999999"]
)
def test_what_is_no_host_list_is_refused_before_it_is_expanded(text: str) -> None:
    with pytest.raises(ValueError, match="host list"):
        expand_hosts(text)


@given(st.sets(st.integers(0, 2000), min_size=1, max_size=30))
def test_folding_and_expanding_give_the_same_hosts(numbers: set[int]) -> None:
    hosts = {f"gpu{number:04d}" for number in numbers}

    assert set(expand_hosts(fold_hosts(hosts))) == hosts
