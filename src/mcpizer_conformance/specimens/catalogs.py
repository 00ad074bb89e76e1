"""Specimens that look names up wrongly, or keep the wrong tools.

This module does not know policies.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mcpizer_conformance.laws.subject import Meaning
from mcpizer_conformance.specimens.specimen import Functions, Specimen
from mcpizer_core import (
    AmbiguousName,
    Catalog,
    Found,
    Principal,
    Public,
    Tool,
    UnknownName,
    bind,
    catalog_of,
    lookup,
    sees,
)

Choose = Callable[[Sequence[Tool], str], Tool | None]
Order = Callable[[Sequence[Tool]], Iterable[Tool]]


def choosing(choose: Choose) -> Functions:
    """Look a name up by choosing from all tools in scope."""

    def looked_up(catalog: Catalog, name: str, principal: Principal) -> Meaning:
        tool = choose([one for one in catalog.tools if sees(principal, one.scope)], name)
        return UnknownName(name) if tool is None else Found(tool)

    return {"lookup": looked_up}


def nearest(fold: Callable[[str], str]) -> Functions:
    """Take names for one when they are the same once folded."""

    def looked_up(catalog: Catalog, name: str, principal: Principal) -> Meaning:
        meant = lookup(catalog, name, principal)
        if not isinstance(meant, UnknownName):
            return meant
        alike = (one for one in catalog.tools if sees(principal, one.scope) and fold(one.exposed) == fold(name))
        tool = next(alike, None)
        return meant if tool is None else Found(tool)

    return {"lookup": looked_up}


def picking(pick: Callable[[AmbiguousName], Tool]) -> Functions:
    """Pick one of several tools of a name."""

    def looked_up(catalog: Catalog, name: str, principal: Principal) -> Meaning:
        meant = lookup(catalog, name, principal)
        return Found(pick(meant)) if isinstance(meant, AmbiguousName) else meant

    return {"lookup": looked_up}


@dataclass(frozen=True)
class Shown:
    """A catalog that shows its tools in another order than they have in it."""

    catalog: Catalog
    tools: tuple[Tool, ...]


def showing(order: Order) -> Functions:
    """Show catalogs in another order, and look up and bind as if nothing were."""

    def shown(tools: list[Tool]) -> Shown:
        catalog = catalog_of(tools)
        return Shown(catalog, tuple(order(catalog.tools)))

    def right(catalog: Catalog | Shown) -> Catalog:
        return catalog.catalog if isinstance(catalog, Shown) else catalog

    return {
        "catalog_of": shown,
        "lookup": lambda catalog, name, principal: lookup(right(catalog), name, principal),
        "bind": lambda policy, catalog: bind(policy, right(catalog)),
    }


def units(text: str) -> bytes:
    """Return the UTF-16 code units of a text: what the plain sorting of JavaScript and Java compares."""
    return text.encode("utf-16-be", "surrogatepass")


def place_by_units(tool: Tool) -> tuple[bytes, bytes]:
    """Return by what such a sorting orders a tool."""
    return units(tool.exposed), units(tool.key)


def names_candidates_by_units() -> Functions:
    def looked_up(catalog: Catalog, name: str, principal: Principal) -> Meaning:
        meant = lookup(catalog, name, principal)
        if isinstance(meant, AmbiguousName):
            return AmbiguousName(name, tuple(sorted(meant.candidates, key=place_by_units)))
        return meant

    return {"lookup": looked_up}


def _by_rank(meant: AmbiguousName) -> Tool:
    return min(meant.candidates, key=lambda one: isinstance(one.scope, Public))


def forgets_scopes() -> Functions:
    def looked_up(catalog: Catalog, name: str, principal: Principal) -> Meaning:
        held = [one for one in catalog.tools if one.exposed == name]
        if len(held) > 1:
            return AmbiguousName(name, tuple(held))
        return Found(held[0]) if held else UnknownName(name)

    return {"lookup": looked_up}


def names_two_candidates() -> Functions:
    def looked_up(catalog: Catalog, name: str, principal: Principal) -> Meaning:
        meant = lookup(catalog, name, principal)
        return AmbiguousName(name, meant.candidates[:2]) if isinstance(meant, AmbiguousName) else meant

    return {"lookup": looked_up}


def answers_another_name() -> Functions:
    def looked_up(catalog: Catalog, name: str, principal: Principal) -> Meaning:
        return lookup(catalog, name.strip(), principal)

    return {"lookup": looked_up}


def completes_bare_names() -> Functions:
    def looked_up(catalog: Catalog, name: str, principal: Principal) -> Meaning:
        meant = lookup(catalog, name, principal)
        bare = [one for one in catalog.tools if one.name == name and sees(principal, one.scope)]
        return Found(bare[0]) if isinstance(meant, UnknownName) and len(bare) == 1 else meant

    return {"lookup": looked_up}


def looks_up_the_last_part() -> Functions:
    return choosing(lambda tools, name: next((one for one in tools if one.name == name.rpartition("__")[2]), None))


def last_writer_wins() -> Functions:
    return {"catalog_of": lambda tools: catalog_of({one.exposed: one for one in tools}.values())}


def first_writer_wins() -> Functions:
    return {"catalog_of": lambda tools: catalog_of({one.exposed: one for one in reversed(tools)}.values())}


def hides_what_clashes() -> Functions:
    def kept(tools: list[Tool]) -> Catalog:
        names = [one.exposed for one in dict.fromkeys(tools)]
        return catalog_of(one for one in tools if names.count(one.exposed) == 1)

    return {"catalog_of": kept}


def qualifies_only_on_a_clash() -> Functions:
    def bare(tools: list[Tool]) -> Catalog:
        names = [one.name for one in dict.fromkeys(tools)]
        return catalog_of(replace(one, exposed=one.name) if names.count(one.name) == 1 else one for one in tools)

    return {"catalog_of": bare}


def numbers_what_clashes() -> Functions:
    def suffixed(tools: list[Tool]) -> Catalog:
        names = [one.exposed for one in tools]
        return catalog_of(
            replace(one, exposed=f"{one.exposed}_2" if one.exposed in names[:place] else one.exposed)
            for place, one in enumerate(tools)
        )

    return {"catalog_of": suffixed}


def cuts_catalogs() -> Functions:
    return {"catalog_of": lambda tools: catalog_of(tools[:4])}


ALL: Final = (
    Specimen(
        "looks-up-the-last-part", "INV-1", "A name is looked up by what stands after the last separator.",
        looks_up_the_last_part,
    ),
    Specimen("forgets-scopes", "INV-1", "A name means a tool, whoever asks.", forgets_scopes),
    Specimen("folds-case-of-names", "INV-2", "A name in another case is taken for it.", lambda: nearest(str.casefold)),
    Specimen("trims-names", "INV-2", "Space around a name is overlooked.", lambda: nearest(str.strip)),
    Specimen(
        "confuses-hyphens", "INV-2", "A hyphen is taken for an underscore.",
        lambda: nearest(lambda name: name.replace("-", "_")),
    ),
    Specimen(
        "confuses-one-underscore", "INV-2", "One underscore is taken for two.",
        lambda: nearest(lambda name: name.replace("__", "_")),
    ),
    Specimen("completes-bare-names", "INV-2", "A tool name without an upstream is completed.", completes_bare_names),
    Specimen("answers-another-name", "INV-2", "The answer speaks of a tidied name.", answers_another_name),
    Specimen(
        "picks-the-first", "INV-3", "The first of several is picked.", lambda: picking(lambda one: one.candidates[0])
    ),
    Specimen(
        "picks-the-last", "INV-3", "The last of several is picked.", lambda: picking(lambda one: one.candidates[-1])
    ),
    Specimen("ranks-scopes-silently", "INV-3", "What is narrower wins, without a word.", lambda: picking(_by_rank)),
    Specimen("names-two-candidates", "INV-3", "Of three candidates two are named.", names_two_candidates),
    Specimen(
        "names-candidates-by-utf-16-units", "INV-3", "Candidates stand as JavaScript and Java sort their keys.",
        names_candidates_by_units,
    ),
    Specimen("last-writer-wins", "INV-3", "A tool takes the place of another of its name.", last_writer_wins),
    Specimen("first-writer-wins", "INV-3", "A tool that comes later is dropped.", first_writer_wins),
    Specimen("qualifies-only-on-a-clash", "NAME-3", "A name has a prefix if it needs one.", qualifies_only_on_a_clash),
    Specimen("numbers-what-clashes", "NAME-3", "The second of two gets a number.", numbers_what_clashes),
    Specimen("hides-what-clashes", "PROJ-6", "Tools that share a name are left out.", hides_what_clashes),
    Specimen("cuts-catalogs", "PROJ-6", "What does not fit on the first page is lost.", cuts_catalogs),
    Specimen(
        "shows-catalogs-by-utf-16-units", "PROJ-6", "A catalog stands as JavaScript and Java sort its names.",
        lambda: showing(lambda tools: sorted(tools, key=place_by_units)),
    ),
)  # fmt: skip
"""Specimens of the inverse."""
