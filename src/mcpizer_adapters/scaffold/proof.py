"""The proof that what is proposed is a policy: it is read by the reader that will read it, before it is written.

This module does not know how the proposal was made.
"""

import tempfile
from pathlib import Path

from mcpizer_adapters.artifact.catalog import read_catalog
from mcpizer_adapters.artifact.documents import PolicyDocument
from mcpizer_adapters.artifact.findings import Finding
from mcpizer_adapters.artifact.reader import read_policy


def read_back(policy: str, catalog: str | None = None) -> tuple[PolicyDocument | None, tuple[Finding, ...]]:
    """Return the document that these texts are, and every finding, places being lines of `policy.yaml`."""
    with tempfile.TemporaryDirectory(prefix="mcpizer-init-") as folder:
        path, beside = Path(folder, "policy.yaml"), Path(folder, "catalog.json")
        path.write_text(policy, encoding="utf-8", newline="\n")
        declared = None
        if catalog is not None:
            beside.write_text(catalog, encoding="utf-8", newline="\n")
            declared = read_catalog(beside)
        read = read_policy(path, catalog=declared)
        return read.document, (*read.findings, *(declared.findings if declared is not None else ()))
