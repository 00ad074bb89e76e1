"""The tables of the PostgreSQL store, and the constraints by which the database itself refuses a second holder.

The schema, its versions and the way from one to the next live here and nowhere else. A scope stands as a range of who
may see it: public and team rows as the range without ends, since a principal may be in every team, rows of an owner as
the point of that owner. So two rows could be seen by one principal iff their ranges overlap, and an exclusion
constraint refuses both under one name. A duplicate of the past has a mark of its own, again a point, which overlaps
with no other mark but with every row that has none.

This module does not know what is kept in the tables.
"""

from typing import Final

from mcpizer_core import ConflictRule

SCHEMA: Final = 1
"""The version of the schema below. One of a later version is left alone."""

VIEWERS: Final = {
    ConflictRule.SHARED_VIEWER: """
        select case scope when 'owner'
            then {schema}.viewers({schema}.digest(whose), {schema}.digest(whose), '[]')
            else {schema}.viewers(null, null) end""",
    ConflictRule.SAME_SCOPE: """
        select {schema}.viewers({schema}.digest(scope || ' ' || whose),
            {schema}.digest(scope || ' ' || whose), '[]')""",
}
"""Two of these overlap iff the rule forbids their scopes: `ConflictRule.forbids`, as ranges."""

_SCOPED: Final = """scope text not null check (scope in ('public', 'team', 'owner')),
        whose text not null check ((scope = 'public') = (whose = '')),
        seen_by {schema}.viewers not null generated always as ({schema}.viewers_of(scope, whose)) stored,
        mark bigint,
        exempt int8range not null generated always as (int8range(mark, mark, '[]')) stored"""

_KEY: Final = "key_id uuid not null generated always as ({schema}.digest(key)) stored"

TABLES: Final = (
    "create type {schema}.viewers as range (subtype = uuid)",
    """create function {schema}.digest(of text) returns uuid immutable strict parallel safe language sql as
        $$ select substr(encode(sha256(convert_to(of, 'UTF8')), 'hex'), 1, 32)::uuid $$""",
    """create function {schema}.viewers_of(scope text, whose text) returns {schema}.viewers
        immutable parallel safe language sql as $$ {viewers} $$""",
    "create sequence {schema}.marks",
    """create table {schema}.head (one integer primary key check (one = 1), schema integer not null, rule text not null,
        scheme text not null, seal text not null, version bigint not null check (version >= 0))""",
    f"""create table {{schema}}.registrations (key text not null, document text not null, {_KEY} primary key)""",
    f"""create table {{schema}}.tools (
        key text not null, tool text not null, name text not null, {_SCOPED}, offer text, {_KEY}
            references {{schema}}.registrations on delete cascade deferrable initially deferred,
        tool_id uuid not null generated always as ({{schema}}.digest(tool)) stored,
        name_id uuid not null generated always as ({{schema}}.digest(name)) stored,
        primary key (key_id, tool_id),
        constraint one_holder exclude using gist (name_id with =, seen_by with &&, exempt with &&)
            deferrable initially deferred)""",
    f"""create table {{schema}}.ids (
        side text not null check (side in ('held', 'retired')), name text not null,
        key text check ((side = 'held') = (key is not null)), owner text not null, {_SCOPED},
        key_id uuid generated always as ({{schema}}.digest(key)) stored
            references {{schema}}.registrations on delete cascade deferrable initially deferred,
        name_id uuid not null generated always as ({{schema}}.digest(name)) stored,
        owner_id uuid not null generated always as ({{schema}}.digest(owner)) stored,
        scope_id uuid not null generated always as ({{schema}}.digest(scope || ' ' || whose)) stored,
        constraint one_registration exclude using gist
            (name_id with =, key_id with <>, seen_by with &&, exempt with &&)
            where (side = 'held') deferrable initially deferred,
        constraint not_retired exclude using gist
            (name_id with =, owner_id with <>, side with <>, seen_by with &&, exempt with &&)
            deferrable initially deferred)""",
    """create unique index ids_once on {schema}.ids
        (name_id, side, coalesce(key_id, '00000000-0000-0000-0000-000000000000'::uuid), owner_id, scope_id)""",
    "create index ids_by_key on {schema}.ids (key_id)",
    f"""create table {{schema}}.facts (key text not null, generation bigint not null, document text not null,
        stamp bigint not null, {_KEY} primary key
            references {{schema}}.registrations on delete cascade deferrable initially deferred)""",
    "create index facts_by_stamp on {schema}.facts (stamp)",
    """create table {schema}.log (version bigint primary key, at_ms bigint not null, event text not null,
        on_conflict text not null)""",
)

