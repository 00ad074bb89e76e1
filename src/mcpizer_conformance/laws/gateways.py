"""Laws G1 to G7 of a running gateway: scenarios are played with it over its own transport, and what was seen is judged.

Each law judges its own part only: where several things are wrong with a call (G1), or one (G5); what reached the
upstreams (G1, G2, G4); texts (G3); records (G6); answers beside each other (G7).

This module does not know how a gateway is started or called.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

from mcpizer_conformance.laws.due import Due, Ledger
from mcpizer_conformance.laws.running_gateway import PREFIX, Record
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.gateways import IMPOSTOR, NOBODY, Asked, Burst, Scenario

if TYPE_CHECKING:
    from mcpizer_conformance.playing.calling import Answer
    from mcpizer_conformance.playing.play import Played, Seen

INVALID_PARAMS: Final = -32602
"""JSON-RPC: what MCP answers to the name of a tool that means nothing to the caller."""
UNAUTHORIZED: Final = 401
EXHAUSTED: Final = "limit_exhausted"


@final
@dataclass(frozen=True, slots=True)
class Judged:
    """A play, and each call with what is due to it."""

    play: "Played"
    calls: tuple[tuple["Seen", Due], ...]

    def recorded(self) -> Iterator[tuple["Seen", Due, Record]]:
        """Yield each call with its record; nothing if records are missing or too many, which is for another law."""
        records = self.play.told.records
        if len(records) == len(self.calls):
            yield from ((seen, due, record) for (seen, due), record in zip(self.calls, records, strict=True))


def _judged(subject: Subject, scenario: Scenario) -> Judged:
    from mcpizer_conformance.playing.play import played  # needs an extra, which laws of functions do not

    ledger, play = Ledger(scenario), played(subject.start_gateway, scenario)
    return Judged(play, tuple((one, ledger.due(one.call)) for one in play.seen))


def _said(call: Asked, what: str) -> str:
    who = {NOBODY: "nobody", IMPOSTOR: "an impostor"}.get(call.caller, call.caller)
    return f"{who} calls {call.name}: {what}"


def _code(answer: "Answer", codes: Mapping[str, str]) -> str:
    """Return the code of a result that is a refusal, in the words here."""
    structured = (answer.result or {}).get("structuredContent")
    code = structured.get("code") if isinstance(structured, Mapping) else None
    return codes.get(str(code), str(code)) if code is not None else ""


def _answered(answer: "Answer", codes: Mapping[str, str]) -> str:
    """Return what an answer says, in a word or two."""
    if answer.status != 200:
        return f"HTTP {answer.status}"
    if answer.error is not None:
        return f"error {answer.error.get('code')}"
    return _code(answer, codes) or "a failure without a code" if answer.failed else "invoked"


def _wanted(due: Due) -> str:
    """Return what an answer has to say."""
    if due.outcome == "unauthenticated":
        return f"HTTP {UNAUTHORIZED}"
    return due.code if due.shown else f"error {INVALID_PARAMS}"


def the_earliest_step_answers(subject: Subject, case: Scenario) -> bool:
    """G1: of several things that are wrong with a call, the answer is that of the earliest step.

    Hard: some call has several things wrong. A limit that is used up too early is for another law.
    """
    judged = _judged(subject, case)
    several = [(seen, due) for seen, due in judged.calls if len(due.wrong) > 1]
    for seen, due in several:
        answered, wanted = _answered(seen.answer, judged.play.codes), _wanted(due)
        early = answered == EXHAUSTED and wanted != EXHAUSTED
        if due.outcome != "upstream_failed" and not early:
            assert answered == wanted, _said(
                seen.call, f"wrong are {', '.join(due.wrong)}; {wanted} is due, and the answer is {answered}"
            )
    return several != []


def nothing_later_happens(subject: Subject, case: Scenario) -> bool:
    """G1: a call that a step refuses reaches no upstream, and one that nothing refuses reaches its own tool once.

    Hard: some calls are refused, and some run.
    """
    judged = _judged(subject, case)
    for seen, due in judged.calls:
        reached = [(one.upstream, one.tool) for one in seen.arrived if one.is_call]
        if due.tool is None:
            assert reached == [], _said(seen.call, f"{due.code} is due, and {reached[0]} is called")
        elif due.outcome == "invoked":
            own = (due.tool.upstream, due.tool.name)
            assert reached == [own], _said(seen.call, f"{own} is to be called once, and called are {reached}")
    return len({due.runs for _, due in judged.calls}) == 2


def what_does_not_run_uses_nothing_up(subject: Subject, case: Scenario) -> bool:
    """G1: a call that ends before it runs leaves the limit as it was.

    Hard: a call under a limit fails without running, again and again.
    """
    judged = _judged(subject, case)
    for seen, due in judged.calls:
        used_up = _answered(seen.answer, judged.play.codes) == EXHAUSTED
        assert not used_up or due.code == EXHAUSTED, _said(seen.call, "its limit is not used up, and is said to be")
    failed = Counter(seen.call.caller for seen, due in judged.calls if due.code == "credential_failed")
    return any(times > 2 for times in failed.values())


def no_credential_before_the_allow(subject: Subject, case: Scenario) -> bool:
    """G2: while a call is made that does not come to its upstream, no upstream is shown any credential.

    Hard: some call is denied.
    """
    judged = _judged(subject, case)
    for seen, due in judged.calls:
        if not due.runs:
            for one in seen.arrived:
                account = _account(judged.play.credentials, "\n".join(value for _, value in one.headers))
                assert account is None, _said(
                    seen.call,
                    f"{due.code} is due, and {one.upstream} gets {one.method} with the credential of {account}",
                )
    return any(due.outcome == "denied" for _, due in judged.calls)


def exactly_one_credential(subject: Subject, case: Scenario) -> bool:
    """G2: a call that is allowed shows its upstream the one credential of its account, and nothing of its caller.

    Hard: calls run as several accounts.
    """
    judged = _judged(subject, case)
    tokens = _tokens(judged.play.headers)
    for seen, due in judged.calls:
        for one in seen.arrived if due.runs else ():
            own = judged.play.credentials.get(due.account or "")
            allowed = [(f"{PREFIX}{own}",)] if one.is_call else [(f"{PREFIX}{own}",), ()]
            assert one.shown in allowed, _said(
                seen.call,
                f"{one.upstream} is shown {_whose(judged.play, one.shown)}, not the credential of {due.account}",
            )
            strange = [name for name, value in one.headers if any(token in value for token in tokens)]
            assert strange == [], _said(seen.call, f"{one.upstream} gets the header of a caller, in {strange}")
    return len({due.account for _, due in judged.calls if due.runs}) > 1


def callers_are_told_no_secret(subject: Subject, case: Scenario) -> bool:
    """G3: no credential, key or reference stands in a list or an answer.

    Hard: an upstream that fails has a word to say about the credential it was shown.
    """
    judged = _judged(subject, case)
    for caller, listed in judged.play.listed.items():
        found = _leaked(judged.play, listed.text)
        assert found is None, f"the list of {caller} holds {found}"
    for seen, _ in judged.calls:
        found = _leaked(judged.play, seen.answer.text)
        assert found is None, _said(seen.call, f"the answer holds {found}")
    return any(due.outcome == "upstream_failed" for _, due in judged.calls)


def operators_are_told_no_secret(subject: Subject, case: Scenario) -> bool:
    """G3: no credential, key or reference stands in an audit record or a log.

    Hard: a credential was sent, one could not be had, and a key was refused.
    """
    judged = _judged(subject, case)
    for record in judged.play.told.records:
        found = _leaked(judged.play, repr(record))
        assert found is None, f"the record of a call of {record.name} holds {found}"
    found = _leaked(judged.play, judged.play.told.logged)
    assert found is None, f"the log holds {found}"
    return {"unauthenticated", "credential_failed", "invoked"} <= {due.outcome for _, due in judged.calls}


def exactly_k_run_at_once(subject: Subject, case: Burst) -> bool:
    """G4: of calls made at once exactly as many run as the limit says, and the others are told that it is used up.

    Hard: all that are made at once are more than the limit has.
    """
    from mcpizer_conformance.playing.play import played_at_once  # needs an extra, which laws of functions do not

    ledger, play = Ledger(case.world), played_at_once(subject.start_gateway, case)
    due = Counter(_wanted(ledger.due(case.call)) for _ in range(case.times))
    answered = Counter(_answered(one.answer, play.codes) for one in play.seen)
    ran = sum(one.is_call for one in play.seen[0].arrived)
    assert ran == due["invoked"], _said(case.call, f"{case.times} at once: {due['invoked']} are to run, and {ran} do")
    assert answered == due, _said(case.call, f"{case.times} at once: due are {dict(due)}, answered {dict(answered)}")
    return due[EXHAUSTED] > 0


def told_apart_to_callers(subject: Subject, case: Scenario) -> bool:
    """G5: what becomes of a call is told by HTTP 401, by error -32602, or by the code of a result.

    Hard: many outcomes, of calls with one thing wrong or none.
    """
    judged = _judged(subject, case)
    plain = [(seen, due) for seen, due in judged.calls if len(due.wrong) < 2]
    for seen, due in plain:
        answered, wanted = _answered(seen.answer, judged.play.codes), _wanted(due)
        if answered != EXHAUSTED or wanted == EXHAUSTED:  # a limit that is used up too early is for G1
            assert answered == wanted, _said(seen.call, f"{wanted} is due, and the answer is {answered}")
    return len({due.code for _, due in plain}) > 4


def told_apart_in_the_audit(subject: Subject, case: Scenario) -> bool:
    """G5: the record of a call has the word for what became of it.

    Hard: many outcomes, of calls with one thing wrong or none.
    """
    outcomes = set[str]()
    for seen, due, record in _judged(subject, case).recorded():
        if len(due.wrong) < 2 and (record.code != EXHAUSTED or due.code == EXHAUSTED):
            outcomes.add(due.outcome)
            assert record.outcome == due.outcome, _said(
                seen.call, f"{due.outcome} is due, and the record says {record.outcome}"
            )
    return len(outcomes) > 4


def one_record_a_call(subject: Subject, case: Scenario) -> bool:
    """G6: every call leaves exactly one record, whatever became of it.

    Hard: many outcomes.
    """
    judged = _judged(subject, case)
    records = Counter(one.principal for one in judged.play.told.records)
    calls = Counter(None if due.outcome == "unauthenticated" else seen.call.caller for seen, due in judged.calls)
    for caller in (*calls, *records):
        assert records[caller] == calls[caller], (
            f"{calls[caller]} calls of {caller or 'nobody that is known'} leave {records[caller]} records"
        )
    return len({due.outcome for _, due in judged.calls}) > 4


def a_record_says_it_all(subject: Subject, case: Scenario) -> bool:
    """G6: a record has the exposed name, the principal, the account of a call that has one, a code, and both versions.

    Hard: some calls have an account, and some have none.
    """
    versions, accounts = set[tuple[str, str]](), set[bool]()
    for seen, due, record in _judged(subject, case).recorded():
        if due.outcome != "unauthenticated":
            assert record.principal == seen.call.caller, _said(seen.call, f"the record is of {record.principal}")
            assert record.name == seen.call.name, _said(seen.call, f"the record names {record.name}")
        early = record.code == EXHAUSTED and due.code != EXHAUSTED
        if len(due.wrong) < 2 and not early:  # where several things are wrong, the order is for G1
            assert record.account == due.account, _said(seen.call, f"account {due.account}, recorded {record.account}")
        assert record.code, _said(seen.call, "the record has no code")
        assert record.policy_version, _said(seen.call, "the record has no policy version")
        assert record.catalog_version, _said(seen.call, "the record has no catalog version")
        versions.add((record.policy_version, record.catalog_version))
        accounts.add(due.account is None)
    assert len(versions) < 2, f"nothing changed, and the records are of several versions: {sorted(versions)}"
    return len(accounts) == 2


def hidden_and_missing_look_the_same(subject: Subject, case: Scenario) -> bool:
    """G7: the answers to a tool that a caller is not shown and to one that is not there differ in the name only.

    Hard: some caller asks for both.
    """
    judged, there = _judged(subject, case), {one.exposed for one in case.tools}
    hard = False
    for caller in {seen.call.caller for seen, due in judged.calls if due.outcome != "unauthenticated"}:
        unseen = [seen for seen, due in judged.calls if seen.call.caller == caller and not due.shown]
        missing = [one for one in unseen if one.call.name not in there]
        for one in unseen if missing else ():
            alike, like = _nameless(one), _nameless(missing[0])
            assert alike == like, _said(one.call, f"the answer is {alike}, and of a tool that is missing {like}")
            hard |= one.call.name in there
    return hard


def _nameless(seen: "Seen") -> str:
    """Return an answer with the name that was asked for taken out."""
    answer: dict[str, Any] = {"status": seen.answer.status, "error": seen.answer.error, "result": seen.answer.result}
    return json.dumps(answer, sort_keys=True).replace(json.dumps(seen.call.name)[1:-1], "NAME")


def _tokens(headers: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
    """Return what callers are known by: the last word of each of their headers."""
    return tuple({value.rpartition(" ")[2] for one in headers.values() for value in one.values()} - {""})


def _account(credentials: Mapping[str, str], text: str) -> str | None:
    return next((account for account, secret in credentials.items() if secret in text), None)


def _whose(play: "Played", shown: Iterable[str]) -> str:
    """Return what was shown, without showing it."""
    account = _account(play.credentials, "\n".join(shown))
    return f"the credential of {account}" if account else "another one" if tuple(shown) else "none"


def _leaked(play: "Played", text: str) -> str | None:
    """Return which secret a text holds, without showing it."""
    account = _account(play.credentials, text)
    if account is not None:
        return f"the credential of {account}"
    if any(token in text for token in _tokens(play.headers)):
        return "the header of a caller"
    return "what the gateway said is secret" if any(one in text for one in play.secrets) else None
