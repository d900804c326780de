"""YAML as a tree of texts with line numbers: nothing is guessed to be a number, a date or a truth value.

Doubled keys, anchors, lists and deep nesting are refused, since a reader of a rate card would overlook them.
Not here: what a rate card means (rate_card.py).
"""

from dataclasses import dataclass

import yaml

LARGEST_BYTES = 1_000_000
DEEPEST_LEVEL = 8


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar as it is written: `1.10` stays `1.10`."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Branch:
    """A mapping; keys are unique."""

    entries: dict[str, "Text | Branch"]
    line: int


def read_tree(content: bytes) -> Branch | list[str]:
    """Read one YAML document whose root is a mapping, or say in one line each why not (`line 3: ...`)."""
    if len(content) > LARGEST_BYTES:
        return [f"is {len(content)} bytes long, {len(content) - LARGEST_BYTES} more than are read"]
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = content[: fault.start].count(b"\n") + 1
        return [f"line {line}: is not UTF-8 (byte 0x{content[fault.start]:02x}): save the file as UTF-8"]
    try:
        refusal = _refused_tokens(text)
        root = None if refusal else yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as fault:
        return [_yaml_fault(fault)]
    if refusal:
        return [refusal]
    if not isinstance(root, yaml.MappingNode):
        return ["is not a list of `name: value` lines: start with `version: ...`"]
    refusals: list[str] = []
    tree = _branch_of(root, refusals)
    return refusals or tree


def texts_of(tree: Branch) -> dict[str, object]:
    """What a tree says and nothing of how it is written: names and texts, without lines, comments, order or spaces."""
    return {name: texts_of(entry) if isinstance(entry, Branch) else entry.text for name, entry in tree.entries.items()}


def _yaml_fault(fault: yaml.YAMLError) -> str:
    mark = getattr(fault, "problem_mark", None)
    problem = getattr(fault, "problem", None) or str(fault).splitlines()[0]
    return f"line {mark.line + 1}: {problem}" if mark else f"cannot be read as YAML: {problem}"


def _refused_tokens(text: str) -> str:
    depth = 0
    for token in yaml.scan(text, Loader=yaml.BaseLoader):
        line = token.start_mark.line + 1
        if isinstance(token, (yaml.AnchorToken, yaml.AliasToken)):
            return f"line {line}: anchors and aliases are not read: write the value out"
        if isinstance(token, yaml.TagToken):
            return f"line {line}: tags are not read: write the value alone"
        if isinstance(token, (yaml.BlockSequenceStartToken, yaml.FlowSequenceStartToken, yaml.BlockEntryToken)):
            return f"line {line}: a list stands where a value or `name: value` lines belong"
        if isinstance(token, (yaml.BlockMappingStartToken, yaml.FlowMappingStartToken)):
            depth += 1
        if isinstance(token, (yaml.BlockEndToken, yaml.FlowMappingEndToken)):
            depth -= 1
        if depth > DEEPEST_LEVEL:
            return f"line {line}: is nested more than {DEEPEST_LEVEL} levels deep"
    return ""


def _branch_of(node: yaml.MappingNode, refusals: list[str]) -> Branch:
    entries: dict[str, Text | Branch] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            refusals.append(f"line {line}: a name must be plain text")
        elif key.value in entries:
            refusals.append(
                f"line {line}: {key.value!r} stands twice (first in line {entries[key.value].line}): keep one"
            )
        elif isinstance(value, yaml.MappingNode):
            entries[key.value] = _branch_at(_branch_of(value, refusals), line)
        else:
            entries[key.value] = Text(str(value.value).strip(), line)
    return Branch(entries, node.start_mark.line + 1)


def _branch_at(branch: Branch, line: int) -> Branch:
    return Branch(branch.entries, line)
