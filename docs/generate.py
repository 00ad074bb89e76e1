"""Writes the reference pages that the code already knows: every code with its meaning, and the public core API.

`python -m docs.generate` writes them; a test fails while they differ from the code. Which pages are generated, and
from what, lives here and nowhere else.

This module does not explain: the pages repeat what enums and docstrings say.
"""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from docs import kill_table

from mcpizer_conformance.clauses import Clause, edition
from mcpizer_conformance.clauses import clauses as every_clause
from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.selftest import kills
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.wire.functions import EVERY, GATEWAY
from mcpizer_conformance.wire.messages import SHAPES
from mcpizer_conformance.wire.shapes import said

DOCS: Final = Path(__file__).parent
SRC: Final = DOCS.parent / "src"
CORE: Final = "mcpizer_core"
MARK: Final = "<!-- Written by `python -m docs.generate`; edit the code instead. -->\n"

VOCABULARIES: Final = (
    ("Reason codes", "mcpizer_core.reasons", "ReasonCode"),
    ("Diagnostic codes", "mcpizer_core.compile.diagnostics", "DiagnosticCode"),
    ("Severities", "mcpizer_core.compile.diagnostics", "Severity"),
    ("Rejections of an event", "mcpizer_core.namespace.answers", "RejectionCode"),
    ("Offers set aside", "mcpizer_core.namespace.values", "QuarantineCode"),
    ("Changes of a catalog", "mcpizer_core.namespace.answers", "ChangeKind"),
    ("Outcomes of a listing", "mcpizer_core.namespace.values", "ListingOutcome"),
    ("Rules of conflict", "mcpizer_core.namespace.rules", "ConflictRule"),
    ("Outcomes of a call", "mcpizer_adapters.audit.record", "CallOutcome"),
    ("Faults of a caller", "mcpizer_adapters.gateway.outcomes", "CallerFault"),
    ("Faults of a credential", "mcpizer_adapters.credentials.secrets", "CredentialFault"),
    ("Faults of an upstream", "mcpizer_adapters.gateway.faults", "UpstreamFault"),
    ("Results of an invoked call", "mcpizer_adapters.audit.record", "Verdict"),
    ("Definitions set aside", "mcpizer_adapters.mcp.listing", "SetAsideCode"),
)
"""The closed vocabularies a person or a program meets, in reading order."""


RUNNING: Final = """## A gateway that runs

With the next two functions a gateway is started and ended. In between the suite calls it over its own transport, at the
address and with the headers that were answered, and plays the upstreams behind it, over streamable HTTP on loopback.
The two keep what runs in between, so a driver has one gateway at a time. Starting one may take longer than an answer is
waited for: `--timeout` says how long.

What becomes of a call is one of seven words, and is told to the caller so:

- `unauthenticated`: HTTP 401.
- `unknown_name`, `ambiguous_name`, and `denied` where the caller is not shown the tool: the protocol error -32602, in
  words that differ in the name only.
- `denied` of a tool that is shown, `credential_failed`, `upstream_failed`: a result with `isError: true`, and under
  `code` of its `structuredContent` the [reason](codes.md#reason-codes) of a denial, or else the outcome.
- `invoked`: the upstream's result.

A record has that outcome, the exposed name and the principal, except where nobody was authenticated; the account, where
a credential was resolved or could not be; a code of the gateway's own; and both versions. The records come in the order
of the calls. Everything that a header in `headers` ends with is taken for a secret, like the credentials.

Every upstream has an id of its own, so no name is ever ambiguous here.
"""

WIDTH: Final = 100


class Definition(NamedTuple):
    """A public name: the module of the import line it belongs to, its syntax, and the docstring that follows it."""

    module: str
    node: ast.stmt
    doc: str


def pages() -> dict[str, str]:
    """Return every generated page: its path under `docs` and its text."""
    return {
        "reference/codes.md": codes(),
        "reference/core.md": core(),
        "reference/clauses.md": clauses(),
        "reference/kill-table.md": f"{MARK}\n{kill_table.page(kills.stored()[1])}",
        "reference/conformance-protocol.md": protocol(),
        "reference/strategies.md": strategies(),
    }


def stale(directory: Path = DOCS) -> list[str]:
    """Return the generated pages that are missing or differ from what the code says now."""
    return [
        name
        for name, text in pages().items()
        if not (directory / name).is_file() or (directory / name).read_text("utf-8") != text
    ]


