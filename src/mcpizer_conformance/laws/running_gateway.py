"""A gateway as the laws see one: what it is started with, where it is reached, and what it recorded and logged.

Nothing here says how calls are made, or who starts a gateway.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, final

from mcpizer_core import Declaration, Principal, Tool

HEADER: Final = "authorization"
PREFIX: Final = "Bearer "
"""How a gateway shows the credential of an account to an upstream."""

OUTCOMES: Final = (
    "unauthenticated",
    "unknown_name",
    "ambiguous_name",
    "denied",
    "credential_failed",
    "upstream_failed",
    "invoked",
)
"""What may become of a call, in the order of the steps that decide it."""


@final
@dataclass(frozen=True, slots=True)
class Setting:
    """What a gateway is started with.

    `upstreams` are addresses by upstream id, `credentials` what is shown for an account: None where there is an
    account whose credential cannot be had. Each of `callers` is to be authenticated as exactly that principal.
    """

    declaration: Declaration
    tools: tuple[Tool, ...]
    upstreams: Mapping[str, str]
    credentials: Mapping[str, str | None]
    callers: tuple[Principal, ...]


@final
@dataclass(frozen=True, slots=True)
class Record:
    """One audit record; what does not apply is None."""

    outcome: str
    name: str | None
    principal: str | None
    account: str | None
    code: str | None
    policy_version: str | None
    catalog_version: str | None


@final
@dataclass(frozen=True, slots=True)
class Told:
    """What a gateway recorded, in order, and all that it wrote for its operator, the records as written included."""

    records: tuple[Record, ...] = ()
    logged: str = ""


class Running(Protocol):
    """A gateway that runs, and whose tools are listed."""

    @property
    def url(self) -> str:
        """Where it is called, over streamable HTTP on loopback."""

    @property
    def headers(self) -> Mapping[str, Mapping[str, str]]:
        """The headers by which a caller is known, by principal id."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts that may stand nowhere, besides credentials and those headers: references to secrets, say."""

    @property
    def codes(self) -> Mapping[str, str]:
        """Its own words for codes, each with the word here that it stands for; others are the same."""

    def stop(self) -> Told:
        """End the gateway; return what it told from its start to its end."""


@final
@dataclass(frozen=True, slots=True)
class Listening:
    """A running gateway, by where it listens and how it is stopped."""

    url: str
    headers: Mapping[str, Mapping[str, str]]
    stopped: Callable[[], Told] = field(repr=False)
    secrets: tuple[str, ...] = ()
    codes: Mapping[str, str] = field(default_factory=dict)

    def stop(self) -> Told:
        return self.stopped()


StartGateway = Callable[[Setting], Running]
