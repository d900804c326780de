"""What a check asks of statement lines: recomputed by another route, complete, priced. Not here: the gate itself."""

from collections import defaultdict
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction

import polars as pl

from chargeback.contracts.names import CHARGE_KINDS, CREDIT_KINDS, CREDIT_SUSPENSE, PLATFORM_OPERATIONS
from chargeback.ledger.charges import CREDITED, LINE_KEY
from chargeback.money import SECONDS_PER_HOUR, Currency


def recompute_findings(lines: pl.DataFrame, rated: pl.DataFrame, *, currency: Currency) -> list[str]:
    """Recompute every line by itself from rated usage and say where quantity or amount differ.

    Another route than the line's own: whole seconds and fractions of a second are added apart, and the amount is
    rounded by Decimal instead of Fraction. A credit is looked at beside the charge that it forgives: the credits of one
    charge, kind by kind, give back at most what was charged.
    """
    expected = _quantities(rated.filter(pl.col("price").is_not_null()))
    findings = []
    left: dict[tuple[str, ...], Decimal] = {}
    order = {kind: at for at, kind in enumerate(CHARGE_KINDS)}
    for line in sorted(lines.iter_rows(named=True), key=lambda line: (order[line["kind"]], line["line_id"])):
        quantity = expected.pop(tuple(line[column] for column in LINE_KEY), Fraction(0))
        if quantity != Fraction(line["quantity"]):
            off = Fraction(line["quantity"]) - quantity
            findings.append(
                f"line {line['line_id']}: quantity {line['quantity']} {line['quantity_unit']}s, rated usage says "
                f"{quantity}, off by {off}: materialise team_charges again"
            )
        amount = _rounded(quantity, line["price"], currency)
        charge = tuple(line[column] for column in CREDITED)
        if line["kind"] in CREDIT_KINDS:
            of = left.get(charge, Decimal(0))
            amount = -of if line["kind"] == CREDIT_SUSPENSE else -min(-amount, of)
        left[charge] = left.get(charge, Decimal(0)) + amount
        if amount != line["amount"]:
            findings.append(
                f"line {line['line_id']}: amount {line['amount']} {currency.code}, quantity x price says {amount}, "
                f"off by {line['amount'] - amount}: materialise team_charges again"
            )
    for key in sorted(expected):
        findings.append(f"rated usage of {', '.join(filter(None, key))} ({expected[key]} seconds) stands on no line")
    return findings


def completeness_findings(lines: pl.DataFrame, rated: pl.DataFrame) -> list[str]:
    """Say where physical GPU-seconds of rated usage and of the lines differ, per accelerator; unpriced usage counts.

    What the platform itself ran stands on no line.
    """
    charged: dict[str, Fraction] = defaultdict(Fraction)
    for accelerator, gpu_seconds in lines.select("accelerator", "gpu_seconds").iter_rows():
        charged[accelerator] += Fraction(gpu_seconds)
    held: dict[str, Fraction] = defaultdict(Fraction)
    charged_usage = rated.filter(pl.col("kind") != PLATFORM_OPERATIONS)
    sums = charged_usage.group_by("accelerator", "gpu_seconds_denominator").agg(
        pl.col("gpu_seconds_numerator").cast(pl.Int128).sum()
    )
    for accelerator, denominator, numerator in sums.iter_rows():
        held[accelerator] += Fraction(numerator, denominator)
    return [
        f"{accelerator}: {held[accelerator]} GPU-seconds were held, {charged[accelerator]} stand on lines, "
        f"{held[accelerator] - charged[accelerator]} are missing: price it, or materialise team_charges again"
        for accelerator in sorted(set(held) | set(charged))
        if held[accelerator] != charged[accelerator]
    ]


def _quantities(rated: pl.DataFrame) -> dict[tuple[str, ...], Fraction]:
    numerator, denominator = (pl.col(f"quantity_{part}").cast(pl.Int128) for part in ("numerator", "denominator"))
    quantities: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    sums = rated.group_by(*LINE_KEY, "quantity_denominator").agg(
        whole=(numerator // denominator).sum(), rest=(numerator % denominator).sum()
    )
    for *key, denominator_of_rest, whole, rest in sums.iter_rows():
        quantities[tuple(key)] += whole + Fraction(rest, denominator_of_rest)
    return quantities


def _rounded(quantity: Fraction, price: Decimal, currency: Currency) -> Decimal:
    """Half-even by Decimal: enough digits that a tie is seen as a tie, whatever the denominator."""
    exact = quantity * Fraction(price) / SECONDS_PER_HOUR
    with localcontext(prec=80, rounding=ROUND_HALF_EVEN):
        return (Decimal(exact.numerator) / Decimal(exact.denominator)).quantize(currency.smallest_amount)
