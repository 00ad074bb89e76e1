"""The statements that both databases share.

What is read and written, and in which order, lives here and nowhere else: retired ids go in before the ids that they
stem from go out, and names that go make room before others come. Each database adds how it is asked.

This module does not know which database it speaks to, nor what it refuses.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final

from mcpizer_adapters.stores.rows import FactsRow, IdRow, LogRow, Rows, ToolRow, Writing
from mcpizer_adapters.stores.tables import News
from mcpizer_adapters.stores.whole import Marked

LOG: Final = "select version, at_ms, event, on_conflict from log where version > ? order by version"
FACTS: Final = "select key, generation, document from facts"


class SqlSession(ABC):
    """A session in SQL. `{key}`, `{tool}` and the like stand for a comparison with one value, as the index has it."""

    FRAGMENTS: ClassVar[dict[str, str]]
    """How a value is looked for, written and locked in this database."""

    @abstractmethod
    def ask(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""

    def ask_at_once(self, *statements: tuple[str, Sequence[Any]]) -> list[list[tuple[Any, ...]]]:
        """Run some statements, one after the other, and return the rows of each."""
        return [self.ask(*one) for one in statements]

    @abstractmethod
    def run(self, sql: str, *many: Sequence[Any]) -> None:
        """Run one statement once for each of these values, in the order of all that is run."""

    def news(self, after: int, at_most: int, *, keys: Sequence[str] = (), since: int = 0) -> News:
        head, log, *facts = self.ask_at_once(
            ("select version, {mark} from head {lock}", ()),
            (f"{LOG} limit {int(at_most)}", (after,)),
            (f"{FACTS} where stamp >= ?", (since,)),
            *((f"{FACTS} where {{key}} {{lock}}", (key,)) for key in keys),
        )
        ((version, mark),) = head
        latest = {row[0]: FactsRow._make(row) for rows in facts for row in rows}
        return News(version, tuple(map(LogRow._make, log)), tuple(latest.values()), mark)

    def rows(self) -> Rows:
        ((version,),) = self.ask("select version from head")
        return Rows(
            version,
            tuple((key, document) for key, document in self.ask("select key, document from registrations")),
            tuple(map(ToolRow._make, self.ask("select key, tool, name, scope, whose, offer from tools"))),
            tuple(map(IdRow._make, self.ask("select side, name, key, owner, scope, whose from ids"))),
            self._facts(""),
        )

    def log(self, after: int, at_most: int | None) -> tuple[LogRow, ...]:
        bound = "" if at_most is None else f" limit {int(at_most)}"
        return tuple(map(LogRow._make, self.ask(f"{LOG}{bound}", (after,))))

    def facts(self, key: str) -> FactsRow | None:
        return next(iter(self._facts("where {key} {lock}", key)), None)

    def named(self, names: Sequence[str]) -> tuple[tuple[ToolRow, ...], tuple[IdRow, ...]]:
        tools: list[ToolRow] = []
        ids: list[IdRow] = []
        for name in dict.fromkeys(names):
            found = self.ask("select key, tool, name, scope, whose, offer from tools where {name}", (name,))
            tools += map(ToolRow._make, found)
            held = self.ask("select side, name, key, owner, scope, whose from ids where {name}", (name,))
            ids += map(IdRow._make, held)
        return tuple(tools), tuple(ids)

    def write(self, writing: Writing, log: LogRow | None) -> None:
        if log is not None:
            self.run("update head set version = ? where version = ?", (writing.version, writing.before))
            self._log(log)
        if writing.registration is not None:
            self._register([writing.registration])
        self._add_ids(writing.ids)
        self._drop_ids(writing.ids_gone)
        self._drop_tools(writing.tools_gone)
        self.run(
            "update tools set (scope, whose, offer, mark) = ({moved}) where {key} and {tool}",
            *((row.scope, row.whose, row.offer, row.key, row.tool) for row in writing.tools_changed),
        )
        self.run("insert into tools (key, tool, name, scope, whose, offer) values (?, ?, ?, ?, ?, ?)", *writing.tools)
        if writing.facts is not None:
            self.write_facts(writing.facts)
        if writing.removed is not None:
            self.run("delete from registrations where {key}", (writing.removed,))

    def write_facts(self, row: FactsRow) -> None:
        self.run(
            "insert into facts (key, generation, document, stamp) values (?, ?, ?, {stamp}) on conflict {facts_once}"
            " do update set generation = excluded.generation, document = excluded.document, stamp = excluded.stamp",
            row,
        )

    def write_all(self, content: Marked, log: LogRow) -> None:
        """Write an import while the version is 0, which is when marks may be set; the version comes last."""
        rows = content.rows
        self._register(rows.registrations)
        marks = [((*row, (row.key, row.tool) in content.tools)) for row in rows.tools]
        self.run(
            "insert into tools (key, tool, name, scope, whose, offer, mark) values (?, ?, ?, ?, ?, ?, {given})", *marks
        )
        self.run(
            "insert into ids (side, name, key, owner, scope, whose, mark) values (?, ?, ?, ?, ?, ?, {given})",
            *((*row, row in content.ids) for row in rows.ids),
        )
        for facts in rows.facts:
            self.write_facts(facts)
        self.run("update head set version = ? where version = ?", (log.version, 0))
        self._log(log)

    def _facts(self, where: str, *values: Any) -> tuple[FactsRow, ...]:
        return tuple(map(FactsRow._make, self.ask(f"{FACTS} {where}", values)))

    def _log(self, log: LogRow) -> None:
        self.run("insert into log (version, at_ms, event, on_conflict) values (?, ?, ?, ?)", log)

    def _register(self, rows: Iterable[tuple[str, str]]) -> None:
        self.run(
            "insert into registrations (key, document) values (?, ?)"
            " on conflict {registration_once} do update set document = excluded.document",
            *rows,
        )

    def _add_ids(self, rows: Iterable[IdRow]) -> None:
        self.run("insert into ids (side, name, key, owner, scope, whose, mark) {kept}", *rows)

    def _drop_ids(self, rows: Iterable[IdRow]) -> None:
        for row in rows:
            key = (row.key,) if row.key is not None else ()
            its = "{key}" if key else "key is null"
            self.run(
                f"delete from ids where side = ? and {{name}} and owner = ? and scope = ? and whose = ? and {its}",
                (row.side, row.name, row.owner, row.scope, row.whose, *key),
            )

    def _drop_tools(self, rows: Iterable[tuple[str, str]]) -> None:
        self.run("delete from tools where {key} and {tool}", *rows)
