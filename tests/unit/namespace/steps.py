"""Short words for namespaces in examples: events one after the other, and what is shown afterwards.

How an example is told lives here and nowhere else: a step that ought to be accepted fails the test if it is not.

This module does not know what any event does.
"""

from mcpizer_core import (
    Accepted,
    Applied,
    Event,
    Namespace,
    Offer,
    OnConflict,
    Private,
    Public,
    Register,
    Registration,
    Rejected,
    RejectionCode,
    Scope,
    Team,
    apply,
    empty_namespace,
)

PUBLIC = Public()
RED, BLUE = Team("red"), Team("blue")
ANN, BOB = Private("acme:ann"), Private("acme:bob")


def offers(*tools: str, fingerprint: str = "1") -> tuple[Offer, ...]:
    return tuple(Offer(tool, fingerprint) for tool in tools)


def register(key: str, upstream: str, *tools: str, scope: Scope = PUBLIC, owner: str = "") -> Register:
    return Register(key, upstream, scope, offers(*tools), owner)


def after(*events: Event, of: Namespace | None = None) -> Namespace:
    """The namespace after these events, each accepted."""
    found = empty_namespace() if of is None else of
    for event in events:
        found = accepted(apply(found, event)).namespace
    return found


def accepted(answer: Applied) -> Accepted:
    assert isinstance(answer, Accepted), str(answer)
    return answer


def rejected(namespace: Namespace, event: Event, *, on_conflict: OnConflict = OnConflict.QUARANTINE) -> Rejected:
    """The rejection of an event, which leaves catalog and version alone."""
    answer = apply(namespace, event, on_conflict=on_conflict)
    assert isinstance(answer, Rejected), f"{event} is accepted"
    assert (answer.namespace.catalog, answer.namespace.version) == (namespace.catalog, namespace.version)
    return answer


def refused(namespace: Namespace, event: Event) -> RejectionCode:
    """The code with which an event is rejected, after which nothing at all is different."""
    answer = rejected(namespace, event)
    assert answer.namespace == namespace
    return answer.code


def shown(namespace: Namespace) -> list[str]:
    return [tool.exposed for tool in namespace.catalog.tools]


def of(namespace: Namespace, key: str) -> Registration:
    return namespace.registrations[key]


def aside(namespace: Namespace, key: str) -> list[tuple[str, str]]:
    """What is set aside of a registration: tool and code."""
    return [(one.offer.tool, one.code.value) for one in of(namespace, key).quarantined]
