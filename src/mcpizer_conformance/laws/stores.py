"""The laws of stores (S1 to S4): what a commit is compared with, what several come to, what a crash leaves.

Each function asserts one consequence for one play and tells whether its precondition was met. What an event comes to
is what the naive model says; a store is compared with that, and never with another store.

This module does not know where anything is kept.
"""

from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any, Final

from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.plays import (
    Commit,
    Crash,
    Crashed,
    Done,
    Down,
    Force,
    Held,
    Kept,
    Load,
    Loaded,
    Moved,
    Open,
    Opened,
    Play,
    Refused,
    Several,
    Step,
    Together,
    held_by,
)
from mcpizer_conformance.subjects.asking import subject_of
from mcpizer_conformance.subjects.model import ANSWERER
from mcpizer_conformance.wire.life_encoding import SCHEMES
from mcpizer_core import Namespace, Reached, Unreached

Told = tuple[Step, Any]
"""A step with what was answered to it."""

MODEL: Final = subject_of(ANSWERER)


def played(subject: Subject, play: Play) -> list[Told]:
    """Every step with its answer, which is one of those that such a step has."""
    answers = subject.play(play)
    assert len(answers) == len(play.steps), f"{len(answers)} answers to {len(play.steps)} steps"
    for step, answer in zip(play.steps, answers, strict=True):
        assert isinstance(answer, _FITTING[type(step)]), f"{answer} is no answer to {step}"
        if isinstance(step, Together):
            assert len(answer.answers) == len(step.commits), "an answer is missing"
    return list(zip(play.steps, answers, strict=True))


_DONE: Final = (Kept, Refused, Moved, Down)
_FITTING: Final[dict[type[Step], Any]] = {
    Open: Opened,
    Load: Loaded,
    Commit: _DONE,
    Force: _DONE,
    Together: Several,
    Crash: Crashed,
}
"""Which answers a step has: a store in which nothing is broken loads, always."""


def start(play: Play) -> Namespace:
    """The namespace of a new store."""
    return MODEL.restore((), rule=play.rule, scheme=SCHEMES[play.scheme])


def again(play: Play, found: Held) -> Namespace:
    """The namespace that is made of what a store holds."""
    given = {"retired": found.retired, "version": found.version, "rule": play.rule, "scheme": SCHEMES[play.scheme]}
    return MODEL.restore(found.registrations, **given)


def judged(now: Namespace, commit: Commit) -> tuple[Namespace, Done]:
    """What a commit comes to, and what is answered."""
    status = isinstance(commit.event, Reached | Unreached)
    if commit.expected not in (None, now.version) and not status:
        return now, Moved(now.version)
    found = MODEL.apply(now, commit.event, on_conflict=commit.on_conflict)
    code = getattr(found, "code", None)
    return found.namespace, Kept(found.namespace.version) if code is None else Refused(code.value)


def folded(play: Play, until: type[Step]) -> Namespace:
    """What the commits of a play come to that stand before the first step of a kind."""
    now = start(play)
    for step in play.steps:
        if isinstance(step, until):
            break
        if isinstance(step, Commit):
            now, _ = judged(now, step)
    return now


def first(told: Sequence[Told], kind: type[Step]) -> tuple[Any, Any, list[Told]]:
    """The first step of a kind, what was answered to it, and what came after."""
    at = next(at for at, (step, _) in enumerate(told) if isinstance(step, kind))
    return (*told[at], list(told[at + 1 :]))


def loads(told: Iterable[Told]) -> list[Held]:
    """What was loaded, load by load."""
    return [answer.held for step, answer in told if isinstance(step, Load)]


