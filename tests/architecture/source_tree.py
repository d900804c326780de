"""Our own source, parsed once: what the architecture tests read. Not here: any rule about it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("chargeback", "resources", "assets", "checks", "orchestration")
SHELL = ("resources", "orchestration")
"""Where the world may be touched: clock, environment, adapters."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """One file of Python: its path from the root of the repository, its text and its tree."""

    path: str
    text: str
    tree: ast.Module

    @property
    def package(self) -> str:
        """The folder at the top: chargeback, tests, ..."""
        return self.path.partition("/")[0]

    @property
    def length(self) -> int:
        """Lines, empty ones and comments included."""
        return len(self.text.splitlines())


def module_of(text: str, path: str = "chargeback/usage/example.py") -> Module:
    """A module from text, as the watchers take it."""
    return Module(path, text, ast.parse(text))


@cache
def modules_in(*folders: str) -> tuple[Module, ...]:
    """Every module below these folders of the repository, by path."""
    files = sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))
    return tuple(module_of(file.read_text(encoding="utf-8"), str(file.relative_to(ROOT))) for file in files)


def functions_of(module: Module) -> Iterator[tuple[str, Function]]:
    """Every function of a module, nested ones too, as `path:line name`."""
    for node in ast.walk(module.tree):
        if isinstance(node, Function):
            yield f"{module.path}:{node.lineno} {node.name}", node


def public_definitions_of(module: Module) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    """Public functions and classes of a module, and the public methods of its public classes."""
    yield from _public(module.tree, module.path)


def _public(parent: ast.Module | ast.ClassDef, path: str) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    for node in parent.body:
        if not isinstance(node, Function | ast.ClassDef) or node.name.startswith("_"):
            continue
        yield f"{path}:{node.lineno} {node.name}", node
        if isinstance(node, ast.ClassDef):
            yield from _public(node, path)


def called_name(node: ast.expr) -> str:
    """`datetime.now` for the expression `datetime.now`; empty for what is no plain name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = called_name(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""
