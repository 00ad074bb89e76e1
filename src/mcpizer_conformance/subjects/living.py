"""How whoever answers plain calls is asked about the life of a namespace.

A namespace that comes back is what was answered: its catalog is the one that was told, not one that is worked out.

This module does not know where answers come from.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from mcpizer_conformance.subjects.answers import Answerer, Plain
from mcpizer_conformance.subjects.asked import AskedCatalog, AskedNamespace
from mcpizer_conformance.wire import decoding, life_decoding, life_encoding
from mcpizer_core import (
    QUALIFIED,
    Accepted,
    Applied,
    Conflict,
    ConflictRule,
    Event,
    Namespace,
    OnConflict,
    Registration,
    Rejected,
    RejectionCode,
    Retired,
    Scheme,
)


@dataclass(frozen=True, slots=True)
class Living:
    """The functions of a namespace."""

    ask: Answerer

    def restore(
        self,
        registrations: Iterable[Registration],
        *,
        retired: Iterable[Retired] = (),
        version: int = 0,
        rule: ConflictRule = ConflictRule.SHARED_VIEWER,
        scheme: Scheme = QUALIFIED,
    ) -> Namespace:
        kept = {one.key: one for one in registrations}
        bare = AskedNamespace(version, kept, tuple(retired), AskedCatalog([], tuple), rule, scheme)
        return _namespace(self.ask("restore", life_encoding.world(cast(Namespace, bare))), rule, scheme)

    def apply(self, namespace: Namespace, event: Event, *, on_conflict: OnConflict = OnConflict.QUARANTINE) -> Applied:
        given = {"event": life_encoding.event(event), "on_conflict": on_conflict.value}
        answer = self.ask("apply", {**life_encoding.world(namespace), **given})
        after = _namespace(answer, namespace.rule, namespace.scheme)
        aside = tuple(life_decoding.quarantined(one) for one in answer["quarantined"])
        if answer["code"] is None:
            changes = tuple(life_decoding.change(one) for one in answer["changes"])
            return Accepted(after, changes, aside, _conflicts(answer["shadowed"]))
        retired = tuple(life_decoding.retired(one) for one in answer["retired"])
        return Rejected(after, RejectionCode(answer["code"]), _conflicts(answer["conflicts"]), aside, retired)

    def audit(self, namespace: Namespace) -> tuple[Conflict, ...]:
        return _conflicts(self.ask("audit", life_encoding.world(namespace)))


def _conflicts(plain: list[Plain]) -> tuple[Conflict, ...]:
    return tuple(life_decoding.conflict(one) for one in plain)


def _namespace(answer: Plain, rule: ConflictRule, scheme: Scheme) -> Namespace:
    version, registrations, retired = life_decoding.namespace(answer["namespace"])
    tools = decoding.tools(answer["tools"])
    catalog = AskedCatalog(answer["tools"], lambda: tools)
    kept = {one.key: one for one in registrations}
    return cast(Namespace, AskedNamespace(version, kept, retired, catalog, rule, scheme))