def only_at_its_version(subject: Subject, play: Play) -> bool:
    """S1: a commit to another version than the one there is learns which that is and changes nothing; one to that
    version is judged. Hard: a commit comes too late."""
    met, now = False, start(play)
    for step, answer in played(subject, play):
        if isinstance(step, Commit):
            late = step.expected not in (None, now.version)
            right = answer == Moved(now.version) if late else not isinstance(answer, Moved)
            assert right, f"at version {now.version} a commit to {step.expected} is answered {answer}"
            met = met or (late and (step.expected or 0) < now.version)
            now, _ = judged(now, step)
    assert answer.held == held_by(now), "what is loaded then is not what the commits in time come to"
    return met


def one_commit_per_version(subject: Subject, play: Play) -> bool:
    """S1: of writers that commit to one version at the same time exactly one is accepted, and the others learn which
    version there is then. Hard: always, for there are several."""
    now = folded(play, Together)
    together, several, rest = first(played(subject, play), Together)
    accepted = [one for one, done in zip(together.commits, several.answers, strict=True) if isinstance(done, Kept)]
    assert len(accepted) == 1, f"{len(accepted)} commits to one version are accepted"
    others = [one for one in several.answers if not isinstance(one, Kept)]
    assert set(others) == {Moved(now.version + 1)}, f"the others are answered {others}"
    assert loads(rest) == [held_by(judged(now, accepted[0])[0])], "what is loaded is not what was accepted"
    return True


def newest_facts_stay(subject: Subject, play: Play) -> bool:
    """S1: a fact of status is taken at whatever version there is, moves none, and the newest of each registration
    stays. Hard: an older one comes after a newer."""
    met, now, newest = False, start(play), dict[str, int]()
    possible = [now]
    for step, answer in played(subject, play):
        for commit in (step,) if isinstance(step, Commit) else ():
            now, _ = judged(now, commit)
            if isinstance(commit.event, Reached | Unreached):
                key, at_ms = commit.event.key, commit.event.at_ms or 0
                assert answer == Kept(now.version), f"a fact is answered {answer}"
                met = met or at_ms < newest.get(key, 0)
                newest[key] = max(at_ms, newest.get(key, 0))
            possible = [now]
        if isinstance(step, Together):
            assert set(answer.answers) == {Kept(now.version)}, f"facts are answered {answer.answers}"
            possible = [in_order(now, some) for some in permutations(step.commits)]
        if isinstance(step, Load):
            right = contacts(answer.held) in [contacts(held_by(one)) for one in possible]
            assert right, "an older fact stays, or facts moved the version"
    return met


def contacts(found: Held) -> tuple[int, list[Any]]:
    """The version, and what is known of who answers."""
    return found.version, [one.contact for one in found.registrations]


def in_order(now: Namespace, commits: Iterable[Commit]) -> Namespace:
    """What several commits come to, one after the other."""
    for commit in commits:
        now, _ = judged(now, commit)
    return now


def seen_by_all(subject: Subject, play: Play) -> bool:
    """S2: whoever loads sees what all commits before come to, whichever session made them. Hard: a session that has
    loaded before sees what another changed."""
    met, now, seen = False, start(play), dict[str, Held]()
    by = ""
    for step, answer in played(subject, play):
        if isinstance(step, Commit):
            now, by = judged(now, step)[0], step.session
        if isinstance(step, Load):
            assert answer.held == held_by(now), f"{step.session} does not see what was committed"
            met = met or (by != step.session and seen.get(step.session, answer.held) != answer.held)
            seen[step.session] = answer.held
    return met


def some_order_explains(subject: Subject, play: Play) -> bool:
    """S2: what writers at the same time are answered, and what is loaded then, is what some order of them gives.
    Hard: another order of them gives another end."""
    now = folded(play, Together)
    together, several, rest = first(played(subject, play), Together)
    (found,) = loads(rest)
    asked = list(zip(together.commits, several.answers, strict=True))
    met = ", ".join(f"{type(commit.event).__name__}: {done}" for commit, done in asked)
    assert explained(now, asked, found), f"no order gives these answers and what is loaded then: {met}"
    ends = [held_by(in_order(now, some)) for some in (together.commits, reversed(together.commits))]
    return ends[0] != ends[1]


