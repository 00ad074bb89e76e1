"""The pages about the command line, the audit, the wire and the bounds say what the code does, word and number.

Each page is read as people read it, table by table; a page that lacks something, or says something else, is found.
"""

import json
import re
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
import pytest
from attrs import fields
from mcp import MCPError
from mcp.server.transport_security import DEFAULT_MAX_REQUEST_BODY_SIZE

from mcpizer_adapters.artifact import read_policy
from mcpizer_adapters.audit import queued
from mcpizer_adapters.audit.json_lines import JsonLines
from mcpizer_adapters.audit.record import AuditRecord, CallOutcome, Verdict
from mcpizer_adapters.cli.commands import cli
from mcpizer_adapters.cli.terminal import Exit
from mcpizer_adapters.credentials import file as credential_file
from mcpizer_adapters.credentials.secrets import CredentialFault, Secret
from mcpizer_adapters.gateway import keeping, pacing
from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.gateway.names import NAME_REPEATED
from mcpizer_adapters.gateway.outcomes import (
    AmbiguousTool,
    CallerFault,
    CredentialFailed,
    Denied,
    Invoked,
    UnknownTool,
    UpstreamFailed,
    UpstreamFailure,
)
from mcpizer_adapters.gateway.pacing import Intervals
from mcpizer_adapters.identity.static_keys import StaticKeys
from mcpizer_adapters.mcp import child, faults, listing, results, running, stdio, streamable, telling
from mcpizer_adapters.mcp.answers import answer
from mcpizer_adapters.mcp.bounds import MEBIBYTE, ListingBounds, SessionBounds
from mcpizer_adapters.mcp.http import KeyAuthentication
from mcpizer_adapters.mcp.listing import ListedTool, SetAside, SetAsideCode
from mcpizer_adapters.mcp.reports import UpstreamReport, lines_about
from mcpizer_core import Allow, Deny, Principal, Public, Reason, ReasonCode, Tool
from tests.unit.gateway.world import ALICE, BOB, world

DOCS: Final = Path(__file__).parents[2] / "docs"
FILLED: Final = "●"


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def section(text: str, title: str) -> str:
    """Return what stands under the heading `title`."""
    _, found, rest = text.partition(f"\n## {title}\n")
    assert found, f"no section {title}"
    return rest.partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of all tables in `text`, without heads and rulers."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rulers = [number for number, line in enumerate(lines) if set(line) <= set("|- ")]
    kept = [line for number, line in enumerate(lines) if number not in rulers and number + 1 not in rulers]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in kept]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def spelled(command: click.Command) -> set[str]:
    """Return each option of `command` as a page writes it, with what it takes."""
    context = click.Context(command)
    own = {
        f"{one} {option.make_metavar(context)}" if not option.is_flag and not option.is_eager else one
        for option in command.get_params(context)
        if isinstance(option, click.Option) and "--help" not in option.opts
        for one in option.opts
    }
    verbs = command.commands.values() if isinstance(command, click.Group) and command is not cli else ()
    return own.union(*map(spelled, verbs))


def written(text: str) -> set[str]:
    """Return the options that the tables of `text` explain."""
    cells = [row[0] for row in rows(text) if row[0].startswith("`-")]
    return {one for cell in cells for one in re.findall(r"`([^`]+)`", cell)} - {"-h", "--help"}


class TestCommandLine:
    """Every command and every option stands on the page, and no other does."""

    PAGE: Final = page("reference/command-line.md")

    @pytest.mark.parametrize("name", ["", *cli.commands])
    def test_options_are_those_of_the_commands(self, name: str) -> None:
        command = cli.commands[name] if name else cli
        assert written(section(self.PAGE, f"mcpizer {name}".strip())) == spelled(command)

    def test_an_option_that_is_missing_or_is_none_is_found(self) -> None:
        text = section(self.PAGE, "mcpizer serve")
        assert spelled(cli.commands["serve"]) - written(text.replace("| `--http HOST:PORT` |", "| |")) == {
            "--http HOST:PORT"
        }
        assert written(text + "\n| `--insecure` | |\n") - spelled(cli.commands["serve"]) == {"--insecure"}

    def test_defaults_are_told(self) -> None:
        for name, command in cli.commands.items():
            for option in command.params:
                if isinstance(option, click.Option) and isinstance(option.default, str):
                    assert f"`{option.default}`" in section(self.PAGE, f"mcpizer {name}")

    def test_help_is_asked_for_by_both_words(self) -> None:
        assert cli.context_settings["help_option_names"] == ["-h", "--help"]
        assert "| `-h`, `--help` |" in self.PAGE

    def test_exit_codes_are_those_of_the_code(self) -> None:
        told = [(row[0], row[1].upper()) for row in rows(section(self.PAGE, "Exit codes"))]
        assert told == [(str(one.value), one.name) for one in Exit]

    def test_notices_are_worded_as_shown(self) -> None:
        plain = ListedTool("graph", {}, "")
        reports = [
            UpstreamReport("clock", (plain,) * 2),
            UpstreamReport(
                "notes",
                (*(plain,) * 6, ListedTool("graph", {}, "", legacy_ok=False)),
                (SetAside("", SetAsideCode.INVALID_TOOL_NAME, "the name is empty or holds a lone surrogate"),),
            ),
            UpstreamReport("code", (), failure="it has not answered yet"),
            UpstreamReport("code", (plain,) * 12),
        ]
        (shown,) = blocks(section(self.PAGE, "Notices"), "text")
        assert shown.splitlines() == [f"mcpizer: {line}" for report in reports for line in lines_about(report)]
        (late,) = lines_about(UpstreamReport("code", (plain,) * 12, failure="it has not answered yet", declared=True))
        (ending,) = re.findall(r"ends in `(.*?)`", " ".join(section(self.PAGE, "Notices").split()))
        assert late.endswith(ending)