def codes() -> str:
    """Return the page of all closed vocabularies."""
    parts = [
        MARK,
        "# Codes\n",
        "Every code is one word of a closed list: match on it, store it, alert on it. The text beside it is for\n"
        "people and may change (see [what is not API](../explanation/compatibility.md)).\n",
    ]
    for title, module, name in VOCABULARIES:
        vocabulary = getattr(importlib.import_module(module), name)
        parts += [f"## {title}\n", f"{inspect.cleandoc(vocabulary.__doc__)}\n", _table(vocabulary, module)]
    return "\n".join(parts)


def _table(vocabulary: type[StrEnum], module: str) -> str:
    columns = [column for column in ("severity", "meaning", "remedy") if column in vocabulary.__annotations__]
    meanings = {} if columns else _member_docs(_class_node(module, vocabulary.__name__))
    head = ["code", *(columns or ["meaning"])]
    rows = [
        [f"`{member.value}`", *[_cell(str(getattr(member, one))) for one in columns]]
        if columns
        else [f"`{member.value}`", meanings[member.name]]
        for member in vocabulary
    ]
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(text: str) -> str:
    """Return `text` for a table of Markdown, where brackets, stars and bars would mean something."""
    return re.sub(r"([\[\]*|])", r"\\\1", text)


def _class_node(module: str, name: str) -> ast.ClassDef:
    (node,) = [node for node in _tree(module).body if isinstance(node, ast.ClassDef) and node.name == name]
    return node


def _member_docs(node: ast.ClassDef) -> dict[str, str]:
    """Return what the string after each member of an enum says."""
    return {
        ast.unparse(one.targets[0]): inspect.cleandoc(doc).replace("\n", " ")
        for one, doc in _with_docs(node.body)
        if isinstance(one, ast.Assign) and doc
    }


def clauses() -> str:
    """Return the page of the clauses of the conformance suite, with the laws and specimens of each."""
    profiles = dict.fromkeys(one.profile for one in every_clause().values())
    parts = [
        MARK,
        "# Clauses\n",
        "What an implementation claims when it claims a profile of the conformance suite, one sentence each.\n"
        "The id of a clause never changes and is never used again. [The kill table](kill-table.md) shows that the\n"
        "laws notice who breaks them.\n",
        f"Edition {edition().id} is the {len(edition().required)} clauses that have laws, as they are worded, frozen\n"
        f"as `{edition().digest}`. The others are not covered yet.\n",
    ]
    for profile in profiles:
        parts.append(f"## {profile}\n")
        parts += [_clause(one) for one in every_clause().values() if one.profile == profile]
    return "\n".join(parts)


def _clause(one: Clause) -> str:
    laws = [f"`{law.id}`" for law in LAWS if law.clause == one.id]
    wrong = [f"`{specimen.name}`" for specimen in SPECIMENS.values() if specimen.breaks == one.id]
    scored = "" if one.id in edition().required else ", not covered by a law yet, and not scored"
    lines = [
        f"### {one.id}\n",
        f"**{_cell(one.sentence)}** ({one.keyword.value}, law {one.law}{scored})\n",
        f"{_cell(one.why)} Seen in {_cell(one.bug)}\n",
    ]
    lines += [f"- Laws: {', '.join(laws)}"] if laws else []
    lines += [f"- Specimens that break it: {', '.join(wrong)}"] if wrong else []
    return "\n".join([*lines, ""])


WRITTEN = (
    ("number", 'its decimal text, `"20"`: JSON numbers are read differently from language to language'),
    ("set", "a sorted list without repetitions"),
    ("scope", '`["public"]`, `["team", NAME]`, or `["owner", ID]`, which only the principal of that id sees'),
    ("attribute of a principal, or of a grant", "a list, also if it holds one text; of a grant all have to be there"),
    ("usage", '`calls` and `window_start_ms` speak of `counted` only; otherwise both are `"0"`'),
    ("decision", "an allow has an account and a limit (null: none), a denial has neither (DEC-8)"),
    ("code", "[a reason](codes.md#reason-codes) in a decision, [a finding](codes.md#diagnostic-codes) of a policy"),
    (
        "list of tools",
        "in canonical order: by code points of the exposed name (not by UTF-16 units), then of the key; tools that "
        "share both stand in an order that depends on nothing but themselves",
    ),
    ("declaration", "with every path filled in, except for `compile_policy`"),
    ("namespace", "with the rule and the scheme of names it lives by; whoever keeps only one declines the other"),
)
"""How the values of the protocol are written, where a shape does not say it."""


