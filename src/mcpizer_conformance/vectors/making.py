"""`python -m mcpizer_conformance.vectors.making`: write the files that ship, or see that they are as they would be.

This module does not know what is asked, nor what is right.
"""

import argparse
import sys
from pathlib import Path
from typing import Final

from mcpizer_conformance.vectors.oracle import right
from mcpizer_conformance.vectors.picked import PICKED
from mcpizer_conformance.vectors.vector import Vector, file_of, schema_text, written

HERE: Final = Path(__file__).parent


def made() -> dict[str, str]:
    """Return the text of each file that is written, by its name."""
    found = {
        file_of(profile): written(
            Vector(one.id, profile, one.clause, one.function, one.input, right(one.function, one.input), *one[4:])
            for one in some
        )
        for profile, some in PICKED.items()
    }
    return {**found, "schema.json": schema_text()}


def stale(directory: Path = HERE) -> list[str]:
    """Return the files that are missing, or are not what would be written."""
    return [
        name
        for name, text in made().items()
        if not (directory / name).is_file() or (directory / name).read_text("utf-8") != text
    ]


def main(arguments: list[str] | None = None) -> int:
    """Write the files; with `--check`, end with 1 if one is not as it would be written."""
    parser = argparse.ArgumentParser(prog="python -m mcpizer_conformance.vectors.making", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    if parser.parse_args(arguments).check:
        old = stale()
        print("\n".join(f"{one} is not as it would be written" for one in old) or "all files are as they would be")
        return 1 if old else 0
    for name, text in made().items():
        (HERE / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
