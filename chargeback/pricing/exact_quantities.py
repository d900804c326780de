"""Fractions in polars columns: integer numerators and denominators, reduced before they grow. Never a float."""

import polars as pl


def times(frame: pl.DataFrame, stem: str, *, numerator: pl.Expr, denominator: pl.Expr) -> pl.DataFrame:
    """Multiply `<stem>_numerator / <stem>_denominator` by a fraction, exactly, and reduce it.

    Multiplied as 128-bit integers; a reduced result beyond 64 bits raises polars.exceptions.InvalidOperationError.
    """
    wide = frame.with_columns(
        (pl.col(f"{stem}_numerator").cast(pl.Int128) * numerator.cast(pl.Int128)).alias(f"{stem}_numerator"),
        (pl.col(f"{stem}_denominator").cast(pl.Int128) * denominator.cast(pl.Int128)).alias(f"{stem}_denominator"),
    )
    return reduced(wide, stem)


def reduced(frame: pl.DataFrame, stem: str) -> pl.DataFrame:
    """Divide `<stem>_numerator` and `<stem>_denominator` by their greatest common divisor, as Int64."""
    pair = frame.select(a=pl.col(f"{stem}_numerator").cast(pl.Int128), b=pl.col(f"{stem}_denominator").cast(pl.Int128))
    while pair.select((pl.col("b") != 0).any()).item():  # Euclid, all rows at once
        pair = pair.with_columns(
            a=pl.when(pl.col("b") != 0).then("b").otherwise("a"),
            b=pl.when(pl.col("b") != 0)
            .then(pl.col("a") % pl.when(pl.col("b") != 0).then("b").otherwise(1))
            .otherwise(0),
        )
    divisor = pl.lit(pair["a"])
    return frame.with_columns(
        (pl.col(f"{stem}_numerator").cast(pl.Int128) // divisor).cast(pl.Int64).alias(f"{stem}_numerator"),
        (pl.col(f"{stem}_denominator").cast(pl.Int128) // divisor).cast(pl.Int64).alias(f"{stem}_denominator"),
    )
