"""What is no finding in a policy and still worth a look: it compiles, and does nothing here that somebody waits for.

Which notes there are lives here and nowhere else: grants that no caller can meet, issuers whose callers this version
cannot authenticate, commands written as if a shell took them.

This module does not count: a note changes no code a command ends with.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import count

from mcpizer_adapters.artifact.contents import NO_SHELL, like_a_shell
from mcpizer_adapters.artifact.documents import PolicyDocument, StdioTransport
from mcpizer_adapters.artifact.findings import Note, Place
from mcpizer_adapters.artifact.marks import step
from mcpizer_adapters.artifact.reader import ReadPolicy
from mcpizer_adapters.cli.output import plural
from mcpizer_adapters.identity.unmet import Callers, unmet_grants
from mcpizer_core import Policy


def notes(read: ReadPolicy) -> tuple[Note, ...]:
    """Return the notes about a policy that compiled, in the order of its files; none about another."""
    if read.document is None or read.policy is None:
        return ()
    order = {one.file: number for number, one in enumerate(read.files.sources)}
    told = [*_unmet(read, read.policy, read.document), *_commands(read, read.document)]
    return tuple(sorted(told, key=lambda one: (order[one.place.file], one.place.line, one.place.column)))


def _unmet(read: ReadPolicy, policy: Policy, document: PolicyDocument) -> Iterator[Note]:
    callers = Callers(policy, document)
    for grant, unmet in unmet_grants(policy, callers):
        pointer = step(f"{grant.path}/to/attributes", unmet.attribute)
        yield from _note(read, pointer, f"no caller meets this grant: {unmet.why}")
    granted = Counter(one.to.issuer for one in policy.declaration.grants)
    for issuer in policy.declaration.issuers:
        kind = callers.not_authenticated(issuer.id)
        if kind is not None and granted[issuer.id]:
            grants = plural(granted[issuer.id], "grant")
            text = f"this version cannot authenticate callers of kind {kind}: only --as serves {issuer.id} ({grants})"
            yield from _note(read, f"{issuer.path}/kind", text)


def _commands(read: ReadPolicy, document: PolicyDocument) -> Iterator[Note]:
    """Yield a note for each command that holds its arguments. No note shows it: it may hold a secret."""
    for upstream, place in zip(document.upstreams, _transports(read), strict=True):
        if isinstance(upstream.transport, StdioTransport) and like_a_shell(upstream.transport.command):
            yield Note(place, f"the command holds blanks: {NO_SHELL}")


def _transports(read: ReadPolicy) -> Iterator[Place]:
    """Yield where each upstream says how it is reached: of a program, its command."""
    for source in read.files.sources:
        for number in count():
            pointer = f"/upstreams/{number}/transport"
            if (place := source.place(f"{pointer}/command") or source.place(pointer)) is None:
                break
            yield place


def _note(read: ReadPolicy, address: str, text: str) -> Iterator[Note]:
    if (place := read.place(address)) is not None:
        yield Note(place, text)
