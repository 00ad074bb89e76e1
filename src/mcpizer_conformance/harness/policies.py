"""The policy a gateway under test is run by: read as the gateway reads it, and fitted to scripted upstreams.

What is taken out of a policy for a test lives here and nowhere else: transports, for the upstreams are scripted, and
secrets, for a scripted upstream takes none.

This module does not run anything.
"""

import json
import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from attrs import evolve

from mcpizer_adapters.artifact import ReadPolicy, read_policy, render
from mcpizer_adapters.artifact.documents import AccountDocument, PolicyDocument, SecretDocument
from mcpizer_adapters.gateway.in_force import PolicyInForce

Policy = Mapping[str, Any] | str | os.PathLike[str]
"""The file of a policy, or what stands in one, as JSON values."""

NOWHERE: Final = "env://MCPIZER_HARNESS_HAS_NO_SUCH_SECRET"
"""Where a credential that cannot be had is looked for."""


class Unfit(ValueError):
    """The policy has errors, or does not go with the scripted upstreams; says what is wrong and what to do."""


def in_force(given: Policy, upstreams: Iterable[str], failing: Collection[str]) -> PolicyInForce:
    """Return the policy that a gateway over these upstreams is run by; the credentials of `failing` cannot be had."""
    read = _read(given)
    if read.document is None or read.policy is None:
        errors = "\n".join(render(one) for one in read.findings if one.is_error)
        raise Unfit(f"the policy has errors:\n{errors}")
    _need_same({one.id for one in read.document.upstreams}, set(upstreams))
    unknown = sorted(set(failing) - {one.id for one in read.document.accounts})
    if unknown:
        raise Unfit(f"the policy has no account {unknown[0]}, whose credential could fail")
    place = _pointer if isinstance(given, Mapping) else read.locate
    return PolicyInForce(_without_secrets(read.document, failing), read.policy, read.version, place)


def _read(given: Policy) -> ReadPolicy:
    if not isinstance(given, Mapping):
        return read_policy(os.fspath(given))
    try:
        text = json.dumps(given)
    except (TypeError, ValueError) as error:
        raise Unfit(f"the policy is not made of JSON values: {error}") from None
    with TemporaryDirectory() as folder:
        path = Path(folder) / "policy.json"
        path.write_text(text, "utf-8")
        return read_policy(path)


def _pointer(path: str) -> str:
    """A place in a policy that has no file."""
    return path


def _need_same(declared: set[str], scripted: set[str]) -> None:
    """Nothing of the outside is started: each upstream of the policy is scripted, and each script has its upstream."""
    if missing := sorted(declared - scripted):
        raise Unfit(f"the policy has an upstream {missing[0]}; script it too, as Upstream({{}}) if it has no tools")
    if strange := sorted(scripted - declared):
        known = ", ".join(sorted(declared)) or "none"
        raise Unfit(f"the policy has no upstream {strange[0]} (its upstreams: {known})")


def _without_secrets(document: PolicyDocument, failing: Collection[str]) -> PolicyDocument:
    def bare(account: AccountDocument) -> AccountDocument:
        return evolve(account, secret=SecretDocument(NOWHERE) if account.id in failing else None)

    return evolve(document, accounts=[bare(one) for one in document.accounts])


def allow_all(tools: Mapping[str, Iterable[str]], caller: str = "test:me") -> dict[str, Any]:
    """Return a policy by which `caller`, an `issuer:subject`, may call every tool of every upstream, without limit.

    `tools` are the names of the tools by upstream; a mapping of upstreams to `Upstream` is one too. It is for tests of
    agents, to which a policy is beside the point.
    """
    issuer, _, subject = caller.partition(":")
    return {
        "version": 1,
        "capabilities": [{"id": "everything"}],
        "upstreams": [
            {
                "id": upstream,
                "transport": {"kind": "mcp-stdio", "command": "scripted"},
                "tools": [{"name": name, "capability": "everything"} for name in names],
            }
            for upstream, names in tools.items()
        ],
        "accounts": [{"id": "nobody"}],
        "principals": {
            "issuers": [{"id": issuer, "kind": "static-key", "subject": subject, "secret": {"ref": NOWHERE}}]
        },
        "grants": [{"to": {"issuer": issuer}, "capabilities": ["everything"], "using": "nobody"}],
    }
