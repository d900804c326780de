"""Who knows a table's name knows its contract, asset, check and test: what contracts say is true of the tree."""

import ast

import polars as pl
import pytest

from chargeback.contracts.contract import Contract
from chargeback.contracts.registry import CONTRACTS
from checks.registry import ALL_CHECKS
from orchestration.graph import ASSETS
from tests.architecture import watchers
from tests.architecture.source_tree import ROOT, Function, functions_of, modules_in

TABLES = [contract.table for contract in CONTRACTS]
CHECK_NAMES = sorted(check.name for check in ALL_CHECKS)
FRACTIONS_AS_TEXT = ("exact_amount", "exact_total")
"""Unrounded amounts: reduced fractions, which no decimal holds."""
CHECK_TESTS = modules_in("tests/checks")


@pytest.mark.parametrize("contract", CONTRACTS, ids=TABLES)
def test_no_column_of_any_table_is_a_floating_point_number(contract: Contract) -> None:
    floating = [column.name for column in contract.columns if column.dtype.is_float()]

    assert floating == []


@pytest.mark.parametrize("contract", CONTRACTS, ids=TABLES)
def test_every_amount_and_price_is_an_exact_decimal(contract: Contract) -> None:
    money = [column for column in contract.columns if column.unit.startswith("currency")]
    money += [column for column in contract.columns if column.name.endswith(("amount", "price"))]

    inexact = [column.name for column in money if not isinstance(column.dtype, pl.Decimal)]

    assert [name for name in inexact if name not in FRACTIONS_AS_TEXT] == []


@pytest.mark.parametrize("table", TABLES)
def test_every_table_has_contract_asset_check_and_test_named_after_it(table: str) -> None:
    wanted = [f"chargeback/contracts/{table}.py", f"assets/{table}.py", f"checks/{table}.py",
              f"tests/checks/test_{table}.py"]  # fmt: skip

    assert [path for path in wanted if not (ROOT / path).exists()] == []


def test_the_graph_has_exactly_the_tables_that_have_a_contract() -> None:
    in_graph = sorted(asset.key.to_user_string() for asset in ASSETS)

    assert in_graph == sorted(TABLES)


def test_every_asset_file_that_defines_a_table_is_named_after_it() -> None:
    defining = {
        module.path: [function.name for _, function in functions_of(module) if _is_asset(function)]
        for module in modules_in("assets")
    }

    assert {path: names for path, names in defining.items() if names and f"assets/{names[0]}.py" != path} == {}
    assert sorted(name for names in defining.values() for name in names) == sorted(TABLES)


def _is_asset(function: Function) -> bool:
    return any(ast.unparse(decorator).partition("(")[0] == "dg.asset" for decorator in function.decorator_list)


@pytest.mark.parametrize("contract", CONTRACTS, ids=TABLES)
def test_every_table_names_exactly_the_checks_that_the_gate_holds_against_it(contract: Contract) -> None:
    held = [check.name for check in ALL_CHECKS if check.contract.table == contract.table]

    assert sorted(held) == sorted(contract.checks)
    assert held


def test_no_two_checks_share_a_name() -> None:
    assert len(set(CHECK_NAMES)) == len(CHECK_NAMES)


@pytest.mark.parametrize("check", CHECK_NAMES)
def test_every_check_has_a_test_in_which_it_does_not_pass(check: str) -> None:
    failing = list(watchers.tests_in_which_fails(check, CHECK_TESTS))

    assert failing, f"no test_..._fails_... or ..._refuses_... in tests/checks names {check!r}"