TOOL: Final = Tool("code", "code", "git_log", "code__git_log", Public())
ALLOWED: Final = Allow(Reason(ReasonCode.GRANTED, "/grants/0", "code.read"), "reader", None)


def denied(code: ReasonCode, *, listed: bool, retry_after_ms: int | None = None) -> Denied:
    return Denied(TOOL, "code.read", Deny(Reason(code, "/grants", "code.read")), listed, retry_after_ms)


def failed(code: UpstreamFault) -> UpstreamFailed:
    detail = f"upstream code failed ({code}): {code.meaning}"
    return UpstreamFailed(TOOL, "code.read", ALLOWED, UpstreamFailure(code, detail))


def told(outcome: Any, name: str, explained: bool = False) -> dict[str, Any]:
    """Return what a caller is told, as JSON values."""
    try:
        result = answer(outcome, name, explain=(lambda path: "policy.yaml:41:3") if explained else None)
    except MCPError as error:
        return {"code": error.code, "message": error.message}
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


class TestWire:
    """Every answer shown on the page is the one that the code gives."""

    PAGE: Final = page("reference/wire.md")

    def test_every_outcome_has_its_row(self) -> None:
        first, *_ = self.PAGE.partition("\n## ")
        assert [row[0].strip("`") for row in rows(first)] == list(CallOutcome)

    def test_answers_are_the_ones_shown(self) -> None:
        given = [
            told(UnknownTool("code_git_log"), "code_git_log"),
            told(UnknownTool("code_git_log", "code__git_log"), "code_git_log"),
            told(denied(ReasonCode.LIMIT_EXHAUSTED, listed=True, retry_after_ms=3_599_208), TOOL.exposed),
            told(CredentialFailed(TOOL, "code.read", ALLOWED, CredentialFault.MISSING), TOOL.exposed),
            told(failed(UpstreamFault.CLOSED), TOOL.exposed),
            told(denied(ReasonCode.NO_GRANT_MATCHES, listed=False), TOOL.exposed, explained=True),
        ]
        assert [json.loads(one) for one in blocks(self.PAGE, "json")] == given

    def test_names_that_mean_nothing_are_one_answer(self) -> None:
        name = TOOL.exposed
        alike = [UnknownTool(name), AmbiguousTool(name), denied(ReasonCode.NO_GRANT_MATCHES, listed=False)]
        assert len({json.dumps(told(one, name)) for one in alike}) == 1
        assert told(alike[0], name)["code"] == -32602

    @pytest.mark.anyio
    @pytest.mark.parametrize(
        ("shown", "fault"),
        [([], CallerFault.CREDENTIAL_MISSING), ([b"Bearer nobody"], CallerFault.CREDENTIAL_INVALID)],
    )
    async def test_without_a_caller_the_answer_is_the_one_shown(self, shown: list[bytes], fault: CallerFault) -> None:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def unread(*_: Any) -> Any:
            raise AssertionError("the request was read, or passed on")

        keys = StaticKeys([(Secret("of ana"), Principal("ana:ana", "ana"))])
        scope = {"type": "http", "headers": [(b"authorization", one) for one in shown]}
        await KeyAuthentication(unread, gateway=world().gateway, keys=keys)(scope, unread, send)
        start, body = sent
        headers = {name.decode(): value.decode() for name, value in start["headers"]}
        assert start["status"] == 401
        assert json.loads(body["body"])["code"] == fault
        if fault is CallerFault.CREDENTIAL_INVALID:
            (block,) = blocks(section(self.PAGE, "No key, no caller"), "text")
            head, _, content = block.partition("\n\n")
            assert json.loads(content) == json.loads(body["body"])
            assert [
                line for line in head.splitlines()[1:] if line.split(": ") not in list(map(list, headers.items()))
            ] == []
        else:
            assert headers["www-authenticate"] == "Bearer"
            assert f"the code is `{fault}`" in self.PAGE


