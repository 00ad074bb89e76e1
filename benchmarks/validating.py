"""What `mcpizer validate` takes from the start of its process to its end, as somebody at a terminal waits for it.

Processes start in turn, a bare interpreter, one that imports what every command imports, and the whole command on a
policy of two hundred lines without a finding; the life of each is timed from outside.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from benchmarks.harness import ROOT, Plan, taken
from benchmarks.report import Found, Question, figure

LINES: Final = 200
COMMAND: Final = "from mcpizer_adapters.cli import main; main()"
PROGRAMS: Final = {"bare": "", "commands": "import mcpizer_adapters.cli.commands", "validate": COMMAND}


def policy() -> str:
    """Return a policy of two hundred lines: four upstreams with five tools each, and a grant for each tool."""
    tools, upstreams = range(20), range(4)
    lines = ["version: 1", "capabilities:", *(f"  - id: notes{n}.read" for n in tools), "upstreams:"]
    for up in upstreams:
        lines += [f"  - id: up{up}", "    transport:", "      kind: mcp-stdio", "      command: notes", "    tools:"]
        for n in tools[up :: len(upstreams)]:
            lines += [f"      - name: read{n}", f"        capability: notes{n}.read"]
    lines += ["accounts:", *(f"  - id: account{n}" for n in upstreams), "principals:", "  issuers:"]
    for n in upstreams:
        lines += [f"    - id: desk{n}", "      kind: static-key", f"      subject: me{n}"]
        lines += ["      secret:", f"        ref: env://KEY{n}"]
    lines.append("grants:")
    for n in tools:
        to = f"    capabilities: [notes{n}.read]"
        lines += ["  - to:", f"      issuer: desk{n % 4}", to, f"    using: account{n % 4}"]
    lines += [f"# {LINES} lines"] * (LINES - len(lines))
    return "\n".join(lines) + "\n"


def start(program: str, file: Path) -> float:
    """Return the milliseconds an interpreter lived."""
    begun = perf_counter()
    words = [sys.executable, "-I", "-c", program, "validate", str(file)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    return (perf_counter() - begun) * 1_000


def measure(plan: Plan) -> Found:
    """Take the figures."""
    with TemporaryDirectory() as directory:
        file = Path(directory, "policy.yaml")
        file.write_text(policy(), "utf-8")
        for program in PROGRAMS.values():  # the first start writes what later ones read
            start(program, file)
        runs = [{name: start(program, file) for name, program in PROGRAMS.items()} for _ in range(plan.starts)]
    return Found(
        (
            figure("a bare interpreter", taken([run["bare"] for run in runs]), "ms"),
            figure("import of what every command imports", taken([run["commands"] for run in runs]), "ms"),
            figure("validate, the whole command", taken([run["validate"] for run in runs]), "ms"),
        ),
        (f"{plan.starts} processes of each kind, started in turn with `-I`; a policy of {LINES} lines.",),
    )


QUESTION: Final = Question("validating", "Validating a policy from the command line", measure)
