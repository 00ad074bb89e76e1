"""Reading a policy: a compiled policy with its document, or findings, each with its place in its file.

The one entrance from paths to a policy lives here and nowhere else: text, structure, contents and compilation in
a row. Files with any error give no policy and no document, never half of one, and never an exception.

This module does not print, and does not decide what a finding means for a program's exit.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve, field, frozen

from mcpizer_adapters.artifact.catalog import ReadCatalog
from mcpizer_adapters.artifact.contents import check_contents
from mcpizer_adapters.artifact.declaration import Declared, declare
from mcpizer_adapters.artifact.documents import PolicyDocument
from mcpizer_adapters.artifact.findings import Finding, Note, Place
from mcpizer_adapters.artifact.joined import Files, Joined, join
from mcpizer_adapters.artifact.origins import FilePath, gather
from mcpizer_adapters.artifact.problems import one_line
from mcpizer_adapters.artifact.refine import Refiner, invalid_ids
from mcpizer_adapters.artifact.source import Source, in_order
from mcpizer_adapters.artifact.structure import structure
from mcpizer_adapters.artifact.text import Loaded, ReadText, read
from mcpizer_core import Compilation, Diagnostic, DiagnosticCode, OnAmbiguity, Policy, compile_policy, qualify


@frozen
class ReadPolicy:
    """A policy that was read. Document and policy are both there, or, if any finding is an error, neither.

    `path` is what was asked for, and the document is that of all its files together. `findings` are in the order of
    the files and of each file; `compilation` has the same ones as diagnostics of the core. `version` is a short digest
    of the bytes of the files, "" if one of them could not be read. `judged` tells that every file has the shape of
    a policy, so that what they mean was looked at too.
    """

    path: str
    document: PolicyDocument | None
    compilation: Compilation
    findings: tuple[Finding, ...]
    version: str
    files: Files = field(eq=False, repr=False)
    judged: bool = True

    @property
    def policy(self) -> Policy | None:
        """The compiled policy, or None if any finding is an error."""
        return self.compilation.policy

    def place(self, pointer: str) -> Place | None:
        """Return where the value at a pointer (a reason's path, say) begins, or None if there is none.

        It is an RFC 6901 pointer, and `file#pointer` if the policy has several files.
        """
        return self.files.place(pointer)

    def locate(self, pointer: str) -> str:
        """Return `file:line:column` of a pointer; of one that no file has (a missing section), `path#pointer`."""
        place = self.place(pointer)
        if place is not None:
            return str(place)
        return one_line(pointer if self.files.find(pointer) and self.files.several else f"{self.path}#{pointer}")


def read_policy(
    policy: FilePath | Iterable[FilePath],
    *,
    catalog: ReadCatalog | None = None,
    on_ambiguity: OnAmbiguity = OnAmbiguity.REFUSE,
    bounded: bool = True,
) -> ReadPolicy:
    """Read a policy and compile what it declares: a file, or a directory of files, or several of these together.

    Files are JSON if their names end in `.json` and YAML otherwise; each may be `git:REV:path`. What the policy maps
    is compared with `catalog`, unless that one is broken itself; its findings stay its own. Of each kind of findings
    the first thousand are told and the rest is counted, unless they are not `bounded`. Never raises for what the files
    may be or hold.
    """
    paths = (policy,) if isinstance(policy, str | os.PathLike) else tuple(policy)
    loaded = gather(paths, catalog.path if catalog is not None else None)
    texts = [read(one) for one in loaded]
    files = Files(tuple(_sources(loaded, texts)))
    documents, findings = _documents(files, texts)
    document = compiled = None
    if len(documents) == len(texts):
        joined = join(files, documents)
        document = joined.document
        compiled, findings = _judge(joined, catalog, on_ambiguity)
    found = in_order(findings, (one.name for one in loaded), bounded=bounded)
    if compiled is None or any(one.is_error for one in found):
        document = compiled = None
    compilation = Compilation(compiled.policy if compiled is not None else None, tuple(one.diagnostic for one in found))
    path = ", ".join(os.fspath(one) for one in paths)
    return ReadPolicy(path, document, compilation, found, _version(texts), files, len(documents) == len(texts))


def _sources(loaded: Sequence[Loaded], texts: Sequence[ReadText]) -> Iterator[Source]:
    for one, text in zip(loaded, texts, strict=True):
        prefix = f"{one.name}#" if len(loaded) > 1 else ""
        yield Source(one.name, text.tree, prefix, one.content if isinstance(one.content, bytes) else b"")


def _documents(files: Files, texts: Sequence[ReadText]) -> tuple[list[PolicyDocument], list[Finding]]:
    """Return the documents of the files that are one, and what is wrong with the others."""
    documents, findings = list[PolicyDocument](), list[Finding]()
    for source, text in zip(files.sources, texts, strict=True):
        document, problems = None, text.problems
        if text.tree is not None:
            document, problems = structure(text.tree.root, PolicyDocument)
        if document is not None:
            documents.append(document)
        findings += [source.finding(one) for one in problems]
    return documents, findings


def _version(texts: Sequence[ReadText]) -> str:
    versions = [one.version for one in texts]
    if len(versions) == 1 or not all(versions):
        return min(versions)
    return hashlib.sha256("".join(versions).encode("ascii")).hexdigest()[:12]


def _judge(joined: Joined, catalog: ReadCatalog | None, on_ambiguity: OnAmbiguity) -> tuple[Compilation, list[Finding]]:
    """Compile a document that has the right shape, and find all that is wrong with it."""
    declared = declare(joined.document, joined.address)
    refs = catalog.refs if catalog is not None and catalog.document is not None else None
    compiled = compile_policy(declared.declaration, catalog=refs, on_ambiguity=on_ambiguity)
    diagnostics = [(joined.inward(one), one) for one in compiled.diagnostics]
    refiner = Refiner(joined.document, declared.declaration, invalid_ids(inward for inward, _ in diagnostics))
    contents = check_contents(joined.document, refiner.suggestions)
    findings = [joined.finding(one) for one in (*contents, *declared.problems)]
    listed = _listed(catalog)
    told = list[tuple[Diagnostic, Finding]]()
    for inward, diagnostic in diagnostics:
        if not _follows(inward, declared):
            finding = joined.finding(refiner.refine(inward), diagnostic)
            told.append((inward, _with_listing(finding, listed)))
    # What was offered instead of a wrong id is known only now.
    return compiled, findings + [one for inward, one in told if not refiner.follows(inward)]


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
