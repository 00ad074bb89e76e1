"""One virtual environment for each peer, made from pinned requirements, so that no peer shapes another or ours.

Where the environments lie and when one is made anew lives here and nowhere else. A peer that cannot be installed is
an answer, with the reason; it is reported as not measured.

This module does not know what a peer is measured with.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
HOME: Final = ROOT / "build" / "peers"
REQUIREMENTS: Final = Path(__file__).parent / "requirements"

INSTALL_SECONDS: Final = 600
"""So long one peer may take to install."""


@dataclass(frozen=True, slots=True)
class Ready:
    """An environment that has what the peer needs: its interpreter, and the peer's own `name==version`."""

    name: str
    python: Path
    package: str


@dataclass(frozen=True, slots=True)
class Missing:
    """A peer that cannot be measured here, and why."""

    name: str
    reason: str


def names(requirements: Path = REQUIREMENTS) -> tuple[str, ...]:
    """Return the peers there are requirements for."""
    return tuple(sorted(path.stem for path in requirements.glob("*.txt")))


def package(name: str, requirements: Path = REQUIREMENTS) -> str:
    """Return `name==version` of a peer itself: the first pin of its requirements."""
    return (requirements / f"{name}.txt").read_text("utf-8").splitlines()[0]


def interpreter(least: tuple[int, int]) -> str | None:
    """Return a Python that is at least so new: this one, or one on PATH, or one that pyenv keeps; None if none is."""
    if sys.version_info >= least:
        return sys.executable
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in range(least[1], least[1] + 3):
        name = f"python{least[0]}.{minor}"
        found = [*filter(None, [shutil.which(name)]), *map(str, sorted(kept.glob(f"*/bin/{name}")))]
        for one in found:
            if _run([one, "-c", ""]) is None:  # on PATH there may be a name that stands for nothing
                return one
    return None


def environment(
    name: str, home: Path = HOME, pins: Path = REQUIREMENTS, least: tuple[int, int] = (3, 11)
) -> Ready | Missing:
    """Return the environment of a peer, made if it is not there or was made from other requirements."""
    requirements = pins / f"{name}.txt"
    base = interpreter(least)
    if base is None:
        return Missing(
            name, f"{package(name, pins)} needs Python {least[0]}.{least[1]} or newer, and there is none here"
        )
    folder = home / name
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    stamp = folder / "installed.txt"
    wanted = f"{sys.version if base == sys.executable else base}\n{requirements.read_text('utf-8')}"
    if not (python.exists() and stamp.exists() and stamp.read_text("utf-8") == wanted):
        problem = _run([base, "-m", "venv", "--clear", str(folder)]) or _run(
            [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(requirements)]
        )
        if problem is not None:
            return Missing(name, f"{package(name, pins)} cannot be installed: {problem}")
        stamp.write_text(wanted, "utf-8")
    return Ready(name, python, package(name, pins))


def plain(text: str) -> str:
    """Return text without addresses and without places of this machine, fit for a page that others read."""
    short = text.replace(str(ROOT), ".").replace(str(Path.home()), "~")
    return re.sub(r"\w+://\S+|(?<![\w.~])/[\w.-]+/\S+", "…", short).strip()[:300]


def _run(command: list[str]) -> str | None:
    """Run a command; return what it said last if it failed."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"it took more than {INSTALL_SECONDS} seconds"
    except OSError as error:
        return plain(str(error))
    if done.returncode == 0:
        return None
    said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    errors = [line for line in said if "error" in line.lower()]
    return plain((errors or said or [f"exit status {done.returncode}"])[-1])
