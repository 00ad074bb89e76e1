"""The matrix of an access report says what `decide`, `who_can` and `diff` say."""

from dataclasses import replace

from hypothesis import given

from mcpizer_adapters.report.matrix import Cell, Kind, Matrix, Side, caller, change, gist, matrix
from mcpizer_conformance.strategies.revisions import Revision, revisions
from mcpizer_core import Decision, Deny, OnAmbiguity, Policy, Principal, compile_policy, decide, diff, who_can


def side(policy: Policy) -> Side:
    return Side(policy, "policy.yaml", "0", lambda path: path)


def matrix_of(revision: Revision) -> Matrix:
    policies = [compile_policy(one, on_ambiguity=OnAmbiguity.DENY).policy for one in (revision.before, revision.after)]
    before, after = policies
    assert before is not None
    assert after is not None
    return matrix(side(after), side(before))


def shown(report: Matrix, row: int, column: int) -> Cell | None:
    """The cell that a reader finds: that of the row, or of the first broader row that has one."""
    cells = {(one.row, one.column): one for one in report.cells}
    for at in (row, *report.rows[row].broader):
        if (row_cell := cells.get((at, column))) is not None:
            return row_cell
    return None


def decided(report: Matrix, principal: Principal, capability: str) -> tuple[Decision, Decision]:
    before, after = (decide(one.policy, principal, capability, at_ms=0) for one in report.sides)
    return before, after


class TestEveryCellIsADecision:
    """A reader who looks up any row and capability finds what is decided on a caller with exactly those facts."""

    @given(revisions())
    def test_before_and_after(self, revision: Revision) -> None:
        report = matrix_of(revision)
        for number, row in enumerate(report.rows):
            if row.kind is not Kind.SELECTOR:
                continue
            for position, column in enumerate(report.columns):
                before, after = decided(report, caller(row.issuer, row.facts), column.capability)
                found = shown(report, number, position)
                if found is None:
                    assert isinstance(before, Deny)
                    assert isinstance(after, Deny)
                else:
                    assert found.before is not None
                    assert (gist(found.before), gist(found.after)) == (gist(before), gist(after))

    @given(revisions())
    def test_of_one_policy(self, revision: Revision) -> None:
        policy = compile_policy(revision.after, on_ambiguity=OnAmbiguity.DENY).policy
        assert policy is not None
        report = matrix(side(policy))
        assert all(one.before is None for one in report.cells)
        for number, row in enumerate(report.rows):
            for position, column in enumerate(report.columns):
                found = shown(report, number, position)
                decision = decide(policy, caller(row.issuer, row.facts), column.capability, at_ms=0)
                assert isinstance(decision, Deny) if found is None else gist(found.after) == gist(decision)


class TestEveryGrantAndChangeIsThere:
    """Nothing that `who_can` or `diff` answers is left out."""

    @given(revisions())
    def test_grants_are_those_of_who_can(self, revision: Revision) -> None:
        report = matrix_of(revision)
        for number, one in enumerate(report.sides):
            for position, column in enumerate(report.columns):
                entries = who_can(one.policy, column.capability).entries
                assert sorted(entry.path for entry in entries) == sorted(
                    given.place for given in report.grants if given.side == number and position in given.columns
                )

    @given(revisions())
    def test_changes_are_those_of_diff(self, revision: Revision) -> None:
        report = matrix_of(revision)
        cells = {(one.row, one.column): one for one in report.cells}
        columns = {one.capability: number for number, one in enumerate(report.columns)}
        rows = {(one.issuer, one.facts): number for number, one in enumerate(report.rows)}
        changes = diff(report.sides[0].policy, report.sides[1].policy)
        for one in changes:
            values = [
                (name, value)
                for name, given in one.witness.attributes.items()
                for value in ([given] if isinstance(given, str) else given)
            ]
            cell = cells[rows[one.witness.issuer, tuple(sorted(values))], columns[one.capability]]
            assert (cell.before, cell.after) == (one.before, one.after)
        changed = [one for one in report.cells if one.before is not None and change(one.before, one.after)]
        assert bool(changed) == bool(changes)

    @given(revisions())
    def test_a_policy_does_not_differ_from_itself_rearranged(self, revision: Revision) -> None:
        again = replace(revision.before, grants=revision.before.grants[::-1])
        report = matrix_of(replace(revision, after=again))
        assert not [one for one in report.cells if one.before is not None and change(one.before, one.after)]
