"""Implementations with one mistake each, as they are met in the field; the laws are there to notice them.

One module per profile. Each specimen is the core with a function or two replaced, made afresh for each use, because
some remember.

Nothing here is right.
"""

from typing import Final

from mcpizer_conformance.specimens import audits, catalogs, decisions, lists, names
from mcpizer_conformance.specimens.specimen import Specimen

__all__ = ["SPECIMENS", "Specimen"]

SPECIMENS: Final[dict[str, Specimen]] = {
    one.name: one for one in (*names.ALL, *catalogs.ALL, *lists.ALL, *decisions.ALL, *audits.ALL)
}
"""Every specimen by its name."""
