"""The documents of a text that holds Kubernetes objects: JSON, JSON lines, JSON one after the other, YAML.

Each document has the line where it begins, and what stood there if it cannot be read. Not here: what a document says
(kubernetes_objects.py).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson
import yaml

from chargeback.usage.nesting import ALIASES_NOT_READ, has_aliases

_BEGINS_DOCUMENT = re.compile(r"^(?=[{\[])", re.M)
_ENDS_YAML_DOCUMENT = re.compile(r"^(?:---|\.\.\.)(?=\s|$)[^\n]*", re.M)


@dataclass(frozen=True, slots=True)
class Document:
    """One document: the line where it begins, its value, or the fault that it cannot be read for and its text.

    `item_lines` are the lines where the entries of its `items` begin, if the format tells.
    """

    line: int
    value: Any
    fault: str = ""
    text: str = ""
    item_lines: tuple[int, ...] = field(default=())


class _TextLoader(yaml.CSafeLoader):
    """YAML as kubectl means it: a time is a text, as it is in JSON."""


_TextLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def documents_of(content: bytes) -> list[Document]:
    """Split a text into its documents, in order; one that cannot be read has a fault, and the others are read.

    A text that begins with a brace or bracket is JSON: one document, else one a line (as a watch prints it), else
    documents that each begin at the beginning of a line (as `kubectl get -w -o json` prints them). Else it is YAML.
    """
    clean = content.removeprefix(b"\xef\xbb\xbf")
    try:
        return [Document(1, orjson.loads(clean))]
    except orjson.JSONDecodeError:
        text = clean.decode("utf-8", errors="replace")
    if not text.strip():
        return []
    return list(_json_documents(text)) if text.lstrip()[0] in "{[" else list(_yaml_documents(text))


def _json_documents(text: str) -> Iterator[Document]:
    try:
        yield Document(1, orjson.loads(text))
    except orjson.JSONDecodeError as fault:
        lines = list(_json_lines(text))
        if any(not document.fault for document in lines):
            yield from lines
        else:
            yield from _json_chunks(text, whole=str(fault))


def _json_lines(text: str) -> Iterator[Document]:
    """Every line that is not empty; only an object is a document."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            document = _json_document(number, line)
            is_object = isinstance(document.value, dict) and document.value
            yield document if is_object or document.fault else Document(number, None, "not a JSON object", line)


def _json_chunks(text: str, *, whole: str) -> Iterator[Document]:
    """Documents of several lines each; nothing but one fault if there is only one."""
    starts = [match.start() for match in _BEGINS_DOCUMENT.finditer(text)]
    if len(starts) < 2:
        yield Document(1, None, f"JSON that breaks off or is damaged: {whole}", text[:1000])
        return
    line = text.count("\n", 0, starts[0]) + 1
    for begin, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield _json_document(line, text[begin:end])
        line += text.count("\n", begin, end)


def _json_document(line: int, text: str) -> Document:
    try:
        return Document(line, orjson.loads(text))
    except orjson.JSONDecodeError as fault:
        return Document(line, None, f"not JSON: {fault}", text[:1000])


def _yaml_documents(text: str) -> Iterator[Document]:
    """Each document by itself, so that a damaged one spoils no other; empty ones and comments are none."""
    begin = lines_before = 0
    separators = [(match.start(), match.end()) for match in _ENDS_YAML_DOCUMENT.finditer(text)]
    for ends, next_begin in [*separators, (len(text), len(text))]:
        chunk = text[begin:ends]
        if any(line.strip() and not line.lstrip().startswith("#") for line in chunk.split("\n")):
            yield _yaml_document(lines_before, chunk)
        lines_before += text.count("\n", begin, next_begin)
        begin = next_begin


def _yaml_document(lines_before: int, text: str) -> Document:
    filled = next(at for at, line in enumerate(text.split("\n"), start=1) if line.strip() and line.lstrip()[0] != "#")
    line = lines_before + filled
    loader = _TextLoader(text)
    try:
        if has_aliases(text):
            return Document(line, None, ALIASES_NOT_READ, text[:1000])
        node = loader.get_single_node()
        value = loader.construct_document(node) if node is not None else None
        items = _item_lines(node, lines_before)
    except (yaml.YAMLError, ValueError, RecursionError) as fault:
        told = " ".join(str(fault).split())
        return Document(line, None, f"not YAML: {told}", text[:1000])
    finally:
        loader.dispose()
    return Document(line, value, item_lines=items)


def _item_lines(node: yaml.Node | None, lines_before: int) -> tuple[int, ...]:
    if not isinstance(node, yaml.MappingNode):
        return ()
    entries = next((value for key, value in node.value if key.value == "items"), None)
    if not isinstance(entries, yaml.SequenceNode):
        return ()
    return tuple(lines_before + entry.start_mark.line + 1 for entry in entries.value)
