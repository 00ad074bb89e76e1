"""Which upstream ids an accepted event gives up, and which it frees: exactly, of the namespaces before and after it.

This module does not judge events, and does not print.
"""

from mcpizer_core import Event, Namespace, Register, Registration, Release, Retired, Scope, holds


def retired_by(before: Namespace, event: Event, after: Namespace) -> tuple[Retired, ...]:
    """Return the id that `event` took from its registration, with the scopes in which its owner alone may take it.

    Also where it was retired there before: an owner may take an id again that is retired for it, and give it up anew.
    """
    if isinstance(event, Register | Release) or (one := before.registrations.get(event.key)) is None:
        return ()
    gone = _held(before, one) - _held(after, one)
    found = (each for each in after.retired if (each.upstream, each.owner) == (one.upstream, one.owner))
    told = (
        Retired(each.upstream, each.owner, tuple(scope for scope in each.scopes if scope in gone)) for each in found
    )
    return tuple(each for each in told if each.scopes)


def released_by(before: Namespace, event: Event) -> tuple[Retired, ...]:
    """Return what `event` lets anybody take again; nothing, if nothing of that name was retired."""
    if not isinstance(event, Release):
        return ()
    return tuple(one for one in before.retired if one.upstream == event.upstream)


def holders(namespace: Namespace, upstream: str) -> tuple[Registration, ...]:
    """Return the registrations that have this upstream id, by key."""
    found = namespace.registrations.items()
    return tuple(one for _, one in sorted((key, one) for key, one in found if one.upstream == upstream))


def _held(namespace: Namespace, one: Registration) -> set[Scope]:
    """Return the scopes in which the registration of this key holds the id that `one` has."""
    return {hold.scope for hold in holds(namespace, one.key) if not hold.tool and hold.name == one.upstream}