def explained(now: Namespace, left: list[tuple[Commit, Done]], found: Held) -> bool:
    """Whether some order of what is left gives each its answer, and comes to what was found."""
    if not left:
        return held_by(now) == found
    for place, (commit, done) in enumerate(left):
        after, due = judged(now, commit)
        if due == done and explained(after, left[:place] + left[place + 1 :], found):
            return True
    return False


def one_winner(subject: Subject, play: Play) -> bool:
    """S2: of writers that want one name at the same time exactly one gets it, and every other is answered what one is
    answered who comes later. Hard: always, for there are several."""
    _, several, rest = first(played(subject, play), Together)
    late = next(answer for step, answer in rest if isinstance(step, Commit))
    assert isinstance(late, Refused), f"who comes later is answered {late}"
    winners = [one for one in several.answers if isinstance(one, Kept)]
    assert len(winners) == 1, f"{len(winners)} get one name"
    losers = {one for one in several.answers if one not in winners}
    assert losers == {late}, f"who loses is answered {losers}, and who comes later {late}"
    (found,) = loads(rest)
    assert [one.upstream for one in found.registrations].count("wanted") == 1, "the name is not held once"
    return True


def before_or_after(subject: Subject, play: Play) -> bool:
    """S3: after a crash there is what some of the commits came to, in their order, and what was answered is among them.
    Hard: the crash came before the last answer."""
    now = folded(play, Crash)
    crash, crashed, _ = first(played(subject, play), Crash)
    states, due = [now], list[Done]()
    for commit in crash.commits:
        now, answer = judged(now, commit)
        states.append(now)
        due.append(answer)
    told = list(crashed.told)
    assert told == due[: len(told)], f"it was answered {told}, and {due[: len(told)]} is right"
    assert isinstance(crashed.found, Loaded), f"after the crash it is {crashed.found}"
    possible = [held_by(one) for one in states[len(told) :]]
    assert crashed.found.held in possible, "there is something between before and after"
    return len(told) < len(due)


def goes_on_after(subject: Subject, play: Play) -> bool:
    """S3: what is there after a crash stays, and commits go on from it, in sessions old and new. Hard: one of these
    commits is accepted."""
    _, crashed, rest = first(played(subject, play), Crash)
    assert isinstance(crashed.found, Loaded), f"after the crash it is {crashed.found}"
    met, now = False, again(play, crashed.found.held)
    for step, answer in rest:
        if isinstance(step, Commit):
            now, done = judged(now, step)
            assert answer == done, f"after the crash it is answered {answer}, and {done} is right"
            met = met or isinstance(done, Kept)
    assert loads(rest) == [held_by(now)], "what is loaded is not what there was, and what was committed since"
    return met


def refuses_by_itself(subject: Subject, play: Play) -> bool:
    """S4: a name that another holds in the way of the rule is refused past every check too, and nothing is left of it.
    Hard: the rule forbids it."""
    now = folded(play, Force)
    told = played(subject, play)
    force, done, rest = first(told, Force)
    if not isinstance(judged(now, force.commit)[1], Refused):
        return False
    assert not isinstance(done, Kept), "a name is held twice"
    (before, *_), (after, *_) = loads(told), loads(rest)
    assert after == before, "a refusal leaves something behind"
    return True


def the_same_conflict(subject: Subject, play: Play) -> bool:
    """S4: what is refused past every check is answered like the same when it is committed as it ought to be.
    Hard: the rule forbids it."""
    now = folded(play, Force)
    force, done, rest = first(played(subject, play), Force)
    due = judged(now, force.commit)[1]
    if not isinstance(due, Refused):
        return False
    assert done == due, f"it is answered {done}, and {due} is right"
    later = [answer for step, answer in rest if isinstance(step, Commit)]
    assert later == [due], f"committed as it ought to be it is answered {later}"
    return True
