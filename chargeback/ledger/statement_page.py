"""A statement as one self-contained HTML page: no outside assets, equal documents make equal bytes.

Not here: any figure; the page prints what the document says. The estate's page for finance is estate_page.py.
"""

from datetime import date, timedelta
from fractions import Fraction
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from chargeback.contracts.names import UNATTRIBUTED
from chargeback.ledger.charts import STATE_SHADES
from chargeback.ledger.plain_numbers import grouped
from chargeback.ledger.statement_chart import chart_key, chart_of_days, chart_of_states
from chargeback.ledger.statement_document import PARALLEL, Document, month_name, read_document


def render_page(document: str) -> bytes:
    """The page of one statement document; `unattributed` gets the page of whoever must clear it."""
    statement = read_document(document)
    all_days = _days_of(statement["month"])
    page = templates().get_template("statement.html.jinja").render(
        s=statement,
        is_parallel=statement["mode"] == PARALLEL,
        is_suspense=statement["team"] == UNATTRIBUTED,
        chart=chart_of_days(statement["days"], all_days=all_days),
        chart_key=chart_key(statement["days"]),
        state_chart=chart_of_states(statement["state_days"], all_days=all_days),
        state_key=list(STATE_SHADES.items()),
        several_centres=len(statement["cost_centres"]) > 1,
        counts_slices=any(line["quantity_unit"] == "slice-second" for line in statement["lines"]),
        rises=_rises(statement["change"]),
    )  # fmt: skip
    return page.encode()


@cache
def templates() -> Environment:
    """The templates beside this module: everything is escaped, an unknown name raises."""
    environment = Environment(
        loader=PackageLoader("chargeback.ledger", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["n"] = grouped
    environment.filters["signed"] = signed
    environment.filters["short"] = short
    environment.filters["seconds"] = seconds
    environment.filters["month_name"] = month_name
    environment.filters["day"] = day_name
    environment.filters["sentence"] = sentence
    return environment


def short(number: str) -> str:
    """Without the zeros after the second decimal: `1144.800000` -> `1,144.80`."""
    whole, dot, decimals = number.partition(".")
    return grouped(f"{whole}{dot}{decimals.rstrip('0').ljust(2, '0')}" if dot else number)


def seconds(number: str) -> str:
    """Exact seconds with commas; a fraction stays one: `1,728,000`, `7,202/5`."""
    numerator, slash, denominator = number.partition("/")
    return f"{grouped(numerator)}{slash}{denominator}"


def signed(number: str) -> str:
    """With its sign, zero without one: `+36.00`, `−288.00`, `0.00`."""
    return f"+{grouped(number)}" if Fraction(number) > 0 else grouped(number)


def day_name(day: str) -> str:
    """`2026-10-05` as `5 Oct`."""
    return f"{int(day[8:])} {month_name(day[:7])[:3]}" if day else ""


def sentence(words: str) -> str:
    """With a capital and a full stop; all other capitals stay."""
    return f"{words[:1].upper()}{words[1:]}."


def _rises(change: Document) -> str:
    """In which direction the total went, in a word."""
    difference = Fraction(change.get("difference", "0"))
    return "up" if difference > 0 else "down" if difference < 0 else "unchanged"


def _days_of(month: str) -> list[str]:
    first = date.fromisoformat(f"{month}-01")
    days = [(first + timedelta(days=n)).isoformat() for n in range(31)]
    return [day for day in days if day[:7] == month]