FUNCTIONS: Final = {
    "head_forward": """begin
        if tg_op <> 'UPDATE' then raise exception 'mcpizer: there is one head'; end if;
        if (new.one, new.schema, new.rule, new.scheme, new.seal)
                <> (old.one, old.schema, old.rule, old.scheme, old.seal)
            or new.version < old.version
            or (new.version <> old.version and old.version > 0 and new.version <> old.version + 1)
            then raise exception 'mcpizer: the version goes on by one'; end if;
        return new;
    end""",
    "log_kept": """begin
        if tg_op <> 'INSERT' or new.version <> (select version from {schema}.head)
            then raise exception 'mcpizer: the log is only added to'; end if;
        return new;
    end""",
    "tools_mark": """begin
        if tg_op = 'UPDATE' then
            if not (old.name = new.name and {schema}.viewers_of(old.scope, old.whose)
                @> {schema}.viewers_of(new.scope, new.whose)) then new.mark := null;
            else new.mark := old.mark; end if;
        elsif (select version from {schema}.head) > 0 then new.mark := null; end if;
        return new;
    end""",
    "ids_mark": """begin
        if tg_op = 'UPDATE' then
            raise exception 'mcpizer: an upstream id is added or dropped, not changed'; end if;
        if (select version from {schema}.head) > 0 then
            new.mark := (select max(was.mark) from {schema}.ids as was where was.name_id = {schema}.digest(new.name)
                and was.owner = new.owner and (was.key = new.key or new.side = 'retired')
                and was.seen_by @> {schema}.viewers_of(new.scope, new.whose)); end if;
        return new;
    end""",
}

TRIGGERS: Final = {
    "head_forward": "before update or delete on {schema}.head for each row",
    "log_kept": "before insert or update or delete on {schema}.log for each row",
    "tools_mark": "before insert or update on {schema}.tools for each row",
    "ids_mark": "before insert or update on {schema}.ids for each row",
}
"""Each trigger runs the function of its name. A mark is what these say, whatever a statement gives."""


def statements(schema: str, rule: ConflictRule) -> list[str]:
    """Return everything that makes the schema of this quoted name."""
    viewers = VIEWERS[rule].format(schema=schema)
    made = [one.format(schema=schema, viewers=viewers) for one in TABLES]
    for name, body in functions(schema).items():
        made.append(f"create function {schema}.{name}() returns trigger language plpgsql as $${body}$$")
        made.append(f"create trigger {name} {TRIGGERS[name].format(schema=schema)} execute function {schema}.{name}()")
    return made


def functions(schema: str) -> dict[str, str]:
    """Return the body of each function that a trigger runs."""
    return {name: body.format(schema=schema) for name, body in FUNCTIONS.items()}


INVENTORY: Final = """
    select 'function', p.proname, p.prosrc from pg_catalog.pg_proc p
        join pg_catalog.pg_namespace n on n.oid = p.pronamespace where n.nspname = %(schema)s
            and p.proname = any(%(functions)s)
    union all select 'trigger', t.tgname, t.tgenabled::text || t.tgtype::text from pg_catalog.pg_trigger t
        join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = %(schema)s and not t.tgisinternal
    union all select 'constraint', c.relname || ' ' || k.contype::text, count(*)::text from pg_catalog.pg_constraint k
        join pg_catalog.pg_class c on c.oid = k.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = %(schema)s and k.convalidated and k.contype in ('p', 'x', 'f', 'c') group by 2
    union all select 'column', c.relname || '.' || a.attname,
        pg_catalog.format_type(a.atttypid, null) || a.attnotnull::text || a.attgenerated::text
        from pg_catalog.pg_attribute a
        join pg_catalog.pg_class c on c.oid = a.attrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = %(schema)s and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
"""
"""Everything in a schema that refuses something, as rows of kind, name and content."""
