"""Columns out of JSON texts: each distinct text is parsed once, whatever the number of rows that carry it.

Not here: what the keys mean.
"""

from collections.abc import Mapping, Sequence

import orjson
import polars as pl


def object_of(text: str | None) -> Mapping[str, object]:
    """A JSON object; nothing and what is no object are an empty one. Raises orjson.JSONDecodeError for no JSON."""
    read = orjson.loads(text) if text else None
    return read if isinstance(read, dict) else {}


def picked(texts: pl.Series, keys: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """Values out of distinct JSON objects: one row per distinct text in which one of the keys stands.

    Input:   JSON objects of texts; `keys`: column -> keys, of which the first that has a text wins.
    Output:  `text` and one String column per entry of `keys`; null where no key has a text, or an empty one.
    """
    wanted = {name for names in keys.values() for name in names}
    read = ((text, object_of(text)) for text in texts.drop_nulls().unique())
    rows = [(text, *(_first(found, names) for names in keys.values())) for text, found in read if wanted & found.keys()]
    return pl.DataFrame(rows, schema=dict.fromkeys(("text", *keys), pl.String()), orient="row")


def _first(read: Mapping[str, object], names: Sequence[str]) -> str | None:
    return next((value for name in names if isinstance(value := read.get(name), str) and value), None)
