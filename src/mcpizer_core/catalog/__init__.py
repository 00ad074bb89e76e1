"""An immutable index of admitted tools, and what a name means to one principal.

The canonical order of every list and the rule that nothing is ever picked silently live here and nowhere else, and
so does the map that lets a large index become another at the cost of what changed.

This package does not know how tools come in, nor whether anybody may call them.
"""

from mcpizer_core.catalog.index import (
    AmbiguousName,
    Catalog,
    Found,
    Tool,
    UnknownName,
    canonical,
    catalog_of,
    lookup,
)

__all__ = [
    "AmbiguousName",
    "Catalog",
    "Found",
    "Tool",
    "UnknownName",
    "canonical",
    "catalog_of",
    "lookup",
]
