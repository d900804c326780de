"""Node records of `scontrol show node --json` and `sinfo --json`, in the shapes of Slurm 21.08, 22.05 and 23.11.

They are given back as the fields that the text form prints, so that one rule reads both. Not here: that rule.
"""

from collections.abc import Iterator, Mapping

import orjson

from chargeback.usage.extract import UnreadableExtract


def node_records_of_json(text: str, *, cluster: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The number of each record and its fields under the names of the text form.

    `nodes`: one record a node (scontrol of every version, sinfo until 22.05). `sinfo`: one record per partition and
    state with a list of its nodes (sinfo of 23.02 and later); a node in several partitions is given once, the names of
    all its partitions joined.
    Raises: UnreadableExtract for a text that is no JSON or has neither.
    """
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as reason:
        raise UnreadableExtract(f"node listing of cluster {cluster} is not readable as JSON: {reason}") from None
    if isinstance(document, dict) and isinstance(document.get("nodes"), list):
        yield from ((at, _fields_of_node(node)) for at, node in enumerate(document["nodes"], start=1))
    elif isinstance(document, dict) and isinstance(document.get("sinfo"), list):
        yield from _fields_of_groups(document["sinfo"])
    else:
        raise UnreadableExtract(
            f"not node records of cluster {cluster}: no `nodes` or `sinfo` list; use `scontrol show node --json`"
        )


def _fields_of_node(node: object) -> dict[str, str]:
    if not isinstance(node, Mapping):
        return {}
    printed = {
        "NodeName": node.get("name") or node.get("hostname"),
        "Gres": node.get("gres"),
        "CfgTRES": node.get("tres"),
        "CPUTot": _number(node.get("cpus")),
        "RealMemory": _number(node.get("real_memory")),
        "State": _joined(node.get("state"), "+"),
        "Partitions": _joined(node.get("partitions"), ","),
    }
    return {key: str(value) for key, value in printed.items() if value is not None}


def _fields_of_groups(groups: list[object]) -> Iterator[tuple[int, dict[str, str]]]:
    by_node: dict[str, tuple[int, dict[str, str]]] = {}
    for at, group in enumerate(groups, start=1):
        for name, fields in _nodes_of_group(group):
            known = by_node.setdefault(name, (at, fields))[1]
            partitions = [*known.get("Partitions", "").split(","), fields.get("Partitions", "")]
            known["Partitions"] = ",".join(sorted({partition for partition in partitions if partition}))
    yield from by_node.values()


def _nodes_of_group(group: object) -> Iterator[tuple[str, dict[str, str]]]:
    if not isinstance(group, Mapping):
        return
    names = _part(group, "nodes").get("nodes")
    printed = {
        "Gres": _part(group, "gres").get("total"),
        "CPUTot": _number(_part(group, "cpus").get("maximum")),
        "RealMemory": _number(_part(group, "memory").get("maximum")),
        "State": _joined(_part(group, "node").get("state"), "+"),
        "Partitions": _part(group, "partition").get("name"),
    }
    fields = {key: str(value) for key, value in printed.items() if value is not None}
    for name in names if isinstance(names, list) else []:
        yield str(name), {"NodeName": str(name), **fields}


def _part(record: Mapping[str, object], name: str) -> Mapping[str, object]:
    part = record.get(name)
    return part if isinstance(part, Mapping) else {}


def _number(value: object) -> object:
    """A number as it is, or out of `{"set": true, "infinite": false, "number": 64}`; None where it is not set."""
    if isinstance(value, Mapping):
        return value.get("number") if value.get("set") else None
    return value


def _joined(value: object, separator: str) -> str | None:
    if isinstance(value, list):
        return separator.join(map(str, value))
    return None if value is None else str(value)
