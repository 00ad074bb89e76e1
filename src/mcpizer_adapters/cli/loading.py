"""A policy, a declared catalog and a caller for a command: read, findings told, and an end if there is an error.

This module does not know what the command does with them.
"""

import sys
from collections.abc import Sequence

from attrs import frozen

from mcpizer_adapters.artifact.catalog import ReadCatalog, read_catalog
from mcpizer_adapters.artifact.documents import CatalogDocument
from mcpizer_adapters.artifact.findings import render
from mcpizer_adapters.artifact.reader import read_policy
from mcpizer_adapters.cli.terminal import Exit, fail, notice
from mcpizer_adapters.gateway.in_force import PolicyInForce
from mcpizer_adapters.identity.from_policy import NoSuchCaller, principal_as
from mcpizer_core import Principal


@frozen
class ReadAgain:
    """What files say now: lines about them, and the policy if it has no error."""

    lines: tuple[str, ...]
    in_force: PolicyInForce | None
    declared: CatalogDocument | None


def load(policy: Sequence[str], catalog: str | None) -> tuple[PolicyInForce, CatalogDocument | None]:
    """Return what the files say, or print every finding and end."""
    read, errors = _read(policy, catalog)
    for line in read.lines if sys.stderr is not None else ():
        print(line, file=sys.stderr)
    if read.in_force is None:
        fail(f"{errors} error{'s' if errors != 1 else ''}; nothing was started", Exit.FINDINGS)
    return read.in_force, read.declared


def read_again(policy: Sequence[str], catalog: str | None) -> ReadAgain:
    """Return what the files say by now."""
    return _read(policy, catalog)[0]


def _read(policy: Sequence[str], catalog: str | None) -> tuple[ReadAgain, int]:
    """Return what the files say, and how many errors they have."""
    declared = None if catalog is None else read_catalog(catalog)
    read = read_policy(policy, catalog=declared)
    findings = [*read.findings, *(declared.findings if declared is not None else ())]
    lines = tuple(render(finding) for finding in findings)
    errors = sum(finding.is_error for finding in findings)
    if read.document is None or read.compilation.policy is None or _broken(declared):
        return ReadAgain(lines, None, None), errors
    in_force = PolicyInForce(read.document, read.compilation.policy, read.version, read.locate)
    return ReadAgain(lines, in_force, None if declared is None else declared.document), errors


def _broken(declared: ReadCatalog | None) -> bool:
    return declared is not None and declared.document is None


def named(in_force: PolicyInForce, caller: str, attributes: list[tuple[str, str]]) -> Principal:
    """Return the principal that `--as` and `--attr` name, or end; attributes that play no part are told."""
    found = principal_as(in_force.document, in_force.policy, caller, attributes)
    if isinstance(found, NoSuchCaller):
        fail(found.problem, Exit.USAGE)
    for name in found.undeclared:
        notice(f"the attribute {name} plays no part: the issuer {found.principal.issuer} does not declare it")
    for name in found.unusable:
        notice(f"the attribute {name} plays no part: it has several values and its issuer declares it with one")
    return found.principal
