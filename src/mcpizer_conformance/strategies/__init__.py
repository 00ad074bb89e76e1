"""Hypothesis strategies for everything the core speaks of: a curated pool beside a generator, over a small domain.

Texts that break names, principals that match grants, declarations sound and spoiled, catalogs whose names collide,
policies before and after a change, whole histories of a namespace. They make values of the core; what is right about
them is not known here.
"""

from mcpizer_conformance.strategies.faults import FAULTS, Spoiled, spoiled_declarations
from mcpizer_conformance.strategies.histories import History, Step, events, histories
from mcpizer_conformance.strategies.identities import claim_values, claims, issuers, principals, scopes, teams
from mcpizer_conformance.strategies.policies import (
    NOW_MS,
    crowds,
    declarations,
    limits,
    sound_declarations,
    times_around,
    unambiguous,
    usages,
)
from mcpizer_conformance.strategies.revisions import Revision, gate_revisions, revisions
from mcpizer_conformance.strategies.texts import (
    NOT_UPSTREAM_IDS,
    TOOL_NAMES,
    UPSTREAM_IDS,
    any_texts,
    id_candidates,
    names,
    pairs_alike,
    tool_names,
    upstream_ids,
)
from mcpizer_conformance.strategies.worlds import (
    Question,
    World,
    principals_for,
    questions,
    reordered,
    tool_lists,
    tools,
    worlds,
)

__all__ = [
    "FAULTS",
    "History",
    "NOT_UPSTREAM_IDS",
    "NOW_MS",
    "Question",
    "Revision",
    "Spoiled",
    "Step",
    "TOOL_NAMES",
    "UPSTREAM_IDS",
    "World",
    "any_texts",
    "claim_values",
    "claims",
    "crowds",
    "declarations",
    "events",
    "gate_revisions",
    "histories",
    "id_candidates",
    "issuers",
    "limits",
    "names",
    "pairs_alike",
    "principals",
    "principals_for",
    "questions",
    "reordered",
    "revisions",
    "scopes",
    "sound_declarations",
    "spoiled_declarations",
    "teams",
    "times_around",
    "tool_lists",
    "tool_names",
    "tools",
    "unambiguous",
    "upstream_ids",
    "usages",
    "worlds",
]