class TestAudit:
    """The page has the fields of a record, and which outcome fills which."""

    PAGE: Final = page("reference/audit.md")
    NAMES: Final = ["audit", *(one.name for one in fields(AuditRecord))]

    def test_fields_are_those_of_a_record(self) -> None:
        assert [row[0].strip("`") for row in rows(section(self.PAGE, "Fields"))] == self.NAMES

    def test_the_example_is_a_record(self) -> None:
        (line,) = blocks(self.PAGE, "json")
        shown = json.loads(line)
        assert list(shown) == self.NAMES
        assert shown["outcome"] in list(CallOutcome)
        assert shown["result"] in list(Verdict)
        written: list[str] = []

        class Stream:
            write = staticmethod(written.append)
            flush = staticmethod(lambda: None)

        given = {one: shown[one] for one in self.NAMES if one != "audit"}
        JsonLines(Stream()).record(AuditRecord(**given))  # type: ignore[arg-type]
        assert written == [line]

    @pytest.mark.anyio
    async def test_outcomes_fill_what_the_table_says(self) -> None:
        broken = UpstreamFailure(UpstreamFault.CLOSED, "it is gone")
        seen: dict[str, AuditRecord] = {}
        for outcome, name, spoil in [
            (CallOutcome.UNKNOWN_NAME, "crm__gone", None),
            (CallOutcome.AMBIGUOUS_NAME, "clock__twin", None),
            (CallOutcome.DENIED, "crm__delete", None),
            (CallOutcome.CREDENTIAL_FAILED, "crm__get", "vault"),
            (CallOutcome.UPSTREAM_FAILED, "crm__get", "upstream"),
            (CallOutcome.INVOKED, "crm__get", None),
        ]:
            it = world({"crm": lambda: broken} if spoil == "upstream" else {})
            if spoil == "vault":
                it.vault.clear()
            await it.call(ALICE, name)
            (seen[outcome],) = it.records.kept
        nobody = world()
        nobody.gateway.refuse(CallerFault.CREDENTIAL_MISSING)
        (seen[CallOutcome.UNAUTHENTICATED],) = nobody.records.kept
        assert {outcome: str(one.outcome) for outcome, one in seen.items()} == {one: str(one) for one in CallOutcome}

        text = section(self.PAGE, "Which outcome fills what")
        head = [cell.strip() for cell in text.partition("| outcome ")[2].splitlines()[0].strip("| ").split("|")]
        columns = [cell.strip("`") for cell in head if cell.startswith("`") and cell != "`code` is"]
        shown = {row[0].strip("`"): dict(zip(columns, row[1:], strict=False)) for row in rows(text)}
        filled = {
            outcome: {one: FILLED if getattr(record, one) is not None else "–" for one in columns}
            for outcome, record in seen.items()
        }
        assert shown == filled
        always = set(self.NAMES) - set(columns) - {"audit"}
        assert all(getattr(record, one) is not None for record in seen.values() for one in always)

    @pytest.mark.anyio
    async def test_a_call_takes_the_steps_in_the_order_shown(self) -> None:
        steps = re.findall(r"^\d\. \*\*(\w+ ?\w*)\.?\*\*", section(self.PAGE, "The order of a call"), re.MULTILINE)
        assert steps == [
            "Authenticate", "Look up", "Read usage", "Decide", "Reserve", "Resolve", "Invoke", "Record",
        ]  # fmt: skip
        it = world()
        assert isinstance(await it.call(BOB, "crm__put"), Invoked)
        shown = [one.lower() for one in steps if one not in ("Authenticate", "Look up", "Decide")]
        assert it.steps.taken == shown


def quantity(name: str, value: float) -> str:
    """Return a number as the pages write it."""
    if name.endswith("bytes") and value % MEBIBYTE == 0:
        return f"{value // MEBIBYTE} MiB"
    number = f"{value:_}".replace("_", " ").removesuffix(".0")
    return f"{number} s" if name == "seconds" or name.endswith("_seconds") else number


def differences(text: str, bounds: type[SessionBounds] | type[ListingBounds]) -> set[tuple[str, str]]:
    """Return names and values that are on the page or in the code, and not in both."""
    said = {(row[0].strip("`"), row[1]) for row in rows(text)}
    return said ^ {(one.name, quantity(one.name, one.default)) for one in fields(bounds)}


