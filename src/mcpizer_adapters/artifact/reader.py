"""Reading a policy file: a compiled policy with its document, or findings, each with its place in the file.

The one entrance from a path to a policy lives here and nowhere else: text, structure, contents and compilation in
a row. A file with any error gives no policy and no document, never half of one, and never an exception.

This module does not print, and does not decide what a finding means for a program's exit.
"""

import os
from collections.abc import Iterator, Mapping

from attrs import evolve, field, frozen

from mcpizer_adapters.artifact.catalog import ReadCatalog
from mcpizer_adapters.artifact.contents import check_contents
from mcpizer_adapters.artifact.declaration import Declared, declare
from mcpizer_adapters.artifact.documents import PolicyDocument
from mcpizer_adapters.artifact.findings import Finding, Note, Place
from mcpizer_adapters.artifact.problems import one_line
from mcpizer_adapters.artifact.refine import Refiner
from mcpizer_adapters.artifact.source import Source, in_order
from mcpizer_adapters.artifact.structure import structure
from mcpizer_adapters.artifact.text import read_file
from mcpizer_core import Compilation, Diagnostic, DiagnosticCode, OnAmbiguity, Policy, compile_policy, qualify


@frozen
class ReadPolicy:
    """A policy file that was read. Document and policy are both there, or, if any finding is an error, neither.

    `findings` are in document order; `compilation` has the same ones as diagnostics of the core. `version` is a
    short digest of the file's bytes, "" if there are none.
    """

    path: str
    document: PolicyDocument | None
    compilation: Compilation
    findings: tuple[Finding, ...]
    version: str
    source: Source = field(eq=False, repr=False)

    @property
    def policy(self) -> Policy | None:
        """The compiled policy, or None if any finding is an error."""
        return self.compilation.policy

    def place(self, pointer: str) -> Place | None:
        """Return where the value at an RFC 6901 pointer (a reason's path, say) begins, or None if there is none."""
        return self.source.place(pointer)

    def locate(self, pointer: str) -> str:
        """Return `file:line:column` of a pointer; of one the file does not have (a missing section), `file#pointer`."""
        place = self.place(pointer)
        return str(place) if place is not None else one_line(f"{self.path}#{pointer}")


def read_policy(
    path: str | os.PathLike[str],
    *,
    catalog: ReadCatalog | None = None,
    on_ambiguity: OnAmbiguity = OnAmbiguity.REFUSE,
) -> ReadPolicy:
    """Read a policy file, JSON if its name ends in `.json` and YAML otherwise, and compile what it declares.

    What the policy maps is compared with `catalog`, unless that one is broken itself; its findings stay its own.
    Never raises for what the file may be or hold.
    """
    text = read_file(path)
    source = Source(os.fspath(path), text.tree)
    document, problems = None, text.problems
    if text.tree is not None:
        document, problems = structure(text.tree.root, PolicyDocument)
    findings, policy = [source.finding(one) for one in problems], None
    if document is not None:
        compiled, findings = _judge(document, source, catalog, on_ambiguity)
        policy = compiled.policy
    found = in_order(findings)
    if any(one.is_error for one in found):
        document, policy = None, None
    compilation = Compilation(policy, tuple(one.diagnostic for one in found))
    return ReadPolicy(os.fspath(path), document, compilation, found, text.version, source)


def _judge(
    document: PolicyDocument, source: Source, catalog: ReadCatalog | None, on_ambiguity: OnAmbiguity
) -> tuple[Compilation, list[Finding]]:
    """Compile a document that has the right shape, and find all that is wrong with it."""
    declared = declare(document)
    refs = catalog.refs if catalog is not None and catalog.document is not None else None
    compiled = compile_policy(declared.declaration, catalog=refs, on_ambiguity=on_ambiguity)
    refiner = Refiner(document, declared.declaration)
    contents = check_contents(document, refiner.suggestions)
    findings = [source.finding(one) for one in (*contents, *declared.problems)]
    listed = _listed(catalog)
    for diagnostic in compiled.diagnostics:
        if not _follows(diagnostic, declared):
            finding = source.finding(refiner.refine(diagnostic), diagnostic)
            findings.append(_with_listing(finding, listed))
    return compiled, findings


def _follows(diagnostic: Diagnostic, declared: Declared) -> bool:
    """Tell whether a diagnostic only repeats what the reader itself reports, nearer to its cause."""
    if diagnostic.code is DiagnosticCode.INVALID_ID:
        return diagnostic.path.startswith("/upstreams/")
    return diagnostic.code is DiagnosticCode.REDUNDANT_GRANT and bool(declared.problems)


def _listed(catalog: ReadCatalog | None) -> Mapping[str, Place]:
    """Return where the catalog lists each tool, by its exposed name."""
    return dict(_places(catalog)) if catalog is not None else {}


def _places(catalog: ReadCatalog) -> Iterator[tuple[str, Place]]:
    for position, ref in enumerate(catalog.refs):
        if (place := catalog.place(f"/tools/{position}")) is not None:
            yield qualify(*ref), place


def _with_listing(finding: Finding, listed: Mapping[str, Place]) -> Finding:
    if finding.diagnostic.code is not DiagnosticCode.CATALOG_TOOL_UNMAPPED:
        return finding
    place = listed.get(finding.diagnostic.subject)
    return evolve(finding, related=(*finding.related, Note(place, "listed here"))) if place is not None else finding
