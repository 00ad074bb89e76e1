"""Texts the tests of the artifact share, and how a text becomes a file that is read.

Shared fixtures of these tests live here and nowhere else.

This module does not judge anything.
"""

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
        tools:
          - {name: read_note, capability: notes.read}
          - {name: write_note, capability: notes.write}
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
