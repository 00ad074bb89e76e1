"""The rules of the architecture, as data and as checks over source text.

The import line of the core and what a module of each package may do live here and nowhere else. A check
reads the syntax tree only, never imports what it judges, and answers with findings that name the place.

This module does not know which files exist: `tests/unit/test_architecture.py` applies it to the real
packages and, rule by rule, to small sources that break it.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

CORE: Final = "mcpizer_core"
ADAPTERS: Final = "mcpizer_adapters"
CONFORMANCE: Final = "mcpizer_conformance"
MODEL: Final = "mcpizer_conformance.model"

LINE: Final = (
    "names", "principals", "scopes", "policy", "reasons", "compile", "access", "catalog", "gate", "questions",
    "namespace",
)  # fmt: skip
"""The core in import order: each word, a module or a package, imports only words before it."""

PURE: Final = frozenset((
    "bisect", "collections", "copy", "dataclasses", "enum", "fractions", "functools", "heapq", "itertools", "math",
    "operator", "re", "types", "typing",
))  # fmt: skip
"""What the core may use of the standard library: from here no file, socket, clock, seed or environment is reached."""

IMPURE_NAMES: Final = frozenset(["open", "print", "input", "eval", "exec", "__import__", "breakpoint", "globals"])
"""Builtins that touch the outside or the interpreter, in any use."""

IMPURE_CALLS: Final = frozenset(["id", "vars", "locals", "compile", "setattr", "delattr"])
"""Builtins whose call does so, or whose answer differs between runs; the words themselves are fine as field names."""

HASHING: Final = frozenset([f"{CORE}.catalog.spread"])
"""Where a hash chooses a place and nothing else: no answer, and no order, depends on it."""

HARMLESS_IN_ASSERT: Final = frozenset(["isinstance", "issubclass", "len", "all", "any", "type"])

BOUNDS: Final[Mapping[str, str]] = {
    "AMBIGUITIES_PER_GROUP": "how many findings of one kind a report spells out before it counts the rest",
    "BLOCK": "how many bits of a row are put into a number one by one before longer ones are joined from halves",
    "ENOUGH": "how many grants that ask for the same are kept to know whether there is another than a given one",
    "DEEPEST": "how many bits of a hash choose a place before keys stay together",
    "FEW": "how many grants of one account are compared one by one before their facts are indexed",
    "LEAF": "how many keys of a large map stand together before they part",
    "VALUES_IN_ROWS": "how many values of an attribute have a row of bits each before its grants wait under a value",
}
"""Named numbers above 2 that the core compares with a length, each with the reason why it is no protocol limit."""

CLIENT_PATTERN: Final = re.compile(r"\\[wWdDsS]|A-Z|\{\d")
"""A client's alphabet or a counted length in a pattern; `\\w` and `\\d` moreover let other scripts in (law N5)."""

CLIENT_WORD: Final = re.compile(r"(max|min)_?len|alphabet|charset|sanitis|sanitiz|slug|truncat|shorten", re.IGNORECASE)

FORBIDDEN_WORDS: Final = frozenset(["user", "users", "manager", "managers", "helper", "helpers", "util", "utils"])


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken rule at one place."""

    rule: str
    module: str
    line: int
    note: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.rule}: {self.note}"


@dataclass(frozen=True, slots=True)
class Source:
    """One module: its dotted name and its syntax tree."""

    module: str
    tree: ast.Module


@dataclass(frozen=True, slots=True)
class Imported:
    """One imported thing: `import a.b` has no name, `from a import b` has one; `level` counts leading dots."""

    line: int
    module: str
    name: str | None
    level: int


Rule = Callable[[Source], Iterator[Finding]]


def parse(module: str, text: str) -> Source:
    return Source(module, ast.parse(text))


def read(directory: Path) -> tuple[Source, ...]:
    """Return every module of the package in `directory`, sorted by path."""
    found = []
    for path in sorted(directory.rglob("*.py")):
        parts = path.relative_to(directory.parent).with_suffix("").parts
        found.append(parse(".".join(parts[:-1] if parts[-1] == "__init__" else parts), path.read_text("utf-8")))
    return tuple(found)


def imports(source: Source) -> Iterator[Imported]:
    """Yield all imports, those inside functions and under TYPE_CHECKING too."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Imported(node.lineno, alias.name, None, 0)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield Imported(node.lineno, node.module or "", alias.name, node.level)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def import_line(source: Source) -> Iterator[Finding]:
    """A module of the core stands on the line and imports only from words before its own."""
    if source.module == CORE:
        return
    own = source.module.split(".")[1]
    if own not in LINE:
        yield Finding("import line", source.module, 1, f"{own} is not on the line")
        return
    for one in imports(source):
        if not within(one.module, CORE):
            continue
        if one.module == CORE:
            yield Finding(
                "import line", source.module, one.line, "a core module imports from modules, not from the root"
            )
            continue
        word = one.module.split(".")[1]
        if word not in LINE or LINE.index(word) > LINE.index(own):
            yield Finding(
                "import line", source.module, one.line, f"{own} imports {word}, which does not stand before it"
            )


