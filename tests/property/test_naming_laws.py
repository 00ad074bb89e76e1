"""The laws of naming: what a tool is called, and that the call finds its way back."""

import re
import unicodedata
from dataclasses import replace

from hypothesis import strategies as st

from mcpizer_conformance.laws import naming, projection
from mcpizer_conformance.laws.checking import holds, refutes
from mcpizer_conformance.laws.naming import Pair
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.texts import id_candidates, names, pairs_alike, tool_names, upstream_ids
from mcpizer_conformance.strategies.worlds import World, worlds
from mcpizer_core import Catalog, Tool, UpstreamId, catalog_of

CORE = Subject()

pairs = st.tuples(upstream_ids(), tool_names())
neighbours = st.lists(st.tuples(st.sampled_from(("a", "docs", "docs-2")), tool_names()), min_size=2, max_size=6)
few = st.lists(
    st.tuples(st.sampled_from(("a", "docs", "docs-2")), st.sampled_from(("search", "_search", "docs__search", ""))),
    min_size=1,
    max_size=6,
)


class TestN1:
    """N1 · `split(qualify(u, t)) == (u, t)` for every valid id and every text, the empty one included."""

    @holds(pairs, floor=0.19)
    def test_the_name_of_a_pair_splits_back_into_the_pair(self, pair: Pair) -> bool:
        return naming.splits_back(CORE, pair)

    @refutes(pairs)
    def test_catches_a_split_at_the_last_separator(self, pair: Pair) -> None:
        def last(name: str) -> Pair | None:
            head, separator, tool = name.rpartition("__")
            return (head, tool) if separator else None

        naming.splits_back(replace(CORE, split=last), pair)

    @refutes(pairs)
    def test_catches_a_split_that_needs_a_tool_name(self, pair: Pair) -> None:
        def nonempty(name: str) -> Pair | None:
            head, _, tool = name.partition("__")
            return (head, tool) if tool else None

        naming.splits_back(replace(CORE, split=nonempty), pair)

    @refutes(pairs)
    def test_catches_a_split_that_eats_underscores(self, pair: Pair) -> None:
        def greedy(name: str) -> Pair | None:
            head, _, tool = name.partition("__")
            return head, tool.lstrip("_")

        naming.splits_back(replace(CORE, split=greedy), pair)


class TestN2:
    """N2 · `qualify` is injective: two tools never share a name."""

    @holds(pairs_alike(), floor=0.15)
    def test_two_pairs_never_share_a_name(self, both: tuple[Pair, Pair]) -> bool:
        return naming.injective(CORE, *both)

    @holds(pairs, floor=0.38)
    def test_the_tool_name_is_in_it_as_it_is(self, pair: Pair) -> bool:
        return naming.verbatim(CORE, pair)

    @refutes(pairs_alike())
    def test_catches_a_join_with_a_hyphen(self, both: tuple[Pair, Pair]) -> None:
        naming.injective(replace(CORE, qualify=lambda upstream, tool: f"{upstream}-{tool}"), *both)

    @refutes(pairs_alike())
    def test_catches_a_join_that_drops_a_repeated_word(self, both: tuple[Pair, Pair]) -> None:
        def short(upstream: UpstreamId, tool: str) -> str:
            return f"{upstream}__{tool.removeprefix(upstream).lstrip('_')}"

        naming.injective(replace(CORE, qualify=short), *both)

    @refutes(pairs_alike())
    def test_catches_a_join_that_folds_case(self, both: tuple[Pair, Pair]) -> None:
        naming.injective(replace(CORE, qualify=lambda upstream, tool: f"{upstream}__{tool.casefold()}"), *both)

    @refutes(pairs_alike())
    def test_catches_a_join_that_composes_marks(self, both: tuple[Pair, Pair]) -> None:
        def composed(upstream: UpstreamId, tool: str) -> str:
            return f"{upstream}__{unicodedata.normalize('NFC', tool)}"

        naming.injective(replace(CORE, qualify=composed), *both)

    @refutes(pairs_alike())
    def test_catches_a_join_that_cuts(self, both: tuple[Pair, Pair]) -> None:
        naming.injective(replace(CORE, qualify=lambda upstream, tool: f"{upstream}__{tool}"[:64]), *both)

    @refutes(pairs)
    def test_catches_a_join_that_cleans_up(self, pair: Pair) -> None:
        clean = replace(CORE, qualify=lambda upstream, tool: f"{upstream}__{re.sub('[^A-Za-z0-9_-]', '_', tool)}")
        naming.verbatim(clean, pair)


