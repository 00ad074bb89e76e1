"""The policy artifact: policy and catalog files, read into documents and compiled policies, with exact findings.

What other parts import from here is this list; everything else in the package is its own business.
"""

from mcpizer_adapters.artifact.catalog import ReadCatalog, read_catalog, write_catalog
from mcpizer_adapters.artifact.declaration import issuer_of
from mcpizer_adapters.artifact.findings import Finding, Note, Place, render
from mcpizer_adapters.artifact.reader import ReadPolicy, read_policy

__all__ = [
    "Finding",
    "Note",
    "Place",
    "ReadCatalog",
    "ReadPolicy",
    "issuer_of",
    "read_catalog",
    "read_policy",
    "render",
    "write_catalog",
]
