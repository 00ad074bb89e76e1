"""The law of owners (L13): for one principal a name changes its owner only after a release.

It is about whole histories, not single events: each name that a principal was ever shown is remembered with its owner.

This module does not know how ids are held or retired.
"""

from mcpizer_conformance.laws.lifecycle import moments
from mcpizer_conformance.laws.scopes import everybody
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.histories import History
from mcpizer_core import Accepted, Found, Rejected, Release, Tool, UpstreamId, split


def owners_change_only_by_release(subject: Subject, history: History) -> bool:
    """L13: whoever was shown a name of one owner is never shown it of another, unless its id was released in between.
    Hard: another owner has tried to get an id that was shown."""
    people, known, met = everybody(), dict[tuple[str, frozenset[str], str], Tool](), False
    for one in moments(subject, history):
        if isinstance(one.step.event, Release) and isinstance(one.answer, Accepted):
            released = UpstreamId(one.step.event.upstream)
            known = {at: tool for at, tool in known.items() if _id(at[2]) != released}
        for name in sorted({tool.exposed for tool in one.after.catalog.tools}):
            for person in people:
                meant = subject.lookup(one.after.catalog, name, person)
                if isinstance(meant, Found):
                    was = known.setdefault((person.id, frozenset(person.teams), name), meant.tool)
                    assert was.owner == meant.tool.owner, f"{name} went from {was.owner!r} to {meant.tool.owner!r}"
        code = getattr(one.answer, "code", None)
        met = met or code in ("id_retired", "upstream_id_taken")
    return met


def _id(name: str) -> UpstreamId | None:
    found = split(name)
    return None if found is None else found.upstream


def names_mean_one_tool(subject: Subject, history: History) -> bool:
    """L13: a namespace that began empty means one tool by a name, to everybody. Hard: a name was wanted twice."""
    met = False
    for one in moments(subject, history):
        names = {tool.exposed for tool in one.after.catalog.tools}
        for name in names:
            tools = [tool for tool in one.after.catalog.tools if tool.exposed == name]
            for person in everybody():
                assert len([tool for tool in tools if subject.sees(person, tool.scope)]) <= 1
        wanted = {each.holder.key for each in one.answer.quarantined if each.holder is not None}
        met = met or bool(wanted) or (isinstance(one.answer, Rejected) and bool(one.answer.conflicts))
    return met