class TestN3:
    """N3 · The exposed name of a tool depends on its own registration only, never on neighbours, order or time."""

    @holds(neighbours, floor=0.12)
    def test_a_name_is_the_same_alone_and_in_company(self, some: list[Pair]) -> bool:
        return naming.no_neighbours(CORE, some)

    @holds(worlds(), floor=0.25)
    def test_a_catalog_keeps_every_name_as_it_came(self, world: World) -> bool:
        return projection.names_without_neighbours(CORE, world)

    @refutes(worlds())
    def test_catches_a_prefix_only_on_a_clash(self, world: World) -> None:
        def bare(tools: list[Tool]) -> Catalog:
            names = [tool.name for tool in tools]
            return catalog_of(
                replace(tool, exposed=tool.exposed if names.count(tool.name) > 1 else tool.name) for tool in tools
            )

        projection.names_without_neighbours(replace(CORE, catalog_of=bare), world)

    @refutes(worlds())
    def test_catches_a_suffix_on_a_clash(self, world: World) -> None:
        def suffixed(tools: list[Tool]) -> Catalog:
            names = [tool.exposed for tool in tools]
            return catalog_of(
                replace(tool, exposed=tool.exposed + "_2" if tool.exposed in names[:place] else tool.exposed)
                for place, tool in enumerate(tools)
            )

        projection.names_without_neighbours(replace(CORE, catalog_of=suffixed), world)

    @refutes(neighbours)
    def test_catches_numbers_in_order_of_arrival(self, some: list[Pair]) -> None:
        arrived: list[Pair] = []

        def numbered(upstream: UpstreamId, tool: str) -> str:
            arrived.append((upstream, tool))
            return f"{upstream}__{tool}_{len(arrived)}"

        naming.no_neighbours(replace(CORE, qualify=numbered), some)


class TestN4:
    """N4 · `split` is total; what it returns qualifies back to its input."""

    @holds(names(), floor=0.07)
    def test_every_text_has_an_answer_that_qualifies_back(self, name: str) -> bool:
        return naming.split_is_total(CORE, name)

    @holds(names(), floor=0.05)
    def test_no_name_is_missed(self, name: str) -> bool:
        return naming.split_finds_every_name(CORE, name)

    @refutes(names())
    def test_catches_a_split_that_fails_without_a_separator(self, name: str) -> None:
        def hasty(text: str) -> Pair:
            return text[: text.index("__")], text[text.index("__") + 2 :]

        naming.split_is_total(replace(CORE, split=hasty), name)

    @refutes(names())
    def test_catches_a_split_that_takes_any_prefix_for_an_id(self, name: str) -> None:
        def lax(text: str) -> Pair | None:
            head, separator, tool = text.partition("__")
            return (head, tool) if separator else None

        naming.split_is_total(replace(CORE, split=lax), name)

    @refutes(names())
    def test_catches_a_split_at_one_underscore(self, name: str) -> None:
        def single(text: str) -> Pair | None:
            found = re.fullmatch(r"([a-z0-9-]+)_+(.*)", text, re.DOTALL)
            return (found[1], found[2]) if found and found[1][0] != "-" else None

        naming.split_is_total(replace(CORE, split=single), name)

    @refutes(names())
    def test_catches_a_split_that_stops_at_a_line_feed(self, name: str) -> None:
        def dotted(text: str) -> Pair | None:
            found = re.match(r"([a-z0-9][a-z0-9-]*)__(.*)$", text)
            return (found[1], found[2]) if found else None

        naming.split_is_total(replace(CORE, split=dotted), name)


