"""`mcpizer init`: from a client's configuration to a policy and a catalog, or to a small beginning without one.

What is told on the way lives here and nowhere else. Nothing that is there is overwritten, and no secret is written.

This module does not know how a configuration is read or a policy is proposed.
"""

import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import evolve

from mcpizer_adapters.artifact.documents import HttpTransport, PolicyDocument
from mcpizer_adapters.artifact.findings import render
from mcpizer_adapters.cli.catalog import NAME as CATALOG
from mcpizer_adapters.cli.catalog import asked
from mcpizer_adapters.cli.output import plural, write
from mcpizer_adapters.cli.schema import schemas
from mcpizer_adapters.cli.terminal import Exit, fail, notice
from mcpizer_adapters.credentials.environment import from_environment
from mcpizer_adapters.credentials.secrets import CredentialFault, Credentials, Secret
from mcpizer_adapters.mcp.reports import UpstreamReport
from mcpizer_adapters.scaffold.client_config import Entry, read_client_config
from mcpizer_adapters.scaffold.files import create
from mcpizer_adapters.scaffold.planning import CALLER_KEY, Plan, Planned, plan
from mcpizer_adapters.scaffold.policy_text import CALLER, Proposal, answered, policy_text, propose
from mcpizer_adapters.scaffold.proof import read_back
from mcpizer_adapters.scaffold.secretive import looks_secret, names_secret
from mcpizer_adapters.scaffold.starter import starter
from mcpizer_adapters.scaffold.variables import around
from mcpizer_core import one_line

POLICY: Final = "policy.yaml"

SCHEMA: Final = ".policy.schema.json"
"""For editors. Its name begins with a dot, so that a directory of policy files does not take it for one."""

MODELINE: Final = f"yaml-language-server: $schema={SCHEMA}"


def make(folder: str, config: str | None, plain: Collection[str], *, strict: bool) -> None:
    """Write a policy and a catalog into `folder`."""
    policy, catalog = Path(folder, POLICY), Path(folder, CATALOG)
    _free(policy, catalog)
    planned = plan(_entries(config), around(None if config is None else Path(config), os.environ), plain)
    for line in _told(planned, plain):
        notice(line)
    source = "with a clock to begin with" if config is None else f"from {Path(config).name}"
    document = _document(planned, source)
    found, listed = _ask(planned, document)
    reports = {one.upstream: one for one in found}
    silent = [one.upstream for one in reports.values() if one.failure is not None]
    if strict and (silent or planned.left_out):
        names = ", ".join([*silent, *(one.name for one in planned.left_out)])
        fail(f"{names} cannot be scaffolded, and --strict asks for all; nothing was written", Exit.UNREACHABLE)
    proposals = propose(planned.upstreams, reports)
    text = policy_text(proposals, planned.left_out, source, MODELINE)
    _prove(text, listed)
    schema = policy.with_name(SCHEMA)
    _write({policy: text, catalog: listed, **({} if os.path.lexists(schema) else {schema: schemas()["policy"]})})
    _tell(policy, catalog, proposals)
    if silent:
        raise SystemExit(Exit.UNREACHABLE)


def _free(*paths: Path) -> None:
    for path in paths:
        if os.path.lexists(path):
            fail(
                f"{path} is there already; nothing is overwritten: move it away, or give another directory", Exit.USAGE
            )
    folder = paths[0].parent
    if os.path.lexists(folder) and not folder.is_dir():
        fail(f"{folder} is no directory", Exit.USAGE)


def _entries(config: str | None) -> Sequence[Entry]:
    if config is None:
        return [starter()]
    read = read_client_config(config)
    for finding in read.findings if sys.stderr is not None else ():
        print(render(finding), file=sys.stderr)
    if read.findings:
        fail(f"{plural(len(read.findings), 'error')}; nothing was written", Exit.FINDINGS)
    return read.entries


def _told(planned: Plan, plain: Collection[str]) -> Iterator[str]:
    """Yield what was decided about each entry."""
    for one in planned.left_out:
        yield f"left out: {one.name}: {one.why}"
    for upstream in planned.upstreams:
        yield from _about(upstream)
    used = {name for upstream in planned.upstreams for name in upstream.plain}
    for name in sorted(set(plain) - used):
        yield f"--plain {name}: no upstream has such a variable or header, or it always is a secret"


def _about(upstream: Planned) -> Iterator[str]:
    where = f"upstream {upstream.id}"
    if upstream.id != upstream.name:
        yield f'{where}: stands for "{upstream.name}": ids are made of a-z, 0-9 and -, and no two are the same'
    if upstream.reference is not None:
        yield f"{where}: its secret was not copied; the policy takes it from the variable {upstream.reference}"
    secrets = [one for one in upstream.left if names_secret(one)]
    if secrets:
        yield f"{where}: not copied: {', '.join(secrets)}; a policy gives an upstream one secret, so these stay behind"
    if others := [one for one in upstream.left if one not in secrets]:
        options = " ".join(f"--plain {one}" for one in others)
        yield f"{where}: not copied: {', '.join(others)}; for those that are no secrets, give {options}"
    if upstream.placeholders:
        yield f"{where}: what may be a secret in its command or address is written as NOT-COPIED; mend that by hand"
    if upstream.env_file:
        yield f"{where}: its envFile was not read"
    if isinstance(upstream.target, HttpTransport) and upstream.target.url.rstrip("/").endswith("/sse"):
        yield f"{where}: its address ends in /sse; if it speaks sse only, mcpizer cannot reach it"


