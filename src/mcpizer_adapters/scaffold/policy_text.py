"""The policy that is proposed: one caller, one account for each upstream, one capability for each tool.

What is proposed, and how it reads, lives here and nowhere else. It is meant to be changed by a person, so it says what
each part is for, and it opens no tool that its upstream calls destructive.

This module does not ask upstreams and holds no secret.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from mcpizer_adapters.artifact.documents import HttpTransport, StdioTransport
from mcpizer_adapters.mcp.listing import ListedTool
from mcpizer_adapters.mcp.reports import UpstreamReport
from mcpizer_adapters.scaffold.client_config import LeftOut
from mcpizer_adapters.scaffold.naming import capability, numbered
from mcpizer_adapters.scaffold.planning import CALLER_KEY, Planned
from mcpizer_adapters.scaffold.yaml_out import comment, sequence, text
from mcpizer_core import one_line

CALLER: Final = "me"
"""The issuer and the subject of the one caller that is proposed."""

MOST_PROPOSED: Final = 1_000
"""An upstream with more tools gets none mapped: nobody reads such a proposal."""

_SAID: Final = 100
"""So many characters of a tool's description become the description of its capability."""


@frozen
class Proposed:
    """One tool of an upstream, with the capability it realises; `given` tells whether the grant has it."""

    name: str
    capability: str
    description: str
    given: bool


@frozen
class Proposal:
    """One upstream with its tools; `failure` is why they are not known, `many` how many there are beyond a proposal."""

    upstream: Planned
    tools: tuple[Proposed, ...] = ()
    failure: str | None = None
    many: int = 0


def propose(upstreams: Sequence[Planned], reports: Mapping[str, UpstreamReport]) -> tuple[Proposal, ...]:
    """Return what is proposed for each upstream; capabilities that would be the same are numbered."""
    listed = {
        one.id: sorted(reports[one.id].tools, key=lambda tool: tool.name)
        for one in upstreams
        if len(reports[one.id].tools) <= MOST_PROPOSED
    }
    ids = iter(numbered(capability(id, tool.name) for id, tools in listed.items() for tool in tools))
    return tuple(
        Proposal(
            one,
            tuple(_proposed(tool, next(ids)) for tool in listed.get(one.id, ())),
            reports[one.id].failure,
            0 if one.id in listed else len(reports[one.id].tools),
        )
        for one in upstreams
    )


def _proposed(tool: ListedTool, capability_id: str) -> Proposed:
    said = str(tool.definition.get("description") or "").strip().splitlines()
    first = one_line(" ".join(said[0].split())) if said else ""
    annotations = tool.definition.get("annotations") or {}
    cut = first if len(first) <= _SAID else first[: _SAID - 1].rstrip() + "…"
    return Proposed(tool.name, capability_id, cut, annotations.get("destructiveHint") is not True)