class TestN5:
    """N5 · An id is accepted iff the whole string fits the grammar."""

    @holds(id_candidates(), floor=0.16)
    def test_what_fits_is_accepted_as_it_is(self, text: str) -> bool:
        return naming.accepts_the_grammar(CORE, text)

    @holds(id_candidates(), floor=0.19)
    def test_what_almost_fits_is_refused(self, text: str) -> bool:
        return naming.refuses_all_else(CORE, text)

    @refutes(id_candidates())
    def test_catches_a_pattern_that_ends_before_a_line_feed(self, text: str) -> None:
        def anchored(candidate: str) -> str | None:
            return candidate if re.match(r"^[a-z0-9][a-z0-9-]*$", candidate) else None

        naming.accepts_the_grammar(replace(CORE, parse_upstream_id=anchored), text)

    @refutes(id_candidates())
    def test_catches_letters_and_digits_of_every_script(self, text: str) -> None:
        def unicode(candidate: str) -> str | None:
            bare = candidate.replace("-", "")
            fits = bare.isalnum() and candidate == candidate.lower() and candidate[0] != "-"
            return candidate if fits else None

        naming.accepts_the_grammar(replace(CORE, parse_upstream_id=unicode), text)

    @refutes(id_candidates())
    def test_catches_an_id_that_is_lower_cased(self, text: str) -> None:
        lowered = replace(CORE, parse_upstream_id=lambda candidate: CORE.parse_upstream_id(candidate.lower()))
        naming.accepts_the_grammar(lowered, text)

    @refutes(id_candidates())
    def test_catches_an_id_that_is_trimmed(self, text: str) -> None:
        trimmed = replace(CORE, parse_upstream_id=lambda candidate: CORE.parse_upstream_id(candidate.strip()))
        naming.accepts_the_grammar(trimmed, text)

    @refutes(id_candidates())
    def test_catches_a_bound_on_the_length(self, text: str) -> None:
        def bounded(candidate: str) -> str | None:
            return CORE.parse_upstream_id(candidate) if len(candidate) <= 63 else None

        naming.accepts_the_grammar(replace(CORE, parse_upstream_id=bounded), text)


class TestN6:
    """N6 · Renaming an upstream renames exactly its names."""

    @holds(few, st.sampled_from(("a", "docs")), floor=0.24)
    def test_all_its_names_change_and_no_others(self, some: list[Pair], before: str) -> bool:
        return naming.renames_exactly_its_own(CORE, some, before, "fresh")

    @refutes(few, st.sampled_from(("a", "docs")))
    def test_catches_a_name_that_forgets_its_upstream(self, some: list[Pair], before: str) -> None:
        def by_prefix(upstream: UpstreamId, tool: str) -> str:
            return tool if tool.startswith(("a__", "docs__")) else f"{upstream}__{tool}"

        naming.renames_exactly_its_own(replace(CORE, qualify=by_prefix), some, before, "fresh")

    @refutes(few, st.sampled_from(("a", "docs")))
    def test_catches_a_name_kept_from_before(self, some: list[Pair], before: str) -> None:
        stored: dict[str, str] = {}

        def sticky(upstream: UpstreamId, tool: str) -> str:
            return stored.setdefault(tool, f"{upstream}__{tool}") if tool == "search" else f"{upstream}__{tool}"

        naming.renames_exactly_its_own(replace(CORE, qualify=sticky), some, before, "fresh")

    @refutes(few, st.sampled_from(("a", "docs")))
    def test_catches_a_short_prefix(self, some: list[Pair], before: str) -> None:
        short = replace(CORE, qualify=lambda upstream, tool: f"{upstream[:1]}__{tool}")
        naming.renames_exactly_its_own(short, some, before, "fresh")
