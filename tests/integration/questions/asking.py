"""`mcpizer` asked as people ask it: as a process, in a pipe or on a terminal; and the policies it is asked about."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import jsonschema

from mcpizer_adapters.cli.schema import schemas

COMMAND: Final = (sys.executable, "-m", "mcpizer_adapters.cli")

POLICY: Final = """\
version: 1
capabilities:
  - {id: a.read}
  - {id: a.write}
  - {id: b.run}
  - {id: c.none}
upstreams:
  - id: up
    transport: {kind: mcp-stdio, command: nothing}
    tools:
      - {name: look, capability: a.read}
      - {name: peek, capability: a.read}
      - {name: put, capability: a.write}
  - id: far
    transport: {kind: mcp-http, url: "https://far.example/mcp?key=s3cret"}
    tools:
      - {name: run, capability: b.run}
accounts:
  - {id: reader}
  - {id: writer}
  - {id: off, disabled: true}
principals:
  issuers:
    - id: staff
      kind: mtls
      attributes: {team: "claim:OU", groups: {claim: groups, many: true}}
    - {id: desk, kind: static-key, subject: me, secret: {ref: "env://KEY"}, attributes: {team: help}}
grants:
  - {to: {issuer: staff}, capabilities: [a.read], using: reader}
  - {to: {issuer: staff, attributes: {team: ops}}, capabilities: [a.write], using: writer, limits: {calls: 3, per: 1h}}
  - {to: {issuer: staff, attributes: {team: dev, groups: [x, y]}}, capabilities: [a.write], using: writer}
  - {to: {issuer: desk}, capabilities: [b.run], using: off}
"""

CATALOG: Final = """\
version: 1
tools:
  - {upstream: up, name: look, description: Look at it.}
  - {upstream: up, name: peek}
  - {upstream: up, name: put}
  - {upstream: up, name: wipe, description: Remove everything.}
  - {upstream: far, name: run}
"""

HOSTILE: Final = "\x1b[31mred\x1b[0m\u202eevil\r\nallowed  everybody"
"""What a name must not do to a terminal: colour, turn round, begin a line of its own."""


def environment(**more: str) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "PYTHONIOENCODING")}
    return {**plain, "TERM": "xterm-256color", **more}


def mcpizer(*words: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, words)],
        env=environment(**env),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def answer(kind: str, *words: str | Path) -> tuple[dict[str, Any], int]:
    """Return a JSON answer that is just as its schema says, and how the command ended."""
    ended = mcpizer(*words, "--json")
    assert ended.stdout, ended.stderr
    assert ended.stdout.isascii()
    found: dict[str, Any] = json.loads(ended.stdout)
    assert (found["version"], found["kind"]) == (1, kind)
    conforms(kind, found)
    return found, ended.returncode


def conforms(kind: str, found: object) -> None:
    """Hold an answer against its schema, closed: a field that the schema does not describe is found too."""
    jsonschema.Draft202012Validator(closed(json.loads(schemas()[kind]))).validate(found)


def closed(schema: Any) -> Any:
    """Return a schema that allows no field besides those it names."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "required" in schema:
        found.setdefault("additionalProperties", False)
    return found


def on_terminal(*words: str | Path, **env: str) -> str:
    """Return what a command writes where its output and its errors are a terminal."""
    ours, theirs = os.openpty()
    with open(ours, "rb", buffering=0) as screen:
        process = subprocess.Popen(
            [*COMMAND, *map(str, words)],
            env=environment(**env),
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        seen = b""
        try:
            while part := screen.read(65_536):
                seen += part
        except OSError:  # the other end is closed: the command has ended
            pass
        process.wait(timeout=60)
    return seen.decode("utf-8")
