"""The answer of `mcpizer names`, and what it looks like.

This module does not know how the answer is found.
"""

from collections.abc import Iterator

from attrs import frozen

from mcpizer_adapters.cli.output import Style, plural
from mcpizer_adapters.cli.questioned import Questioned
from mcpizer_adapters.cli.rendering import values, words
from mcpizer_adapters.clients import Clash, Fit, Misfit, Profile
from mcpizer_core import Public, one_line


@frozen
class Row:
    """A name, and how it fares with each client."""

    name: str
    fits: tuple[Fit, ...]

    @property
    def misfits(self) -> tuple[Fit, ...]:
        """The clients that do not take it."""
        return tuple(one for one in self.fits if not one.fits)


@frozen
class Named:
    """All names, for these clients, each of which calls the gateway `label`."""

    asked: Questioned
    label: str
    clients: tuple[Profile, ...]
    rows: tuple[Row, ...]
    clashes: tuple[Clash, ...]

    @property
    def fits(self) -> bool:
        """Whether every client takes every name, and keeps them apart."""
        return not self.clashes and not any(row.misfits for row in self.rows)


def fields(answer: Named) -> values.Json:
    """Return the answer as JSON."""
    return {
        "policy": values.policy(answer.asked),
        "label": answer.label,
        "fits": answer.fits,
        "clients": [
            {
                "id": one.id,
                "title": one.title,
                "first": one.first,
                "rest": one.rest,
                "longest": one.longest,
                "prefix": one.before(answer.label),
                "reserved": one.reserved,
                "beyond": one.beyond,
                "sources": list(one.sources),
            }
            for one in answer.clients
        ],
        "names": [
            {
                **values.tool(answer.asked, row.name),
                "length": len(row.name),
                "misfits": [_misfit_fields(one) for one in row.misfits],
            }
            for row in answer.rows
        ],
        "clashes": [{"client": one.profile.id, "sent": one.sent, "names": list(one.names)} for one in answer.clashes],
    }


def _misfit_fields(one: Fit) -> values.Json:
    return {
        "client": one.profile.id,
        "codes": [code.value for code in one.misfits],
        "sent": one.sent,
        "length": one.length,
        "characters": one.characters,
    }


def lines(answer: Named, *, everything: bool) -> list[str]:
    """Return the answer for people: every name, then what some client does not take, and why."""
    paint = words.brush()
    if not answer.rows:
        return ["no names: the policy maps no tool"]
    rows = [
        (
            "✗" if row.misfits else "✓",
            Style.RED if row.misfits else Style.GREEN,
            (one_line(row.name), str(len(row.name)), _verdict(answer, row), *_scope(answer, row)),
        )
        for row in answer.rows
    ]
    found = [
        paint(f"{plural(len(rows), 'name')}, {_clients(answer)}", Style.BOLD),
        *words.table(paint, rows, everything=everything),
    ]
    for profile in answer.clients:
        found += _trouble(answer, profile, paint, everything=everything)
    return found


def _scope(answer: Named, row: Row) -> tuple[str, ...]:
    scope = answer.asked.scope_of(row.name)
    return () if scope == Public() else (str(scope),)


def _clients(answer: Named) -> str:
    if len(answer.clients) == 1:
        return f"for {answer.clients[0].title}, which calls the gateway {one_line(answer.label)}"
    return f"for {plural(len(answer.clients), 'known client')}, which call the gateway {one_line(answer.label)}"


def _verdict(answer: Named, row: Row) -> str:
    if not row.misfits:
        return "fits" if len(answer.clients) == 1 else "fits all"
    if len(answer.clients) == 1:
        return "does not fit"
    return f"not {words.some([one.profile.id for one in row.misfits])}"


def _trouble(answer: Named, profile: Profile, paint: words.Paint, *, everything: bool) -> Iterator[str]:
    """Yield what of these names a client does not take, or does not keep apart."""
    misfits = [one for row in answer.rows for one in row.misfits if one.profile is profile]
    alike = [one for one in answer.clashes if one.profile is profile]
    if misfits:
        yield ""
        yield f"{paint(profile.title, Style.BOLD)} ({profile.id}): {profile.beyond}"
        rows = [("✗", Style.RED, (one_line(one.name), one_line(_why(one)))) for one in misfits]
        yield from words.table(paint, rows, everything=everything)
    if alike:
        yield ""
        yield f"{paint(profile.title, Style.BOLD)} ({profile.id}): makes one name of several"
        clashing = [("✗", Style.RED, (one_line(one.sent), f"is {words.some(one.names)}")) for one in alike]
        yield from words.table(paint, clashing, everything=everything)
    if misfits or alike:
        yield from (paint(f"    {source}", Style.FAINT) for source in profile.sources)


def _why(one: Fit) -> str:
    said = {
        Misfit.TOO_LONG: f"{one.length} characters of {one.profile.longest}",
        Misfit.CHARACTERS: f"holds {' '.join(repr(char) for char in one.characters)}",
        Misfit.FIRST_CHARACTER: f"begins with {one.sent[:1]!r}",
    }
    return ", ".join(said[code] for code in one.misfits)
