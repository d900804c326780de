"""docs/data-dictionary.md from the contracts: `python -m orchestration.data_dictionary`, or `make dictionary`.

Not here: anything that the contracts and checks do not say; a meaning is mended there, and a test holds the file to it.
"""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from chargeback.contracts.contract import Column, Contract
from chargeback.contracts.registry import CONTRACTS
from checks.gate import Stops
from checks.registry import ALL_CHECKS

DICTIONARY_FILE = Path(__file__).parent.parent / "docs" / "data-dictionary.md"

INTRODUCTION = """\
# Data dictionary

Every table of the lake, in the order in which a bill flows through them. Generated from the contracts by
`make dictionary`; a test fails while this file says something else.

Instants are UTC, in whole seconds; intervals are half-open. An amount has the currency's own decimals in a column of
four; a price has up to twelve. Floating-point numbers do not occur. Words are those of the [glossary](glossary.md).
"""

STOPS: dict[Stops, str] = {
    "run": "stops the run",
    "certificate": "stops the certificate; previews go on",
    "nothing": "is shown, stops nothing",
}


def render_data_dictionary() -> str:
    """The whole document, ending in a newline."""
    sections = [INTRODUCTION, "\n".join(_overview())]
    sections.extend("\n".join(_section(contract)) for contract in CONTRACTS)
    return "\n".join(f"{section.rstrip()}\n" for section in sections)


def write_data_dictionary() -> None:
    """Write the document where the repository keeps it."""
    DICTIONARY_FILE.write_text(render_data_dictionary(), encoding="utf-8")


def _overview() -> Iterator[str]:
    yield "| table | stage | partition | grain |"
    yield "|---|---|---|---|"
    for contract in CONTRACTS:
        yield (
            f"| [{contract.table}](#{contract.table}) | {contract.stage} | {', '.join(contract.partitioned_by)} "
            f"| {_cell(contract.grain)} |"
        )


def _section(contract: Contract) -> Iterator[str]:
    yield f"## {contract.table}"
    yield ""
    yield f"{contract.grain[0].upper()}{contract.grain[1:]}."
    yield ""
    yield f"- stage: {contract.stage}"
    yield f"- partition: {', '.join(contract.partitioned_by)}"
    yield f"- key: {', '.join(f'`{name}`' for name in contract.key)}"
    for check in ALL_CHECKS:
        if check.contract.table == contract.table:
            yield f"- check `{check.name}`: {check.holds} A failure {STOPS[check.stops]}."
    yield ""
    yield "| column | type | unit | may be null | meaning |"
    yield "|---|---|---|---|---|"
    for column in contract.columns:
        yield (
            f"| `{column.name}` | {_type_name(column.dtype)} | {_cell(column.unit)} | "
            f"{'yes' if column.nullable else ''} | {_cell(_meaning(column))} |"
        )


def _meaning(column: Column) -> str:
    said = [column.meaning]
    if column.values:
        said.append(f"one of: {', '.join(value or '(empty)' for value in column.values)}")
    if column.minimum is not None:
        said.append(f"at least {column.minimum}")
    return "; ".join(said)


def _type_name(dtype: pl.DataType) -> str:
    match dtype:
        case pl.String():
            return "text"
        case pl.Int64():
            return "whole number"
        case pl.Boolean():
            return "yes or no"
        case pl.Datetime():
            return "instant"
        case pl.Decimal(precision=precision, scale=scale):
            return f"decimal({precision}, {scale})"
    return str(dtype)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    write_data_dictionary()
