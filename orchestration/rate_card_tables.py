"""A rate card, and the difference of two, on a terminal. Not here: any figure (rate_card_document.py)."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chargeback.ledger.plain_numbers import grouped
from chargeback.ledger.statement_document import Document
from chargeback.ledger.statement_page import signed

NARROWEST = 110
BAR_CELLS = 24


def print_card(document: Document, console: Console) -> None:
    """How each rate comes about, then prices, classes, policies and what to know."""
    console.width = max(console.width, NARROWEST)
    card = document["card"]
    until = f" to {card['effective_to']}" if card["effective_to"] else " on"
    console.print(Text(f"Rate card {card['version']}", style="bold"), end="")
    console.print(f" · from {card['effective_from']}{until} · {card['currency']}", markup=False)
    console.print(card["signature"], markup=False)
    for finding in document["findings"]:
        console.print(f"{finding}.", style="yellow", markup=False)
    for each in document["accelerators"]:
        _accelerator(each, card, console)
    _prices(document, console)
    for note in document["notes"]:
        console.print(f"{note}.", style="dim", markup=False)


def _accelerator(each: Document, card: Document, console: Console) -> None:
    console.print()
    console.print(Text(f"{each['accelerator']}  {each['stated']}", style="bold"))
    console.print(f"divided by {each['denominator']}", markup=False)
    table = _table(("component", "name"), ("a year", "right"), ("per GPU-hour", "right"), ("of it", "right"),
                   ("", "left"), ("from", "left"))  # fmt: skip
    for part in each["components"]:
        cells = round(float(part["per_cent"]) * BAR_CELLS / 100)
        table.add_row(
            part["name"],
            grouped(part["per_year"]),
            grouped(part["per_gpu_hour"]),
            f"{grouped(part['per_cent'])} %",
            "█" * max(cells, 0),
            Text(part["how"], style="dim"),
        )
    table.add_section()
    total = each["total"]
    rounded = f"rounded once, {card['rounding']}, to {card['rate_scale']} decimals: {each['rate']}"
    table.add_row("rate", grouped(total["per_year"]), grouped(total["per_gpu_hour"]), "100.0 %", "", rounded)
    console.print(table)
    effects = _table(("if it were otherwise", "left"), ("rate", "right"), ("difference", "right"), ("", "right"),
                     (f"{card['currency']} a year", "right"))  # fmt: skip
    for effect in each["effects"]:
        effects.add_row(
            effect["change"],
            grouped(effect["rate"]),
            signed(effect["difference"]),
            f"{signed(effect['per_cent'])} %",
            signed(effect["per_year"]),
        )
    console.print(effects)


def _prices(document: Document, console: Console) -> None:
    table = _table(("price", "name"), ("tier", "name"), (document["card"]["currency"], "right"), ("per", "name"),
                   ("how", "left"))  # fmt: skip
    for price in document["prices"]:
        hour = price["a_slice_hour"]
        table.add_row(
            Text(price["accelerator"]),
            price["tier"],
            grouped(hour or price["price"]),
            "slice-hour" if hour else price["unit"],
            Text(price["how"], style="dim"),
        )
    console.print()
    console.print(table)
    _classes(document["customer_classes"], console)
    console.print()
    for each in document["policies"]:
        console.print(f"{each['what']}: {each['policy']}", markup=False)


def _classes(classes: list[Document], console: Console) -> None:
    if not classes:
        return
    table = _table(("what a class pays", "name"), ("tier", "name"), *((each["name"], "right") for each in classes))
    for at, price in enumerate(classes[0]["prices"]):
        paid = [grouped(each["prices"][at]["price"]) for each in classes]
        table.add_row(Text(price["accelerator"]), price["tier"], *paid)
    console.print()
    console.print(table)
    for each in classes:
        console.print(f"{each['name']} ({each['kind']}): {each['terms']}", style="dim", markup=False)


def print_difference(document: Document, console: Console) -> None:
    """What changed, prices above the components behind them."""
    console.width = max(console.width, NARROWEST)
    console.print(
        f"rate card {document['before']} → {document['after']} · {document['currency']} · {document['changed']} of "
        f"{len(document['prices'])} prices change",
        markup=False,
    )
    for name, rows in (("tier", document["prices"]), ("component", document["components"])):
        changed = [row for row in rows if row["changed"]]
        if not changed:
            continue
        table = _table(("accelerator", "name"), (name, "name"), ("before", "right"), ("after", "right"),
                       ("difference", "right"), ("", "right"), ("per", "left"))  # fmt: skip
        for row in changed:
            table.add_row(
                Text(row["accelerator"]),
                row["name"],
                grouped(row["before"]) if row["before"] else "none",
                grouped(row["after"]) if row["after"] else "none",
                signed(row["difference"]) if row["difference"] else "–",
                f"{signed(row['per_cent'])} %" if row["per_cent"] else "",
                row["unit"],
            )
        console.print()
        console.print(table)


def _table(*columns: tuple[str, str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name, side in columns:
        table.add_column(name, justify="right" if side == "right" else "left", no_wrap=side != "left")
    return table
