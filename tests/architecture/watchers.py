"""What must not stand in our source: one function a rule, a module in, its offences out, one line each.

Not here: which files a rule is held against (the tests), and exemptions.
"""

import ast
import re
from collections.abc import Iterable, Iterator

from tests.architecture.source_tree import PACKAGES, Module, called_name, functions_of, public_definitions_of

LONGEST_FUNCTION = 60
LONGEST_FILE = 400
USUAL_FILE = 250
DEEPEST_IMPORT = 3

CLOCKS = (
    "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.time_ns", "time.monotonic",
    "time.perf_counter",
)  # fmt: skip
ENVIRONMENT = ("os.environ", "os.environb", "os.getenv", "environ", "getenv")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK|NotImplementedError)\b")
SECRETS = re.compile(
    r"\bAKIA[0-9A-Z]{16}\b"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|\bgh[pousr]_[A-Za-z0-9]{36}\b"
    r"|\bxox[abpr]-[A-Za-z0-9-]{10,}"
    r"|(?:\b|_)(?i:password|passwd|secret|token|secret_access_key|api_key)\s*[:=]\s*[\"'][^\"'\s{}$<>]{8,}[\"']"
    r"|://[^/\s:@\"'{}]+:[^/\s:@\"'{}]{3,}@"
)


def long_functions(module: Module) -> Iterator[str]:
    """Functions that are longer than anybody keeps in mind."""
    for name, function in functions_of(module):
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        if length > LONGEST_FUNCTION:
            yield f"{name} has {length} lines, at most {LONGEST_FUNCTION}"


def missing_docstrings(module: Module) -> Iterator[str]:
    """A module, public function, class or method that does not say what it promises."""
    if module.text and not ast.get_docstring(module.tree):
        yield f"{module.path} has no docstring"
    for name, definition in public_definitions_of(module):
        if not ast.get_docstring(definition):
            yield f"{name} has no docstring"


def missing_return_types(module: Module) -> Iterator[str]:
    """Functions that do not say what they return."""
    for name, function in functions_of(module):
        if function.returns is None:
            yield f"{name} has no return type"


def crooked_imports(module: Module) -> Iterator[str]:
    """Own imports that are relative, or of a name deeper than three."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield f"{module.path}:{node.lineno} imports relatively"
        for name in _imported(node):
            if name.partition(".")[0] in PACKAGES and name.count(".") >= DEEPEST_IMPORT:
                yield f"{module.path}:{node.lineno} imports {name}, deeper than {DEEPEST_IMPORT}"


def catch_alls(module: Module) -> Iterator[str]:
    """Handlers that catch what they cannot name."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ExceptHandler):
            kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            if any(kind is None or called_name(kind) in ("Exception", "BaseException") for kind in kinds):
                yield f"{module.path}:{node.lineno} catches everything"


def prints(module: Module) -> Iterator[str]:
    """Calls of print."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and called_name(node.func) == "print":
            yield f"{module.path}:{node.lineno} prints"


def clocks(module: Module) -> Iterator[str]:
    """Readings of a clock."""
    yield from _names(module, CLOCKS, "reads the clock")


def environment(module: Module) -> Iterator[str]:
    """Readings of the environment."""
    yield from _names(module, ENVIRONMENT, "reads the environment")


def mocks(module: Module) -> Iterator[str]:
    """Imports of a mocking library; fakes pass the tests of the real thing instead."""
    for node in ast.walk(module.tree):
        for name in _imported(node):
            if name == "mock" or name.startswith(("unittest.mock", "pytest_mock", "mock.")):
                yield f"{module.path}:{node.lineno} imports {name}"


def unfinished_work(text: str, path: str) -> Iterator[str]:
    """Marks of work that somebody left for later."""
    for number, line in enumerate(text.splitlines(), start=1):
        if UNFINISHED.search(line):
            yield f"{path}:{number} is unfinished: {line.strip()[:80]}"


def secrets(text: str, path: str) -> Iterator[str]:
    """What looks like a credential; the offending text itself is not repeated."""
    for number, line in enumerate(text.splitlines(), start=1):
        if SECRETS.search(line):
            yield f"{path}:{number} looks like a secret"


def tests_in_which_fails(check: str, modules: Iterable[Module]) -> Iterator[str]:
    """Tests in which something does not pass, by their names, and whose text or decorators name the check."""
    for module in modules:
        for name, function in functions_of(module):
            says_so = function.name.startswith("test_") and ("_fails_" in function.name or "refuses" in function.name)
            constants = (node.value for node in ast.walk(function) if isinstance(node, ast.Constant))
            if says_so and check in constants:
                yield name


def _names(module: Module, forbidden: tuple[str, ...], what: str) -> Iterator[str]:
    for node in ast.walk(module.tree):
        name = called_name(node) if isinstance(node, ast.Attribute | ast.Name) else ""
        if name in forbidden or name.endswith(tuple(f".{each}" for each in forbidden)):
            yield f"{module.path}:{node.lineno} {what}: {name}"


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names if node.module == "unittest")
