"""The policy file and the catalog file as attrs classes, one class per object of the file, field for field.

What a file may say lives here and nowhere else: names, types, which fields may be left out, in the
spelling of the file (`metadata={"key": …}` where Python has another one).

This module does not read files and does not judge: see `structure` and `reader`. What may lead to a secret is left
out of `repr`.
"""

from collections.abc import Mapping, Sequence

from attrs import field, frozen

from mcpizer_core import Public, Scope


@frozen
class CapabilityDocument:
    id: str
    description: str = ""


@frozen
class EnvCredential:
    """The account's secret goes to the child process in this environment variable."""

    env: str


@frozen
class HeaderCredential:
    """The account's secret goes to the upstream in this header, after the prefix."""

    header: str
    prefix: str = ""


@frozen
class StdioTransport:
    """`kind: mcp-stdio`: a child process that speaks MCP on its standard streams."""

    command: str
    args: Sequence[str] = field(default=(), repr=False)
    env: Mapping[str, str] = field(factory=dict, repr=False)
    cwd: str | None = None
    credential: EnvCredential | None = None


@frozen
class HttpTransport:
    """`kind: mcp-http`: an upstream that speaks MCP over streamable HTTP."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(factory=dict, repr=False)
    credential: HeaderCredential | None = None


Transport = StdioTransport | HttpTransport


@frozen
class ToolDocument:
    """`alias` is what callers see instead of the name; without a `scope` of its own it is for whom its upstream is."""

    name: str
    capability: str
    alias: str | None = None
    scope: Scope | None = None

    @property
    def shown(self) -> str:
        """What stands after the upstream's id in the exposed name."""
        return self.name if self.alias is None else self.alias


@frozen
class UpstreamDocument:
    """`listing_account` is the account whose secret authenticates listing; None lists without one."""

    id: str
    transport: Transport
    tools: Sequence[ToolDocument] = ()
    listing_account: str | None = None
    scope: Scope = field(factory=Public)


@frozen
class SecretDocument:
    """A reference to a secret (`env://NAME`, `file:///path`), never its value."""

    ref: str = field(repr=False)


@frozen
class AccountDocument:
    id: str
    disabled: bool = False
    secret: SecretDocument | None = None


@frozen
class ClaimDocument:
    """`claim:NAME`, or `{claim: NAME, many: true}`: the attribute is filled from a claim of the token."""

    claim: str
    many: bool = False


AttributeDocument = str | Sequence[str] | ClaimDocument
"""A literal (a list of literals for arity MANY), or where the value comes from."""


@frozen
class StaticKeyIssuer:
    """`kind: static-key`: one subject that shows one key, and the teams it is in."""

    id: str
    subject: str
    secret: SecretDocument
    attributes: Mapping[str, AttributeDocument] = field(factory=dict)
    teams: Sequence[str] = ()


@frozen
class OidcIssuer:
    """`kind: oidc`: read and compiled; `serve` does not authenticate it yet."""

    id: str
    discovery: str | None = None
    audience: str | None = None
    attributes: Mapping[str, AttributeDocument] = field(factory=dict)


@frozen
class MtlsIssuer:
    """`kind: mtls`: read and compiled; `serve` does not authenticate it yet."""

    id: str
    attributes: Mapping[str, AttributeDocument] = field(factory=dict)


IssuerDocument = StaticKeyIssuer | OidcIssuer | MtlsIssuer


@frozen
class PrincipalsDocument:
    issuers: Sequence[IssuerDocument] = ()


@frozen
class SelectorDocument:
    issuer: str
    attributes: Mapping[str, str | Sequence[str]] = field(factory=dict)


@frozen
class LimitDocument:
    """At most `calls` calls per window; `per` is a whole number and one of s, m, h, d, such as `1d`."""

    calls: int
    per: str


@frozen
class GrantDocument:
    to: SelectorDocument
    capabilities: Sequence[str]
    using: str
    limits: LimitDocument | None = None


@frozen
class PolicyDocument:
    version: int
    capabilities: Sequence[CapabilityDocument] = ()
    upstreams: Sequence[UpstreamDocument] = ()
    accounts: Sequence[AccountDocument] = ()
    principals: PrincipalsDocument = field(factory=PrincipalsDocument)
    grants: Sequence[GrantDocument] = ()


@frozen
class CatalogToolDocument:
    """One tool as an upstream lists it; schemas and annotations are JSON, kept as they are."""

    upstream: str
    name: str
    description: str = ""
    input_schema: Mapping[str, object] = field(factory=lambda: {"type": "object"}, metadata={"key": "inputSchema"})
    output_schema: Mapping[str, object] | None = field(default=None, metadata={"key": "outputSchema"})
    annotations: Mapping[str, object] | None = None


@frozen
class CatalogDocument:
    version: int
    tools: Sequence[CatalogToolDocument] = ()