class TestBounds:
    """Every bound stands on the page with the number that holds."""

    PAGE: Final = page("reference/bounds.md")

    @pytest.mark.parametrize(("title", "bounds"), [("Sessions", SessionBounds), ("Listing", ListingBounds)])
    def test_bounds_are_those_of_the_code(self, title: str, bounds: type[Any]) -> None:
        assert differences(section(self.PAGE, title), bounds) == set()

    def test_another_number_is_found(self) -> None:
        text = section(self.PAGE, "Listing").replace("| 30 s |", "| 31 s |")
        assert differences(text, ListingBounds) == {("seconds", "31 s"), ("seconds", "30 s")}

    def test_the_start_waits_and_asks_again_as_the_page_says(self) -> None:
        *pauses, last = [quantity("", one) for one in Intervals().retry]
        told = " ".join(section(self.PAGE, "At the start").split())
        assert f"waits {quantity('seconds', running.GRACE_SECONDS)} for them" in told
        assert f"after {', '.join(pauses)} and {last} s, and from then on every {last} s" in told
        how = " ".join(page("howto/operate-the-gateway.md").split())
        assert f"after {', '.join(pauses)}, {last} s and then every {last} s" in how

    def test_the_pauses_while_it_serves_are_those_of_the_code(self) -> None:
        usual = Intervals()
        served = section(self.PAGE, "While it serves")
        *pauses, last = [quantity("", one) for one in usual.retry]
        assert {row[0].strip("`"): row[1] for row in rows(served)} == {
            "reconcile": quantity("seconds", usual.reconcile),
            "retry": f"{', '.join(pauses)}, {last} s",
            "settle": quantity("seconds", usual.settle),
            "longest_settle": quantity("seconds", usual.longest_settle),
        }
        told = " ".join(served.split())
        assert usual.spread == 0.1
        assert "up to a tenth longer or shorter" in told
        assert pacing.PRESSING == 4
        assert "within four times of it" in told
        assert f"comes on it for {quantity('seconds', streamable.SILENT_SECONDS)} it is opened anew" in told
        assert f"{1 / streamable.NOTICE_SECONDS:.0f} messages a second" in told
        assert (keeping.LOOK_SECONDS, keeping.DOWN_SECONDS) == (0.5, 1)
        assert "asked every half second, and a second after it was found down" in told

    def test_the_other_numbers_are_those_of_the_code(self) -> None:
        number = partial(quantity, "")
        shortest, _, longest = streamable.RESUME_SECONDS
        flood = f"{number(child.FLOOD_MESSAGES)} in {quantity('seconds', child.FLOOD_SECONDS)}"
        expected = {
            "noise": number(child.NOISE_LINES),
            "flood": flood,
            "last words": quantity("seconds", child.LAST_WORDS_SECONDS),
            "connecting": quantity("seconds", streamable.CONNECT_SECONDS),
            "redirects": number(streamable.REDIRECTS),
            "resuming": number(streamable.RESUMPTIONS),
            "aside": quantity("seconds", streamable.ASIDE_SECONDS),
            "result": number(results.RESULT_NESTING),
            "error text": number(faults.MESSAGE_LENGTH),
            "body": quantity("bytes", DEFAULT_MAX_REQUEST_BODY_SIZE),
            "line": quantity("bytes", stdio._LONGEST_LINE),
            "name": number(NAME_REPEATED),
            "waiting": number(queued.MOST_WAITING),
            "credential": number(credential_file._MOST_BYTES),
            "streams": f"{number(telling.OWN_STREAMS)} of one caller, {number(telling.STREAMS)} in all",
            "unread": number(telling.UNREAD),
        }
        tables = section(self.PAGE, "Upstreams that misbehave") + section(self.PAGE, "Callers")
        assert {row[0]: row[1] for row in rows(tables)} == expected
        assert f"after {shortest} s to {quantity('seconds', longest)} |" in tables
        assert f"standard error gets {quantity('seconds', queued.CLOSE_SECONDS)}." in " ".join(self.PAGE.split())
        assert f"deeper than {listing.NESTING} levels" in self.PAGE
        told = " ".join(section(self.PAGE, "Listing").split())
        assert f"fewer than {listing.SECRET_LENGTH} characters" in told


def test_the_place_shown_to_operators_is_the_one_of_that_grant(tmp_path: Path) -> None:
    text = page("howto/operate-the-gateway.md")
    (policy,) = blocks(text, "yaml")
    (tmp_path / "policy.yaml").write_text(policy, "utf-8")
    place = read_policy(tmp_path / "policy.yaml").locate("/grants/1").removeprefix(f"{tmp_path}/")
    assert f"ci:ci\tclock__get_current_time\tlimit_exhausted\t{place}\n" in text
