"""Variables in a client's configuration: `${env:NAME}`, `${NAME}`, `${input:ID}`, `${workspaceFolder}` and the like.

Which of them there are, and which only name a place and may be written out, lives here and nowhere else.

This module does not read the environment: it is given one.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from attrs import field, frozen

PLACEHOLDER: Final = "NOT-COPIED"
"""What a policy has where a client's configuration has what may be a secret."""

_VARIABLE: Final = re.compile(r"\$\{([^${}]*)\}")
_OF_ENVIRONMENT: Final = re.compile(r"(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)
_EDITORS: Final = (".vscode", ".cursor")


@frozen
class Text:
    """A text with its variables filled in: `value` to pass on, `shown` to write; `missing` has no value."""

    value: str = field(repr=False)
    shown: str
    missing: tuple[str, ...] = ()


@frozen
class Surroundings:
    """What variables are filled from."""

    environment: Mapping[str, str] = field(repr=False)
    places: Mapping[str, str]

    def fill(self, text: str) -> Text:
        """Return `text` filled in. What comes from the environment or from a person is not shown."""
        missing: list[str] = []

        def value(found: re.Match[str]) -> str:
            filled = self._value(found[1])
            if filled is None:
                missing.append(found[1])
            return found[0] if filled is None else filled

        def shown(found: re.Match[str]) -> str:
            return self.places.get(found[1], PLACEHOLDER)

        return Text(_VARIABLE.sub(value, text), _VARIABLE.sub(shown, text), tuple(missing))

    def variable(self, text: str) -> str | None:
        """Return the name of the environment variable that the whole of `text` stands for, or None."""
        whole = _VARIABLE.fullmatch(text)
        if whole is None or whole[1] in self.places:
            return None
        found = _OF_ENVIRONMENT.fullmatch(whole[1])
        return found[1] if found is not None else None

    def _value(self, name: str) -> str | None:
        if name in self.places:
            return self.places[name]
        found = _OF_ENVIRONMENT.fullmatch(name)
        return self.environment.get(found[1], found[2]) if found is not None else None


def around(config: Path | None, environment: Mapping[str, str]) -> Surroundings:
    """Return what fills the variables of the configuration at `config`."""
    home = environment.get("HOME", "")
    places = {"userHome": home, "HOME": home, "env:HOME": home} if home else {}
    places |= {"pathSeparator": "/", "/": "/"}
    folder = config.absolute().parent if config is not None else None
    if folder is not None and folder.name in _EDITORS:
        places |= {"workspaceFolder": str(folder.parent), "workspaceFolderBasename": folder.parent.name}
    return Surroundings(environment, places)
