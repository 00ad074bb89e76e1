"""`mcpizer schema`: the JSON Schemas that are part of this package.

Which schemas there are lives here and nowhere else: of the files people write, and of every JSON answer.

This module does not know what is in them.
"""

from importlib.resources import files
from typing import Final

from mcpizer_adapters.cli.output import write
from mcpizer_adapters.cli.terminal import Exit, fail

_ENDING: Final = ".schema.json"
_PLACES: Final = ("artifact", "cli")


def run(name: str) -> None:
    """Print the schema of a file or of an answer, or end and say which there are."""
    known = schemas()
    if name not in known:
        fail(f"there is no schema of {name}; there are: {', '.join(known)}", Exit.USAGE)
    write(known[name].rstrip())


def schemas() -> dict[str, str]:
    """Return the text of every schema by its name, those of files first."""
    found = {}
    for place in _PLACES:
        inside = [
            one for one in files("mcpizer_adapters").joinpath(place, "schemas").iterdir() if one.name.endswith(_ENDING)
        ]
        for one in sorted(inside, key=lambda one: one.name):
            found[one.name.removesuffix(_ENDING)] = one.read_text("utf-8")
    return found
