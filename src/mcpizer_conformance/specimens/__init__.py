"""Implementations with one mistake each, as they are met in the field; the laws are there to notice them.

One module per profile, and `narrow_` ones for what is wrong in one respect only. Each specimen is the core with a
function or a few replaced, made afresh for each use, because some remember; or a gateway that runs.

Nothing here is right.
"""

from typing import Final

from mcpizer_conformance.specimens import (
    audits,
    catalogs,
    decisions,
    gateways,
    lists,
    lives,
    names,
    narrow_audits,
    narrow_decisions,
    narrow_lists,
    stores,
)
from mcpizer_conformance.specimens.specimen import Specimen

__all__ = ["SPECIMENS", "Specimen"]

SPECIMENS: Final[dict[str, Specimen]] = {
    one.name: one
    for one in (
        *names.ALL,
        *catalogs.ALL,
        *lists.ALL,
        *decisions.ALL,
        *audits.ALL,
        *lives.ALL,
        *narrow_lists.ALL,
        *narrow_decisions.ALL,
        *narrow_audits.ALL,
        *stores.ALL,
        *gateways.ALL,
    )
}
"""Every specimen by its name."""
