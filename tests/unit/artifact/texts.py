"""Texts the tests of the artifact share, and how a text becomes a file that is read.

Shared fixtures of these tests live here and nowhere else.

This module does not judge anything.
"""

import os
from pathlib import Path
from textwrap import dedent
from typing import Final

from mcpizer_adapters.artifact import Finding, ReadCatalog, ReadPolicy, read_catalog, read_policy

COMPLETE: Final = dedent(
    """\
    version: 1
    capabilities:
      - id: notes.read
        description: Read notes
      - id: notes.write
    upstreams:
      - id: notes
        transport:
          kind: mcp-stdio
          command: notes-mcp
          args: [--root, /srv/notes]
          env: {LOG: warning}
          cwd: /srv
          credential: {env: NOTES_TOKEN}
        listing_account: reader
        scope: {team: support}
        tools:
          - {name: read_note, capability: notes.read}
          - {name: write_note, capability: notes.write, alias: note, scope: {owner: "desk:front"}}
      - id: archive
        transport:
          kind: mcp-http
          url: https://archive.example/mcp
          headers: {X-Client: mcpizer}
          credential: {header: Authorization, prefix: "Bearer "}
        tools:
          - {name: read_note, capability: notes.read}
    accounts:
      - id: reader
        secret: {ref: env://READER_TOKEN}
      - id: writer
        disabled: true
        secret: {ref: file:///run/secrets/writer}
    principals:
      issuers:
        - id: desk
          kind: static-key
          subject: front
          secret: {ref: env://DESK_KEY}
          attributes: {team: support, regions: [eu, us]}
          teams: [support]
        - id: company
          kind: oidc
          discovery: https://login.example/.well-known/openid-configuration
          audience: mcpizer
          attributes: {team: claim:team, groups: {claim: grp, many: true}}
        - id: machines
          kind: mtls
          attributes: {name: claim:cn}
    grants:
      - to: {issuer: desk, attributes: {team: support, regions: [eu]}}
        capabilities: [notes.read]
        using: reader
        limits: {calls: 20, per: 1d}
      - to: {issuer: company, attributes: {team: blue, groups: [a, b]}}
        capabilities: [notes.read, notes.write]
        using: writer
      - to: {issuer: machines}
        capabilities: [notes.read]
        using: reader
    """
)
"""A policy that uses every key there is, without a finding."""

CAPABILITIES: Final = "version: 1\ncapabilities: [{id: notes.read}, {id: notes.write}]\n"
UPSTREAMS: Final = (
    "version: 1\nupstreams:\n- id: notes\n  transport: {kind: mcp-stdio, command: x}\n"
    "  tools:\n  - {name: read, capability: notes.read}\n  - {name: write, capability: notes.write}\n"
)
PEOPLE: Final = (
    "version: 1\naccounts: [{id: reader}]\nprincipals:\n  issuers:\n"
    "  - {id: desk, kind: static-key, subject: front, secret: {ref: env://DESK_KEY}}\n"
)
GRANTS: Final = "version: 1\ngrants:\n- {to: {issuer: desk}, capabilities: [notes.read], using: reader}\n"
MORE: Final = (
    "version: 1\naccounts: [{id: writer}]\ngrants:\n"
    "- {to: {issuer: desk}, capabilities: [notes.write], using: writer, limits: {calls: 2, per: 1h}}\n"
)
PARTS: Final = {"10-words.yaml": CAPABILITIES, "20-ups.yml": UPSTREAMS, "30-people.yaml": PEOPLE, "40.yaml": GRANTS}
"""A policy in four files, by their names."""


def policy_of(directory: Path, text: str, name: str = "policy.yaml", catalog: ReadCatalog | None = None) -> ReadPolicy:
    """Write `text` to a file and read it as a policy."""
    file = directory / name
    file.write_text(text, encoding="utf-8", newline="")
    return read_policy(file, catalog=catalog)


def catalog_of(directory: Path, text: str, name: str = "catalog.yaml") -> ReadCatalog:
    """Write `text` to a file and read it as a catalog."""
    file = directory / name
    file.write_text(text, encoding="utf-8", newline="")
    return read_catalog(file)


def seen(finding: Finding) -> tuple[str, str, int, int]:
    """Return what a finding says of itself: code, pointer, line, column."""
    return (finding.diagnostic.code, finding.pointer, finding.place.line, finding.place.column)


def spot(text: str, needle: str) -> tuple[int, int]:
    """Return line and column of the only place where `needle` stands in `text`."""
    before, found, after = text.partition(needle)
    assert found
    assert needle not in after
    return before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1


def written(directory: Path, **texts: str) -> list[Path]:
    """Write texts to files `name.yaml` and return their paths."""
    paths = [directory / f"{name}.yaml" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, encoding="utf-8", newline="")
    return paths


def parts(directory: Path) -> Path:
    """Write the files of PARTS to a directory and return it."""
    directory.mkdir(exist_ok=True)
    for name, text in PARTS.items():
        (directory / name).write_text(text, encoding="utf-8")
    return directory


def told(finding: Finding) -> tuple[str, str, str]:
    """Return code, address and place of a finding, each file by its last name."""
    return (finding.diagnostic.code, os.path.basename(finding.pointer), os.path.basename(str(finding.place)))


def errors(read: ReadPolicy) -> list[Finding]:
    """Return the errors of what was read, after checking that its parts agree."""
    assert (read.policy is None) == (read.document is None) == any(one.is_error for one in read.findings)
    assert read.compilation.diagnostics == tuple(one.diagnostic for one in read.findings)
    return [one for one in read.findings if one.is_error]
