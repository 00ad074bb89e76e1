"""What a policy file holds beside the policy itself: upstreams and how to reach them, and references to secrets.

The checks of these live here and nowhere else, because a declaration of the core does not hold them: ids of
upstreams, addresses, headers, environment, and that a secret is always a reference.

This module does not resolve secrets and opens no connection, and no problem of it shows a reference, an address or
a header: somebody may have written the secret itself there.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, assert_never
from urllib.parse import urlsplit

from mcpizer_adapters.artifact.documents import (
    HttpTransport,
    PolicyDocument,
    SecretDocument,
    StaticKeyIssuer,
    StdioTransport,
    Transport,
    UpstreamDocument,
)
from mcpizer_adapters.artifact.exposure import check_exposure
from mcpizer_adapters.artifact.marks import step
from mcpizer_adapters.artifact.problems import Mention, Problem, Suggestions
from mcpizer_core import DiagnosticCode, parse_upstream_id

_ENV_REF: Final = re.compile(r"env://[A-Za-z_][A-Za-z0-9_]*")
_FILE_REF: Final = re.compile(r"file:///[^\x00-\x1f\x7f]+")
_ENV_NAME: Final = re.compile(r"[^=\x00]+")
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A token of RFC 9110, section 5.6.2."""
_HEADER_VALUE: Final = re.compile(r"[\t\x20-\x7e]*")
_SECRET_HEADERS: Final = {"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key"}
"""Headers that carry secrets: RFC 9110, sections 11.6.2 and 11.7.2, RFC 6265, section 5.4, and a common habit."""
NO_SHELL: Final = "no shell is involved: put the rest into args"
"""What to do about a command that is written as a shell would take it."""
_UNSAFE_IN_URL: Final = re.compile(r"[\x00-\x20\x7f]")


def check_contents(document: PolicyDocument, suggestions: Suggestions) -> Iterator[Problem]:
    """Yield what is wrong with the upstreams and secrets of `document`."""
    yield from upstream_ids((one.id, f"/upstreams/{n}/id") for n, one in enumerate(document.upstreams))
    yield from _duplicates(((one.id, f"/upstreams/{n}/id") for n, one in enumerate(document.upstreams)))
    accounts = {one.id: (f"/accounts/{n}", one.disabled) for n, one in enumerate(document.accounts)}
    for position, upstream in enumerate(document.upstreams):
        yield from _listing(upstream.listing_account, f"/upstreams/{position}/listing_account", accounts, suggestions)
        yield from _upstream(upstream, f"/upstreams/{position}")
    for position, account in enumerate(document.accounts):
        if account.secret is not None:
            yield from _secret(account.secret, f"/accounts/{position}/secret/ref")
    yield from _static_keys(document)
    yield from check_exposure(document, suggestions)


def upstream_ids(ids: Iterable[tuple[str, str]]) -> Iterator[Problem]:
    """Yield a problem for each (id, pointer) whose id is not one of an upstream."""
    code = DiagnosticCode.INVALID_ID
    for text, pointer in ids:
        if parse_upstream_id(text) is None:
            yield Problem(code, pointer, code.meaning, id_hint(text), subject=text)


def id_hint(text: str) -> str:
    """Return what to do about an id that does not fit its grammar: the nearest one that does, and the grammar."""
    nearest = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    grammar = "lower-case letters, digits and hyphens: [a-z0-9][a-z0-9-]*"
    return f"such as {nearest}; {grammar}" if nearest and len(nearest) <= 100 else grammar


def capability_hint(text: str) -> str:
    """Return the same about the id of a capability."""
    nearest = re.sub(r"[^a-z0-9.-]+", "-", text.lower())
    nearest = re.sub(r"[.-]*\.[.-]*|-+", lambda found: "." if "." in found[0] else "-", nearest).strip(".-")
    grammar = "lower-case letters and digits, joined by single dots or hyphens: [a-z0-9]+"
    return f"such as {nearest}; {grammar}" if nearest and len(nearest) <= 100 else grammar


def like_a_shell(command: str) -> bool:
    """Tell whether a command seems to hold arguments too; the path of a program may hold blanks as well."""
    first, *rest = command.split()[:20] or [""]
    return bool(rest) and ("/" not in first or any(one.startswith("-") for one in rest))


def _duplicates(ids: Iterable[tuple[str, str]]) -> Iterator[Problem]:
    code, first = DiagnosticCode.DUPLICATE_ID, dict[str, str]()
    for text, pointer in ids:
        if text in first:
            related = (Mention(first[text], "first here"),)
            yield Problem(code, pointer, f"{code.meaning}: {text}", code.remedy, subject=text, related=related)
        first.setdefault(text, pointer)


def _listing(
    account: str | None, pointer: str, accounts: Mapping[str, tuple[str, bool]], suggestions: Suggestions
) -> Iterator[Problem]:
    """Yield what is wrong with the account that lists; `accounts` has the place of each, and if it is disabled."""
    if account is None:
        return
    place, disabled = accounts.get(account, ("", False))
    if not place:
        valid = [one for one in accounts if parse_upstream_id(one) is not None]
        near = suggestions.near("listing_account", account, valid)
        hint = near or "declare the account or correct its name"
        yield _wrong(pointer, "the account that lists is not declared", hint)
    elif disabled:
        message = "the account that lists is disabled, and nothing runs as a disabled account"
        hint = "name another account, enable this one, or leave the key out to list without an account"
        related = (Mention(f"{place}/disabled", "disabled here"),)
        yield Problem(DiagnosticCode.SCHEMA_VIOLATION, pointer, message, hint, related=related)


