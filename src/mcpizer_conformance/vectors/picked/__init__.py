"""The questions, picked by hand: each is a mistake that was made somewhere, as the smallest call that shows it.

One module per profile. A question is never changed, and its id never used again; new ones are added.

Nothing here is answered.
"""

from collections.abc import Mapping
from typing import Final

from mcpizer_conformance.vectors.picked import audits, calls, catalogs, counts, decisions, lists, lives, names
from mcpizer_conformance.vectors.picked.pick import Pick

PICKED: Final[Mapping[str, tuple[Pick, ...]]] = {
    "naming": names.ALL,
    "inverse": catalogs.ALL,
    "projection": (*lists.ALL, *calls.ALL),
    "decision": (*decisions.ALL, *counts.ALL),
    "questions": audits.ALL,
    "lifecycle": lives.ALL,
}
"""Every question, by profile, in the order in which they are asked."""