def answered(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Return those whose upstreams answered; the others are comments, and nothing is granted for them."""
    return [one for one in proposals if one.failure is None]


def policy_text(proposals: Sequence[Proposal], left_out: Sequence[LeftOut], source: str, modeline: str = "") -> str:
    """Return the text of the policy file. `source` says what it was made from."""
    sections = (
        _head(proposals, left_out, source, modeline),
        _capabilities(proposals),
        _upstreams(proposals),
        _accounts(proposals),
        _principals(),
        _grants(proposals),
    )
    return "\n\n".join("\n".join(lines) for lines in sections) + "\n"


def _head(proposals: Sequence[Proposal], left_out: Sequence[LeftOut], source: str, modeline: str) -> Iterator[str]:
    if modeline:
        yield comment(modeline)
    yield comment(f"Made by `mcpizer init` {one_line(source)}. It is yours now: read it, and change what is not right.")
    yield comment("Every key is explained in docs/reference/policy-file.md, in the repository of mcpizer.")
    references = [one.upstream.reference for one in answered(proposals) if one.upstream.reference is not None]
    yield comment("")
    yield comment("Before it is served, these variables have to hold secrets:")
    for name in dict.fromkeys([CALLER_KEY, *references]):
        yield comment(
            f"  {name}{'  (the key of the caller; make one up: long and random)' if name == CALLER_KEY else ''}"
        )
    for one in left_out:
        yield comment("")
        yield comment(f"Left out: {text(one.name)}: {one.why}")
    yield "version: 1"


def _capabilities(proposals: Sequence[Proposal]) -> Iterator[str]:
    yield comment(
        "The words that grants are written in. One is proposed for each tool; give several tools one capability,"
    )
    yield comment("and a name that says what it lets a caller do, wherever they belong together.")
    if not any(one.tools for one in proposals):
        yield "capabilities: []"
        return
    yield "capabilities:"
    for one in proposals:
        for tool in one.tools:
            yield f"  - id: {tool.capability}"
            if tool.description:
                yield f"    description: {text(tool.description)}"


def _upstreams(proposals: Sequence[Proposal]) -> Iterator[str]:
    yield comment(
        "The MCP servers behind the gateway, and which of their tools are open to anybody. Callers see a tool as"
    )
    yield comment("`upstream__tool`. Take a line away, and nobody sees that tool.")
    yield _section("upstreams", proposals)
    for number, one in enumerate(proposals):
        if number:
            yield ""
        if one.failure is None:
            yield from _upstream(one.upstream)
            yield from _tools(one)
        else:
            yield comment(f"{one.upstream.id} did not answer: {one_line(one.failure)}", "  ")
            yield comment("Mend it, take the first # of each line away here and in accounts, and map its tools.", "  ")
            yield from _commented(_upstream(one.upstream))


def _section(key: str, proposals: Sequence[Proposal]) -> str:
    if answered(proposals):
        return f"{key}:"
    return f"{key}: [] # take the brackets away with the first entry"


def _commented(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of an entry as comments that give the entry again without their `# `."""
    for line in lines:
        yield comment(line.removeprefix("  "), "  ")


def _upstream(upstream: Planned) -> Iterator[str]:
    yield f"  - id: {upstream.id}"
    yield from _transport(upstream)
    if upstream.reference is not None:
        yield f"    listing_account: {upstream.id}"


def _transport(upstream: Planned) -> Iterator[str]:
    indent = "      "
    yield "    transport:"
    if upstream.placeholders:
        yield comment(
            "NOT-COPIED stands for what may be a secret. A secret goes through credential, not through here.", indent
        )
    match upstream.transport:
        case StdioTransport() as stdio:
            yield f"{indent}kind: mcp-stdio"
            yield f"{indent}command: {text(stdio.command)}"
            if stdio.args:
                yield from sequence("args", stdio.args, indent)
            if stdio.cwd is not None:
                yield f"{indent}cwd: {text(stdio.cwd)}"
            yield from _pairs("env", stdio.env, upstream.left, indent)
            if stdio.credential is not None:
                yield f"{indent}credential:"
                yield f"{indent}  env: {text(stdio.credential.env)} # the account's secret goes into this variable"
        case HttpTransport() as http:
            yield f"{indent}kind: mcp-http"
            yield f"{indent}url: {text(http.url)}"
            yield from _pairs("headers", http.headers, upstream.left, indent)
            if http.credential is not None:
                yield f"{indent}credential:"
                yield f"{indent}  header: {text(http.credential.header)} # the account's secret goes into this header"
                if http.credential.prefix:
                    yield f"{indent}  prefix: {text(http.credential.prefix)}"


def _pairs(key: str, pairs: Mapping[str, str], left: Iterable[str], indent: str) -> Iterator[str]:
    """Yield variables or headers, and as comments those whose values were not copied."""
    if pairs:
        yield f"{indent}{key}:"
        for name, value in pairs.items():
            yield f"{indent}  {text(name)}: {text(value)}"
    if left := list(left):
        yield comment(f"Not copied, since they may be secrets. Write into {key} those that are none:", indent)
        for name in left:
            yield comment(f"  {text(name)}:", indent)


def _tools(proposal: Proposal) -> Iterator[str]:
    if proposal.many:
        yield comment(f"It lists {proposal.many} tools, too many to propose: map those that are to be open.", "    ")
    if not proposal.tools:
        yield "    tools: []"
        return
    yield "    tools:"
    for tool in proposal.tools:
        yield f"      - name: {text(tool.name)}"
        yield f"        capability: {tool.capability}"


def _accounts(proposals: Sequence[Proposal]) -> Iterator[str]:
    yield comment(
        "As whom calls run: one account for each upstream. A secret is a reference (env://NAME or file:///path),"
    )
    yield comment("never the secret itself.")
    yield _section("accounts", proposals)
    for one in proposals:
        yield from _account(one.upstream) if one.failure is None else _commented(_account(one.upstream))


def _account(upstream: Planned) -> Iterator[str]:
    yield f"  - id: {upstream.id}"
    if upstream.reference is not None:
        yield "    secret:"
        yield f'      ref: "env://{upstream.reference}"'


def _principals() -> Iterator[str]:
    yield comment("Who vouches for callers. This one is a single caller, known by its key.")
    yield "principals:"
    yield "  issuers:"
    yield f"    - id: {CALLER}"
    yield "      kind: static-key"
    yield f"      subject: {CALLER}"
    yield "      secret:"
    yield f'        ref: "env://{CALLER_KEY}"'


def _grants(proposals: Sequence[Proposal]) -> Iterator[str]:
    yield comment("Who gets what. There are only grants: what no grant gives, nobody has. A limit is one more key:")
    yield comment("limits: {calls: 100, per: 1h}")
    yield _section("grants", proposals)
    for number, one in enumerate(answered(proposals)):
        if number:
            yield ""
        yield "  - to:"
        yield f"      issuer: {CALLER}"
        yield from _given(one.tools)
        yield f"    using: {one.upstream.id}"


def _given(tools: Sequence[Proposed]) -> Iterator[str]:
    given, held_back = [one for one in tools if one.given], [one for one in tools if not one.given]
    if not given:
        yield "    capabilities: []"
    else:
        yield "    capabilities:"
        for one in given:
            yield f"      - {one.capability}"
    if held_back:
        yield comment("The upstream calls these destructive. Add those that this caller is to have:", "      ")
        for one in held_back:
            yield comment(f"- {one.capability}", "      ")