def protocol() -> str:
    """Return the page of the functions that an implementation may be asked, with the shapes of what goes in and out."""
    parts = [
        MARK,
        "# The conformance protocol\n",
        "One JSON object per line in each direction, in UTF-8; [the tutorial](../tutorial/prove-your-gateway.md)\n"
        "shows them at work. Nothing else may stand on the standard output of a driver; its standard error is free,\n"
        "and is told when it ends or answers wrongly. `mcpizer-conformance copy DIR` writes this as JSON Schema.\n",
        "## Messages\n",
        "The suite says `hello`, `call`, `reset` and `bye`; these answer the first three, and nothing answers `bye`.\n"
        "`seq` is echoed as it came. What is declined is not done at all; what failed is errored. No key stands twice\n"
        "in an object, at any depth: languages differ in which of the values they take, so such a line is no answer.\n",
        "```text",
        *(f"{name.removesuffix('-answer'):7} {said(SHAPES[name])}" for name in ("hello-answer", "call-answer")),
        f"reset   {said(SHAPES['reset-answer'])}",
        "```\n",
        "## How values are written\n",
        "| value | as |\n| --- | --- |",
        *(f"| {value} | {told} |" for value, told in WRITTEN),
        "\n## Functions\n",
        "`?` marks what may be null, and the keys after `;` may be absent. The words are those of\n"
        "[the glossary](../glossary.md). A namespace comes with the rule and the scheme of names that it lives by;\n"
        "whoever keeps only one of them declines the other. What the steps of a play ask for is told in\n"
        "[the guide](../howto/prove-a-store.md).\n",
    ]
    for name, function in EVERY.items():
        parts += [RUNNING] if name == next(iter(GATEWAY)) else []
        shapes = f"input   {said(function.input)}\noutput  {said(function.output)}"
        parts += [f"### `{name}`\n", f"{function.doc}\n", f"```text\n{shapes}\n```\n"]
    return "\n".join(parts)


def strategies() -> str:
    """Return the page of what others may import to make cases with."""
    module = "mcpizer_conformance.strategies"
    parts = [
        MARK,
        "# Strategies\n",
        f"{inspect.cleandoc(ast.get_docstring(_tree(module)) or '')}\n",
        "Import them from `mcpizer_conformance.strategies`; [the guide](../howto/laws-in-your-tests.md) shows how.\n",
        "| name | what it makes, or is |\n| --- | --- |",
    ]
    for name in importlib.import_module(module).__all__:
        first = _definition(module, name).doc.partition("\n\n")[0]
        parts.append(f"| `{name}` | {_cell(' '.join(first.split()))} |")
    return "\n".join([*parts, ""])


def core() -> str:
    """Return the page of the public core API, in the order of the import line."""
    parts = [
        MARK,
        "# The core\n",
        "Everything here is importable from `mcpizer_core`, needs the standard library only, and never raises for\n"
        "a value of the declared type. Values are frozen, compare by content, hash and pickle, and copy every\n"
        "collection they are given. Times are epoch milliseconds.\n",
    ]
    previous = ""
    for name, definition in definitions():
        if definition.module != previous:
            parts += [
                f"## {definition.module}\n",
                _prose(ast.get_docstring(_tree(f"{CORE}.{definition.module}")) or ""),
            ]
            previous = definition.module
        parts += [f"### `{name}`\n", f"```pyi\n{_signature(definition.node)}\n```\n", _prose(definition.doc)]
        if isinstance(definition.node, ast.ClassDef):
            members = _member_docs(definition.node)
            parts.append("".join(f"- `{member}`: {doc}\n" for member, doc in members.items()))
    return "\n".join(part for part in parts if part)


def definitions() -> list[tuple[str, Definition]]:
    """Return the public names, module by module in import order, each module's names as its source has them."""
    found = []
    for node in ast.walk(_tree(CORE)):  # some names are imported for type checkers only, and found when they are used
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                found.append((alias.name, _definition(node.module, alias.name)))
    order = tuple(dict.fromkeys(ast.literal_eval(_line())))
    return sorted(found, key=lambda one: (order.index(one[1].module), one[1].node.lineno))


def _line() -> ast.expr:
    """Return the import line of the core, which is data of the architecture test."""
    tree = ast.parse((DOCS.parent / "tests" / "architecture.py").read_text("utf-8"))
    (line,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "LINE" and node.value
    ]
    return line