def _upstream(upstream: UpstreamDocument, pointer: str) -> Iterator[Problem]:
    for position, tool in enumerate(upstream.tools):
        if not tool.name:
            yield _wrong(
                f"{pointer}/tools/{position}/name", "the name of the tool is empty", "write the upstream's name"
            )
    yield from _transport(upstream.transport, f"{pointer}/transport")


def _transport(transport: Transport, pointer: str) -> Iterator[Problem]:
    match transport:
        case StdioTransport():
            yield from _stdio(transport, pointer)
        case HttpTransport():
            yield from _http(transport, pointer)
        case _:
            assert_never(transport)


def _stdio(transport: StdioTransport, pointer: str) -> Iterator[Problem]:
    texts = [("/command", transport.command), *((f"/args/{n}", one) for n, one in enumerate(transport.args))]
    if transport.cwd is not None:
        texts.append(("/cwd", transport.cwd))
    for below, text in texts:
        if "\x00" in text:
            yield _wrong(pointer + below, "a NUL character cannot be passed to a program", "remove it")
        if not text and not below.startswith("/args"):
            yield _wrong(pointer + below, "the text is empty", "write a value, or leave the key out")
    yield from _pairs(transport.env, f"{pointer}/env", _ENV_NAME, lambda value: "\x00" not in value, "an environment")
    if transport.credential is not None and not _ENV_NAME.fullmatch(transport.credential.env):
        yield _wrong(f"{pointer}/credential/env", "this is no name of an environment variable", "such as API_TOKEN")


def _http(transport: HttpTransport, pointer: str) -> Iterator[Problem]:
    if (message := _url_fault(transport.url)) is not None:
        hint = "such as https://mcp.example.com/mcp; a secret goes to transport.credential"
        yield _wrong(f"{pointer}/url", message, hint)
    printable = _HEADER_VALUE.fullmatch
    yield from _pairs(
        transport.headers, f"{pointer}/headers", _HEADER_NAME, lambda one: bool(printable(one)), "a header"
    )
    yield from _secret_headers(transport.headers, f"{pointer}/headers")
    if transport.credential is not None:
        if not _HEADER_NAME.fullmatch(transport.credential.header):
            yield _wrong(f"{pointer}/credential/header", "this is no name of a header", "such as Authorization")
        if not printable(transport.credential.prefix):
            yield _wrong(f"{pointer}/credential/prefix", "a header cannot hold this text", "printable ASCII only")


def _secret_headers(headers: Mapping[str, str], pointer: str) -> Iterator[Problem]:
    """A header that carries a secret is filled from a reference, whatever is written for it."""
    for name in headers:
        if (header := name.title()) in _SECRET_HEADERS:
            message = f"the header {header} carries a secret, and a secret is not written here"
            where = "and where the secret is as secret: {ref: …} of an account"
            yield _wrong(step(pointer, name), message, f"write credential: {{header: {header}}}, {where}", at_key=True)


def _pairs(
    pairs: Mapping[str, str], pointer: str, name_grammar: re.Pattern[str], fits: Callable[[str], bool], kind: str
) -> Iterator[Problem]:
    for name, value in pairs.items():
        if not name_grammar.fullmatch(name):
            yield _wrong(step(pointer, name), f"{kind} cannot have this name", "letters, digits, - and _", at_key=True)
        elif not fits(value):
            yield _wrong(step(pointer, name), f"{kind} cannot hold this text", "printable ASCII on one line")


def _url_fault(url: str) -> str | None:
    """Return what is wrong with an address, without showing it: it may hold a secret."""
    if _UNSAFE_IN_URL.search(url):
        return "the address holds blanks or control characters"
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return "the address cannot be read"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "the address is not an absolute one of http or https"
    if "@" in parts.netloc:
        return "the address holds a name or password"
    return None


def _secret(secret: SecretDocument, pointer: str) -> Iterator[Problem]:
    if not (_ENV_REF.fullmatch(secret.ref) or _FILE_REF.fullmatch(secret.ref)):
        hint = "write env://NAME or file:///absolute/path, and keep the secret itself out of the file"
        yield _wrong(pointer, "this is not a reference to a secret", hint)


def _static_keys(document: PolicyDocument) -> Iterator[Problem]:
    """Two issuers with one key leave open who the caller is, so each key belongs to one."""
    first: dict[str, str] = {}
    for position, issuer in enumerate(document.principals.issuers):
        if not isinstance(issuer, StaticKeyIssuer):
            continue
        pointer = f"/principals/issuers/{position}"
        if not issuer.subject:
            yield _wrong(f"{pointer}/subject", "the subject is empty", "name who shows this key")
        ref = f"{pointer}/secret/ref"
        yield from _secret(issuer.secret, ref)
        if issuer.secret.ref in first:
            related = (Mention(first[issuer.secret.ref], "first here"),)
            message, hint = "the key already identifies another issuer", "give each issuer a key of its own"
            yield Problem(DiagnosticCode.SCHEMA_VIOLATION, ref, message, hint, related=related)
        first.setdefault(issuer.secret.ref, ref)


def _wrong(pointer: str, message: str, hint: str, *, at_key: bool = False) -> Problem:
    return Problem(DiagnosticCode.SCHEMA_VIOLATION, pointer, message, hint, at_key=at_key)