def _document(planned: Plan, source: str) -> PolicyDocument:
    """Return the policy without tools, to ask its upstreams by; ends if the configuration gives none."""
    nothing = {one.id: UpstreamReport(one.id, ()) for one in planned.upstreams}
    document, findings = read_back(policy_text(propose(planned.upstreams, nothing), (), source))
    if document is None:
        for finding in findings:
            notice(f"{finding.message} ({_upstream_of(finding.pointer, planned)}); {finding.hint}")
        fail("the configuration gives no policy; nothing was written", Exit.FINDINGS)
    return document


def _upstream_of(pointer: str, planned: Plan) -> str:
    """Return which upstream a finding is about, in words of the configuration."""
    parts = pointer.split("/")
    if parts[1:2] == ["upstreams"] and len(parts) > 2:
        return f"{planned.upstreams[int(parts[2])].name}: {parts[-1]}"
    return pointer


def _ask(planned: Plan, document: PolicyDocument) -> tuple[tuple[UpstreamReport, ...], str]:
    """Ask with the values of the configuration; a reference it has no value for is looked for in the environment."""

    def known(name: str) -> Secret | CredentialFault:
        value = planned.known.get(name)
        return Secret(value) if value else from_environment(name)

    unasked = {one.id: one.missing for one in planned.upstreams if one.missing}
    askable = evolve(document, upstreams=[one for one in document.upstreams if one.id not in unasked])
    targets = {one.id: one.target for one in planned.upstreams}
    reports = [UpstreamReport(id, (), (), _unknown(missing)) for id, missing in unasked.items()]
    for report in reports:
        notice(f"upstream {report.upstream}: not asked: {report.failure}")
    answered, text = asked(askable, targets, Credentials({"env": known}), planned.values)
    return (*reports, *answered), text


def _unknown(missing: Collection[str]) -> str:
    names = ", ".join("one that is not shown" if looks_secret(one) else one for one in dict.fromkeys(missing))
    return f"only its client knows the value of a variable in its command or address ({names})"


def _prove(text: str, catalog: str) -> None:
    """See that what is proposed is a policy, as `validate` does."""
    document, findings = read_back(text, catalog)
    if document is None:
        for finding in findings:
            notice(str(finding))
        fail("what is proposed is no policy, which is a fault of mcpizer; nothing was written", Exit.FINDINGS)


def _write(texts: Mapping[Path, str]) -> None:
    folder = next(iter(texts)).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        create(texts)
    except FileExistsError as error:
        fail(f"{error.filename2 or error.filename} came while upstreams were asked; nothing was written", Exit.USAGE)
    except OSError as error:
        fail(f"{folder} cannot be written to: {error.strerror}; nothing was written", Exit.FINDINGS)


def _tell(policy: Path, catalog: Path, proposals: Sequence[Proposal]) -> None:
    """Say what was written and what to do next."""
    tools = [tool for one in proposals for tool in one.tools]
    held_back = sum(not one.given for one in tools)
    there = answered(proposals)
    shown, listed = one_line(str(policy)), one_line(str(catalog))
    write(f"{shown}: {plural(len(there), 'upstream')}, {plural(len(tools), 'tool')}, one caller ({CALLER}:{CALLER})")
    write(f"{listed}: what the upstreams list")
    for one in proposals:
        if one.many:
            write(f"{one.upstream.id}: {plural(one.many, 'tool')}, too many to propose: none is mapped yet")
    if held_back:
        write(f"{plural(held_back, 'tool')} called destructive by their upstreams: granted to nobody yet")
    write("\nNext:")
    for line in _to_mend(proposals):
        write(f"  mend {shown}: {line}")
    write(f"  mcpizer validate {shown} --catalog {listed}")
    write(f"  mcpizer list {shown} --as {CALLER}:{CALLER} --catalog {listed}")
    references = [one.upstream.reference for one in there if one.upstream.reference is not None]
    write(f'  export {CALLER_KEY}="$(openssl rand -hex 32)"')
    for name in dict.fromkeys(references):
        write(f"  export {name}=...")
    write(f"  mcpizer serve {shown} --http 127.0.0.1:8080")


def _to_mend(proposals: Sequence[Proposal]) -> Iterator[str]:
    """Yield what a person has to do to the policy before anything else."""
    for one in proposals:
        if one.upstream.placeholders:
            yield f"write what belongs in the place of NOT-COPIED into upstream {one.upstream.id}"
        if one.failure is not None:
            yield f"upstream {one.upstream.id} did not answer and is a comment, which says why"
