"""What may be a secret in arguments and addresses: told by the name that stands before it, or by its looks.

The guess lives here and nowhere else. It errs on the side of secrets, since a text that was not copied is written
again in a minute and a secret in a repository is not.

This module does not know variables and headers of a transport: of those no value is copied, whatever it looks like.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from mcpizer_adapters.scaffold.variables import PLACEHOLDER

_SECRETS: Final = frozenset(
    (
        *("accesskey", "apikey", "auth", "authorization", "bearer", "connection", "cookie", "credential"),
        *("credentials", "dsn", "jwt", "key", "keys", "pass", "passphrase", "passwd", "password", "pat", "pin", "pwd"),
        *("sas", "secret", "secrets", "sig", "signature", "token", "tokens"),
    )
)
"""Words in names of what is secret; `X_KEY_FILE` only says where one is."""

_PLACES: Final = frozenset(["file", "files", "path", "dir", "directory", "folder"])
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_KNOWN: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:sk|pk|rk|gh[opsur]|github_pat|glpat|xox[a-z]|hf|npm|pypi)[-_]|AKIA|AIza|eyJ)[-_A-Za-z0-9]{12,}"
)
"""How tokens of widespread services begin."""
_RUN: Final = re.compile(r"[A-Za-z0-9+=]{16,}")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NAMED: Final = re.compile(r"(-{0,2}[A-Za-z_][A-Za-z0-9_.-]*)([=:]\s*)(.+)", re.DOTALL)
_SIGNED_IN: Final = re.compile(r"://[^/?#\s]*@")
_PAIR: Final = re.compile(r"""([A-Za-z_][A-Za-z0-9_.-]*)(["']?\s*[=:]\s*["']?)([^;&,\s"'}]+)""")
_FLAG: Final = re.compile(r"(--?[A-Za-z][A-Za-z0-9_-]*)(\s+)([^-\s]\S*)")
"""A name and a value within a text, as in connection strings, in JSON, and in words for a shell."""

_CARRIERS: Final = frozenset(["-e", "--env", "-H", "--header"])
"""What follows one of these is a variable or a header: its value is closed whatever its name is."""


def names_secret(name: str) -> bool:
    """Tell whether what has this name may be a secret: `API_KEY`, `--auth-token`, `X-Figma-Token`."""
    words = {one.lower() for one in _WORD.findall(name)}
    return bool(words & _SECRETS) and not words & _PLACES


def looks_secret(text: str) -> bool:
    """Tell whether a text has the looks of a token: a known beginning, or many letters and digits without order."""
    if _KNOWN.search(text) or _UUID.search(text):
        return True
    return any(sum(one.isdigit() for one in run) >= 2 and not run.isdigit() for run in _RUN.findall(text))


def closed(args: Iterable[str]) -> Iterator[str]:
    """Yield the arguments, with a placeholder for whatever may be a secret."""
    flag = ""
    for one in args:
        yield _closed(flag, one)
        flag = one if one.startswith("-") and "=" not in one else ""


def _closed(flag: str, text: str) -> str:
    if flag and not text.startswith("-") and names_secret(flag):
        return PLACEHOLDER
    named = _NAMED.fullmatch(text)
    if named is not None and (flag in _CARRIERS or names_secret(named[1])):
        return f"{named[1]}{named[2]}{PLACEHOLDER}"
    text = _FLAG.sub(_closed_value, _PAIR.sub(_closed_value, text))
    if "://" in text:
        return closed_address(text)
    return PLACEHOLDER if looks_secret(text) else text


def _closed_value(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}{PLACEHOLDER}" if names_secret(found[1]) else found[0]


def closed_address(url: str) -> str:
    """Return an address with a placeholder for a name and password, and for whatever else in it may be a secret."""
    url, mark, fragment = _SIGNED_IN.sub(f"://{PLACEHOLDER}@", url).partition("#")
    address, question, query = url.partition("?")
    path = "/".join(PLACEHOLDER if looks_secret(one) else one for one in address.split("/"))
    pairs = "&".join(_closed_pair(one) for one in query.split("&"))
    return f"{path}{question}{pairs}{mark}{PLACEHOLDER if looks_secret(fragment) else fragment}"


def _closed_pair(pair: str) -> str:
    name, equals, value = pair.partition("=")
    if not equals:
        return PLACEHOLDER if looks_secret(name) else name
    return f"{name}={PLACEHOLDER}" if names_secret(name) or looks_secret(value) else pair
