"""The list of public names of the core, as it stands and as it was agreed.

`python -m tests.public_api` writes the list anew; the change then shows in review, which is the point.
"""

from pathlib import Path
from typing import Final

import mcpizer_core

LIST: Final = Path(__file__).parent / "unit" / "public_api.txt"


def stand() -> str:
    """Return the public names, one a line, sorted by code points."""
    return "".join(f"{name}\n" for name in sorted(mcpizer_core.__all__))


def difference(agreed: str, now: str) -> list[str]:
    """Return what is new (`+name`) and what is gone (`-name`)."""
    before, after = set(agreed.split()), set(now.split())
    return sorted([f"+{name}" for name in after - before] + [f"-{name}" for name in before - after])


if __name__ == "__main__":
    LIST.write_text(stand(), "utf-8")
