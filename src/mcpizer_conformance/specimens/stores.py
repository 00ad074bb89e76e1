"""Stores with one mistake each, which writers at the same time, a crash or the next application bring to light.

Each keeps a namespace in a variable and plays a play step by step; what happens at the same time happens in an order
that is fixed, so that a mistake always shows. The one at the top is right, and each other spoils one step of it.

This module does not know files, databases or threads.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, assert_never

from mcpizer_conformance.plays import (
    Answer,
    Commit,
    Crash,
    Crashed,
    Done,
    Down,
    Force,
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
from mcpizer_conformance.specimens.specimen import Functions, Specimen
from mcpizer_conformance.specimens.spoiling import remade
from mcpizer_conformance.wire.life_encoding import SCHEMES
from mcpizer_core import Namespace, Reached, Rejected, Release, Unreached, apply, empty_namespace, restore


class Shelf:
    """A store that is right: one commit after the other, each judged on what is there."""

    def __init__(self, play: Play) -> None:
        self.now = empty_namespace(rule=play.rule, scheme=SCHEMES[play.scheme])

    def answered(self, step: Step) -> Answer:
        match step:
            case Open():
                return Opened()
            case Load(session):
                return Loaded(held_by(self.loaded(session)))
            case Commit():
                return self.commit(step)
            case Together(commits):
                return Several(tuple(self.together(commits)))
            case Crash(commits, answered):
                told = tuple(map(self.commit, commits[:answered]))
                self.crash(commits[answered])
                return Crashed(told, Loaded(held_by(self.now)))
            case Force(commit):
                return self.force(commit)
            case _:
                assert_never(step)

    def loaded(self, session: str) -> Namespace:
        return self.now

    def commit(self, commit: Commit) -> Done:
        return Moved(self.now.version) if self.stale(commit) else self.judged(self.now, commit)

    def stale(self, commit: Commit) -> bool:
        return commit.expected not in (None, self.now.version)

    def judged(self, on: Namespace, commit: Commit) -> Done:
        answer = apply(on, commit.event, on_conflict=commit.on_conflict)
        self.now = answer.namespace
        return Refused(answer.code) if isinstance(answer, Rejected) else Kept(self.now.version)

    def together(self, commits: Sequence[Commit]) -> Sequence[Done]:
        return [self.commit(one) for one in commits]

    def crash(self, begun: Commit) -> None:
        """What was begun and not answered is not there."""

    def force(self, commit: Commit) -> Done:
        return self.commit(commit)


def playing(kind: type[Shelf]) -> Functions:
    """Every play has a store of its own."""

    def play(one: Play) -> tuple[Answer, ...]:
        shelf = kind(one)
        return tuple(shelf.answered(step) for step in one.steps)

    return {"play": play}


def apart(commit: Commit) -> bool:
    """Whether a commit is no matter of what others write: a fact, or one to a version, which is compared."""
    return isinstance(commit.event, Reached | Unreached) or commit.expected is not None


class CountsWithoutComparing(Shelf):
    def stale(self, commit: Commit) -> bool:
        return False


class TakesWhatIsToCome(Shelf):
    def stale(self, commit: Commit) -> bool:
        return super().stale(commit) and (commit.expected or 0) < self.now.version


class LateCommitsCount(Shelf):
    def commit(self, commit: Commit) -> Done:
        answer = super().commit(commit)
        if isinstance(answer, Moved):
            self.now = remade(self.now, version=answer.version + 1)
        return answer


class ComparesBeforeTheLock(Shelf):
    def together(self, commits: Sequence[Commit]) -> Sequence[Done]:
        compared = [(one, self.stale(one)) for one in commits]
        return [Moved(self.now.version) if late else self.judged(self.now, one) for one, late in compared]


class LastFactStays(Shelf):
    def commit(self, commit: Commit) -> Done:
        event = commit.event
        if not isinstance(event, Reached | Unreached):
            return super().commit(commit)
        one = self.now.registrations[event.key]
        if isinstance(event, Reached):
            contact = replace(one.contact, up=True, reached_at_ms=event.at_ms, detail="")
        else:
            contact = replace(one.contact, up=False, unreached_at_ms=event.at_ms, detail=event.detail)
        self.now = remade(self.now, replace(one, contact=contact))
        return Kept(self.now.version)


class FactsCount(Shelf):
    def commit(self, commit: Commit) -> Done:
        answer = super().commit(commit)
        if isinstance(commit.event, Reached | Unreached) and isinstance(answer, Kept):
            self.now = remade(self.now, version=answer.version + 1)
            return Kept(self.now.version)
        return answer


class JudgesBeforeItWrites(Shelf):
    def together(self, commits: Sequence[Commit]) -> Sequence[Done]:
        first = self.now
        return [self.commit(one) if apart(one) else self.written(first, one) for one in commits]

    def written(self, first: Namespace, commit: Commit) -> Done:
        """Write what the event makes of its own registration, judged on what was read before."""
        answer = apply(first, commit.event, on_conflict=commit.on_conflict)
        if isinstance(answer, Rejected):
            return Refused(answer.code)
        after, key = answer.namespace, "" if isinstance(commit.event, Release) else commit.event.key
        others = {name: one for name, one in self.now.registrations.items() if name != key}
        own = {key: after.registrations[key]} if key in after.registrations else {}
        version = self.now.version + after.version - first.version
        self.now = restore(
            (others | own).values(), retired=after.retired, version=version, rule=after.rule, scheme=after.scheme
        )
        return Kept(self.now.version)


class WritesAllItRead(Shelf):
    def together(self, commits: Sequence[Commit]) -> Sequence[Done]:
        first, told = self.now, list[Done]()
        for one in commits:
            before, answer = self.now, self.commit(one)
            told.append(answer)
            if isinstance(answer, Kept) and self.now is not before and not apart(one):
                self.now = remade(
                    apply(first, one.event, on_conflict=one.on_conflict).namespace, version=answer.version
                )
        return told


class SwallowsRefusals(Shelf):
    def together(self, commits: Sequence[Commit]) -> Sequence[Done]:
        return [Kept(self.now.version) if isinstance(one, Refused) else one for one in super().together(commits)]


class ReadsOnce(Shelf):
    def __init__(self, play: Play) -> None:
        super().__init__(play)
        self.seen = dict[str, Namespace]()

    def loaded(self, session: str) -> Namespace:
        return self.seen.setdefault(session, self.now)


class HalfAfterACrash(Shelf):
    def crash(self, begun: Commit) -> None:
        self.commit(begun)
        one = None if isinstance(begun.event, Release) else self.now.registrations.get(begun.event.key)
        if one is not None:
            self.now = remade(self.now, replace(one, offers=one.offers[: len(one.offers) // 2]))


class LosesWhatItConfirmed(Shelf):
    def __init__(self, play: Play) -> None:
        super().__init__(play)
        self.on_the_disk = self.now

    def commit(self, commit: Commit) -> Done:
        self.on_the_disk = self.now
        return super().commit(commit)

    def crash(self, begun: Commit) -> None:
        self.now = self.on_the_disk


class LockedAfterACrash(Shelf):
    locked = False

    def commit(self, commit: Commit) -> Done:
        return Down("somebody else writes") if self.locked else super().commit(commit)

    def crash(self, begun: Commit) -> None:
        self.locked = True


class HasNoRule(JudgesBeforeItWrites):
    def together(self, commits: Sequence[Commit]) -> Sequence[Done]:
        return [self.commit(one) for one in commits]

    def force(self, commit: Commit) -> Done:
        own = [one for key, one in self.now.registrations.items() if key == getattr(commit.event, "key", "")]
        alone = restore(own, version=self.now.version, rule=self.now.rule, scheme=self.now.scheme)
        return self.written(alone, commit)


class IsUniquePerScope(HasNoRule):
    def force(self, commit: Commit) -> Done:
        before, answer = self.now, super().force(commit)
        scopes = [one.scope for one in self.now.registrations.values()]
        if len(set(scopes)) == len(scopes):
            return answer
        self.now = before
        return self.commit(commit)


class RefusalsAreFailures(Shelf):
    def force(self, commit: Commit) -> Done:
        answer = self.commit(commit)
        return Down("a constraint failed") if isinstance(answer, Refused) else answer


class RefusalsAreHalfDone(Shelf):
    def force(self, commit: Commit) -> Done:
        answer = self.commit(commit)
        if isinstance(answer, Refused):
            self.now = remade(self.now, version=self.now.version + 1)
        return answer


def _store(name: str, breaks: str, story: str, kind: type[Shelf]) -> Specimen:
    return Specimen(name, breaks, story, lambda: playing(kind))


ALL: Final = (
    _store(
        "counts-without-comparing", "STORE-1", "Every commit moves the version, and none is compared with it.",
        CountsWithoutComparing,
    ),
    _store("takes-what-is-to-come", "STORE-1", "Only an older version is refused.", TakesWhatIsToCome),
    _store("late-commits-count", "STORE-1", "A commit that comes too late moves the version.", LateCommitsCount),
    _store(
        "compares-before-the-lock", "STORE-1", "The version is compared first, and the lock is taken then.",
        ComparesBeforeTheLock,
    ),
    _store("last-fact-stays", "STORE-1", "The fact that comes last overwrites a newer one.", LastFactStays),
    _store("facts-count", "STORE-1", "Whether an upstream answers moves the version.", FactsCount),
    _store(
        "judges-before-it-writes", "STORE-2", "A name is looked for before the transaction that takes it.",
        JudgesBeforeItWrites,
    ),
    _store("writes-all-it-read", "STORE-2", "Who writes last writes everything as it was read.", WritesAllItRead),
    _store("swallows-refusals", "STORE-2", "Who loses a race is told that it won.", SwallowsRefusals),
    _store("reads-once", "STORE-2", "What was read once is never read again.", ReadsOnce),
    _store("half-after-a-crash", "STORE-3", "A crash leaves half of the tools of a listing.", HalfAfterACrash),
    _store("loses-what-it-confirmed", "STORE-3", "What was accepted last is lost in a crash.", LosesWhatItConfirmed),
    _store("locked-after-a-crash", "STORE-3", "The lock of a process that crashed stays.", LockedAfterACrash),
    _store("has-no-rule", "STORE-4", "Only the application knows which names may not meet.", HasNoRule),
    _store(
        "is-unique-per-scope", "STORE-4", "The rule of the store compares names in equal scopes only.",
        IsUniquePerScope,
    ),
    _store("refusals-are-failures", "STORE-4", "What the store refuses is told as a failure.", RefusalsAreFailures),
    _store("refusals-are-half-done", "STORE-4", "What the store refuses moves its version.", RefusalsAreHalfDone),
)  # fmt: skip
"""Specimens of stores."""