def no_cycle(sources: Sequence[Source]) -> Iterator[Finding]:
    """Inside a word that is a package the modules form no circle."""
    modules = {source.module for source in sources} - {CORE}
    graph = {
        source.module: {
            target
            for one in imports(source)
            for target in [f"{one.module}.{one.name}" if f"{one.module}.{one.name}" in modules else one.module]
            if target in modules and target != source.module
        }
        for source in sources
        if source.module != CORE
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        yield Finding("no cycle", circle.args[1][0], 1, " -> ".join(circle.args[1]))


def pure_imports(source: Source) -> Iterator[Finding]:
    """The core imports itself and the pure part of the standard library."""
    for one in imports(source):
        root = one.module.partition(".")[0]
        if one.level == 0 and root != CORE and root not in PURE:
            yield Finding("pure imports", source.module, one.line, f"{one.module} is not on the list of pure modules")


def no_relative_import(source: Source) -> Iterator[Finding]:
    for one in imports(source):
        if one.level:
            yield Finding("no relative import", source.module, one.line, "write the whole name of the module")


def no_effect(source: Source) -> Iterator[Finding]:
    """The core calls no builtin with an effect, keeps no global state, awaits nothing, hashes only in `__hash__`."""
    for node, function in _with_function(source.tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name in IMPURE_NAMES:
                note = name
            case ast.Call(func=ast.Name(id=name)) if name in IMPURE_CALLS:
                note = f"{name}()"
            case ast.Call(func=ast.Name(id="hash")) if function != "__hash__" and source.module not in HASHING:
                note = "hash() outside __hash__: the hash of a text differs between runs"
            case ast.Call(func=ast.Attribute(attr="__setattr__" | "__delattr__")) if function != "__post_init__":
                note = "a frozen value is changed after it was made"
            case ast.Global(names=names):
                note = f"global {', '.join(names)}"
            case ast.AsyncFunctionDef() | ast.Await() | ast.AsyncFor() | ast.AsyncWith():
                note = "async"
            case _:
                continue
        yield Finding("no effect", source.module, node.lineno, note)


def _with_function(tree: ast.AST, function: str = "") -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Yield every expression and statement with the name of the function it stands in."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.expr | ast.stmt):
            yield node, function
        yield from _with_function(node, node.name if isinstance(node, ast.FunctionDef) else function)


def no_raise(source: Source) -> Iterator[Finding]:
    """The core answers with values: no `raise`, and an `assert` only of something that has no effect."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Raise):
            yield Finding("no raise", source.module, node.lineno, "answer with a value of a closed union")
        elif isinstance(node, ast.Assert):
            for part in ast.walk(node):
                if isinstance(part, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom) or (
                    isinstance(part, ast.Call)
                    and not (isinstance(part.func, ast.Name) and part.func.id in HARMLESS_IN_ASSERT)
                ):
                    yield Finding("no raise", source.module, node.lineno, "an assert that does something")
                    break


def no_protocol_limit(source: Source) -> Iterator[Finding]:
    """How long a name may be and which characters a client takes is an adapter's business.

    In the core a length is compared with 0, 1 or 2 (none, one, several) or with a number in `BOUNDS`, text is not
    cut at a fixed place, patterns count nothing and name no client's alphabet, and no name speaks of such things.
    """
    numbers = _module_numbers(source.tree)
    for node in ast.walk(source.tree):
        match node:
            case ast.Compare(left=left, comparators=others) if any(map(_is_length, [left, *others])):
                large = [part for part in [left, *others] if _number(part, numbers) > 2]
                note = "a length is compared with a number" if large else ""
            case ast.Slice(lower=lower, upper=upper) if any(_number(part, numbers) > 2 for part in (lower, upper)):
                note = "something is cut at a fixed place"
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=[ast.Constant(value=str(pattern)), *_]):
                note = f"pattern {pattern!r}" if CLIENT_PATTERN.search(pattern) else ""
            case _:
                note = next((f"the name {name}" for name in _defined(node) if CLIENT_WORD.search(name)), "")
        if note:
            yield Finding("no protocol limit", source.module, getattr(node, "lineno", node_line(node)), note)


def node_line(node: ast.AST) -> int:
    """Return the first line of a node that has none of its own (a slice, say)."""
    return min((line for part in ast.walk(node) if (line := getattr(part, "lineno", None)) is not None), default=1)


def _is_length(node: ast.expr) -> bool:
    if isinstance(node, ast.NamedExpr):
        return _is_length(node.value)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"


def _module_numbers(tree: ast.Module) -> dict[str, int]:
    """Return the whole numbers a module names at its top level, except those with a stated reason."""
    found = {}
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        for target in targets:
            if isinstance(target, ast.Name) and target.id not in BOUNDS and isinstance(value, ast.Constant):
                found[target.id] = value.value if isinstance(value.value, int) else 0
    return found


def _number(node: ast.expr | None, numbers: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name):
            return numbers.get(name, 0)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _number(operand, numbers)
        case _:
            return 0


def _defined(node: ast.AST) -> tuple[str, ...]:
    """Return the names a node defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
            return (name,)
        case _:
            return ()


def frozen_values(source: Source) -> Iterator[Finding]:
    """Every dataclass of the core is `@final` and `@dataclass(frozen=True, slots=True, …)`."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.ClassDef):
            continue
        decorators = {ast.unparse(one).partition("(")[0]: one for one in node.decorator_list}
        dataclass_ = decorators.get("dataclass")
        if dataclass_ is None:
            continue
        said = {one.arg: ast.unparse(one.value) for one in getattr(dataclass_, "keywords", [])}
        if "final" not in decorators or said.get("frozen") != "True" or said.get("slots") != "True":
            yield Finding("frozen values", source.module, node.lineno, f"{node.name} is not final, frozen and slotted")


def vocabulary(source: Source) -> Iterator[Finding]:
    """No module and no defined name uses a word that means everything and nothing."""
    for node in ast.walk(source.tree):
        names = source.module.split(".") if isinstance(node, ast.Module) else _defined(node)
        for name in names:
            for word in re.findall(r"[A-Z]?[a-z]+", name):
                if word.lower() in FORBIDDEN_WORDS:
                    yield Finding("vocabulary", source.module, node_line(node), f"{name} says {word}")


def public_core_only(source: Source, public: frozenset[str]) -> Iterator[Finding]:
    """Outside the core only its public names are used: `from mcpizer_core import …`, or from a module of the line."""
    for one in imports(source):
        if not within(one.module, CORE):
            continue
        hidden = any(part.startswith("_") for part in one.module.split("."))
        if hidden or (one.name is not None and one.name not in public) or (one.name is None and one.module != CORE):
            yield Finding(
                "public core only", source.module, one.line, f"{one.name or one.module} is not public in {CORE}"
            )
    for node in ast.walk(source.tree):
        match node:
            case ast.Attribute(value=ast.Name(id="mcpizer_core"), attr=name) if name not in public:
                yield Finding("public core only", source.module, node.lineno, f"{name} is not public in {CORE}")


def independent_model(source: Source, standard: frozenset[str]) -> Iterator[Finding]:
    """The model judges the core, so it shares nothing with it: the standard library and itself."""
    for one in imports(source):
        if one.level == 0 and not within(one.module, MODEL) and one.module.partition(".")[0] not in standard:
            yield Finding("independent model", source.module, one.line, f"{one.module} is not its own")


CORE_RULES: Final[tuple[Rule, ...]] = (
    import_line, pure_imports, no_relative_import, no_effect, no_raise, no_protocol_limit, frozen_values, vocabulary,
)  # fmt: skip
EVERYWHERE: Final[tuple[Rule, ...]] = (no_relative_import, vocabulary)


def check(sources: Iterable[Source], rules: Iterable[Rule]) -> list[Finding]:
    """Return all findings of all rules, in the order of the sources."""
    listed = tuple(rules)
    return [finding for source in sources for rule in listed for finding in rule(source)]


def public_names(root: Source) -> frozenset[str]:
    """Return what `__all__` of a package lists."""
    for node in root.tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return frozenset(ast.literal_eval(node.value))
    return frozenset()


def too_long(directory: Path, most: int, allowed: Mapping[str, str]) -> list[str]:
    """Return the files of more than `most` lines that have no stated reason, as `path: lines`."""
    found = []
    for path in sorted(directory.rglob("*.py")):
        name, lines = path.relative_to(directory.parent).as_posix(), len(path.read_text("utf-8").splitlines())
        if lines > most and name not in allowed:
            found.append(f"{name}: {lines} lines")
    return found