def _definition(module: str, name: str) -> Definition:
    """Return where `name` is defined, following re-exports inside the package of its word."""
    for node, doc in _with_docs(_tree(module).body):
        match node:
            case ast.FunctionDef() | ast.ClassDef() if node.name == name:
                return Definition(module.split(".")[1], node, ast.get_docstring(node) or "")
            case ast.Assign(targets=[ast.Name(id=target)]) | ast.AnnAssign(target=ast.Name(id=target)) if (
                target == name
            ):
                return Definition(module.split(".")[1], node, doc)
            case ast.ImportFrom(module=str(other)) if any(alias.name == name for alias in node.names):
                return _definition(other, name)
            case _:
                pass
    raise LookupError(f"{module} does not define {name}")


def _with_docs(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Yield each statement with the text of the string that follows it."""
    for node, after in zip(body, [*body[1:], ast.Pass()], strict=True):
        match after:
            case ast.Expr(value=ast.Constant(value=str(doc))):
                yield node, doc
            case _:
                yield node, ""


def _tree(module: str) -> ast.Module:
    path = SRC.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text("utf-8"))


def _signature(node: ast.stmt) -> str:
    match node:
        case ast.FunctionDef():
            return _function(node)
        case ast.ClassDef():
            return _class(node)
        case _:
            return _text(node)


def _function(node: ast.FunctionDef) -> str:
    given = [_argument(one, None) for one in node.args.args]
    named = [_argument(one, value) for one, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]
    listed = [*given, "*", *named] if named else given
    returns = f" -> {_text(node.returns)}" if node.returns else ""
    line = f"def {node.name}({', '.join(listed)}){returns}"
    if len(line) <= WIDTH:
        return line
    inner = "".join(f"    {one},\n" for one in listed)
    return f"def {node.name}(\n{inner}){returns}"


def _argument(node: ast.arg, default: ast.expr | None) -> str:
    annotation = f": {_text(node.annotation)}" if node.annotation else ""
    return f"{node.arg}{annotation}{f' = {_text(default)}' if default else ''}"


def _text(node: ast.AST) -> str:
    """Return the source of `node` with the quotes this project writes."""
    return ast.unparse(node).replace("'", '"')


def _class(node: ast.ClassDef) -> str:
    bases = ", ".join(base for base in map(ast.unparse, node.bases) if not base.startswith("Generic["))
    lines = [f"class {node.name}({bases}):" if bases else f"class {node.name}:"]
    for one in node.body:
        match one:
            case ast.AnnAssign(target=ast.Name(id=name)) if (
                not name.startswith("_") and (default := _default(one)) is not None
            ):
                lines.append(f"    {name}: {_text(one.annotation)}{default}")
            case ast.Assign(targets=[ast.Name(id=name)]) if not name.startswith("_"):
                lines.append(f"    {name} = {_text(_wire(one.value))}")
            case ast.FunctionDef() if not one.name.startswith("_"):
                lines += [f"    @{ast.unparse(decorator)}" for decorator in one.decorator_list]
                lines.append(f"    {_function(one)}")
            case _:
                pass
    return "\n".join(lines if len(lines) > 1 else [f"{lines[0]} ..."])


def _wire(value: ast.expr) -> ast.expr:
    """Return what stands on the wire: of a member with a meaning, the first of its parts."""
    return value.elts[0] if isinstance(value, ast.Tuple) else value


def _default(node: ast.AnnAssign) -> str | None:
    """Return the default of a field as a caller would write it, or None for what a value works out itself."""
    match node.value:
        case None:
            return ""
        case ast.Call(func=ast.Name(id="field"), keywords=keywords):
            said = {one.arg: _text(one.value) for one in keywords}
            if said.get("init") == "False":
                return None
            made = {"dict": "{}", "tuple": "()", "frozenset": "frozenset()"}
            return f" = {made[said['default_factory']] if 'default_factory' in said else said['default']}"
        case value:
            return f" = {_text(value)}"


def _prose(doc: str) -> str:
    """Return a docstring as Markdown, its examples as blocks that are shown (they run where they stand)."""
    text = inspect.cleandoc(doc)
    shown = re.sub(
        r"(?:^>>> .*\n?(?:^(?!>>> )\S.*\n?)*)+", lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text, flags=re.M
    )
    return shown.rstrip() + "\n" if shown else ""


if __name__ == "__main__":
    for name, text in pages().items():
        (DOCS / name).write_text(text, "utf-8")
