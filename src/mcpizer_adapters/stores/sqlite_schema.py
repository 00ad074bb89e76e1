"""The tables of the SQLite store, and the triggers by which the database itself refuses a second holder of a name.

The schema, its versions and the way from one to the next live here and nowhere else. What stands in the database is
compared with what is written here, word by word, each time it is opened.

This module does not know what is kept in the tables.
"""

from typing import Final

from mcpizer_core import ConflictRule

SCHEMA: Final = 1
"""The version of the schema below. A database of a later one is left alone."""

FORBIDS: Final = {
    ConflictRule.SHARED_VIEWER: "not (new.scope = 'owner' and old_.scope = 'owner' and new.whose <> old_.whose)",
    ConflictRule.SAME_SCOPE: "new.scope = old_.scope and new.whose = old_.whose",
}
"""When two rows of one name may not stand together: `ConflictRule.forbids`, in SQL."""

COVERS: Final = {
    ConflictRule.SHARED_VIEWER: "({old}.scope <> 'owner' or ({old}.scope = {new}.scope and {old}.whose = {new}.whose))",
    ConflictRule.SAME_SCOPE: "({old}.scope = {new}.scope and {old}.whose = {new}.whose)",
}
"""When a row forbids at least what another does, so that a mark may pass from the one to the other."""

# Documents may be long: their tables have rowids, so that to look for a key is not to read what stands beside it.
_TABLES: Final = (
    """create table head (
    one integer primary key check (one = 1), schema integer not null, rule text not null, scheme text not null,
    version integer not null check (version >= 0), stamp integer not null
) strict""",
    "create table registrations (key text primary key not null, document text not null) strict",
    """create table tools (
    key text not null references registrations on delete cascade deferrable initially deferred,
    tool text not null, name text not null, scope text not null check (scope in ('public', 'team', 'owner')),
    whose text not null check ((scope = 'public') = (whose = '')), offer text,
    mark integer not null default 0 check (mark in (0, 1)), primary key (key, tool)
) strict, without rowid""",
    "create index tools_by_name on tools (name)",
    """create table ids (
    side text not null check (side in ('held', 'retired')), name text not null,
    key text references registrations on delete cascade deferrable initially deferred
        check ((side = 'held') = (key is not null)),
    owner text not null, scope text not null check (scope in ('public', 'team', 'owner')),
    whose text not null check ((scope = 'public') = (whose = '')),
    mark integer not null default 0 check (mark in (0, 1))
) strict""",
    "create unique index ids_once on ids (name, side, ifnull(key, ''), owner, scope, whose)",
    "create index ids_by_key on ids (key)",
    """create table facts (
    key text primary key not null references registrations on delete cascade deferrable initially deferred,
    generation integer not null, document text not null, stamp integer not null
) strict""",
    "create index facts_by_stamp on facts (stamp)",
    """create table log (
    version integer primary key, at_ms integer not null, event text not null, on_conflict text not null
) strict""",
)

_ALWAYS: Final = (
    """create trigger head_once before insert on head when exists (select 1 from head) begin
    select raise(abort, 'mcpizer: there is one head');
end""",
    """create trigger head_forward before update on head
when new.schema <> old.schema or new.rule <> old.rule or new.scheme <> old.scheme or new.version < old.version
    or (new.version <> old.version and old.version > 0 and new.version <> old.version + 1) begin
    select raise(abort, 'mcpizer: the version goes on by one');
end""",
    """create trigger head_stays before delete on head begin
    select raise(abort, 'mcpizer: there is one head');
end""",
    """create trigger log_kept before update on log begin
    select raise(abort, 'mcpizer: the log is only added to');
end""",
    """create trigger log_stays before delete on log begin
    select raise(abort, 'mcpizer: the log is only added to');
end""",
    """create trigger log_next before insert on log
when new.version <> (select version from head) or exists (select 1 from log where version = new.version) begin
    select raise(abort, 'mcpizer: the log is only added to');
end""",
    """create trigger ids_kept before update on ids begin
    select raise(abort, 'mcpizer: an upstream id is added or dropped, not changed');
end""",
)

_TOOLS: Final = """create trigger tools_{when} before {when} on tools begin
    select raise(abort, 'mcpizer: only an import sets a mark') where new.mark and {unmarkable};
    select raise(abort, 'mcpizer: name taken') from tools as old_
        where old_.name = new.name and not (old_.key = {self}.key and old_.tool = {self}.tool)
        and not (old_.mark and new.mark) and {forbids};
end"""

_IDS: Final = """create trigger ids_insert before insert on ids begin
    select raise(abort, 'mcpizer: only an import sets a mark') where new.mark and (select version from head) > 0
        and not exists (select 1 from ids as old_ where old_.name = new.name and old_.mark and old_.owner = new.owner
        and (old_.key = new.key or new.side = 'retired') and {covers});
    select raise(abort, 'mcpizer: upstream id taken or retired') from ids as old_
        where old_.name = new.name and not (old_.mark and new.mark) and {forbids}
        and ((old_.side = 'held' and new.side = 'held' and old_.key <> new.key)
            or (old_.side <> new.side and old_.owner <> new.owner));
end"""


def statements(rule: ConflictRule) -> tuple[str, ...]:
    """Return everything that makes the schema, one statement for each thing."""
    forbids, covers = FORBIDS[rule], COVERS[rule]
    insert = _TOOLS.format(when="insert", unmarkable="(select version from head) > 0", self="new", forbids=forbids)
    kept = f"old.mark and old.name = new.name and {covers.format(old='old', new='new')}"
    update = _TOOLS.format(when="update", unmarkable=f"not ({kept})", self="old", forbids=forbids)
    ids = _IDS.format(covers=covers.format(old="old_", new="new"), forbids=forbids)
    return (*_TABLES, *_ALWAYS, insert, update, ids)


def kept(rule: ConflictRule) -> str:
    """Return a row of `ids` that comes, with the mark of the historical row which it stems from, if there is one."""
    covers = COVERS[rule].format(old="old_", new="new_")
    return (
        "select new_.*, exists (select 1 from ids as old_ where old_.name = new_.name and old_.mark"
        f" and old_.owner = new_.owner and (old_.key = new_.key or new_.side = 'retired') and {covers})"
        " from (select ? as side, ? as name, ? as key, ? as owner, ? as scope, ? as whose) as new_"
    )


def moved(rule: ConflictRule) -> str:
    """Return what changes in a row of `tools`; its mark stays while the row forbids no more than before."""
    return (
        f"select new_.*, tools.mark and {COVERS[rule].format(old='tools', new='new_')}"
        " from (select ? as scope, ? as whose, ? as offer) as new_"
    )
