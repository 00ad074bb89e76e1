"""`python -m mcpizer_conformance.selftest`: the table of laws and specimens, computed if need be, and what is open.

This module does not know how either is found.
"""

import argparse
import sys
from pathlib import Path

from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.selftest import gate, kills
from mcpizer_conformance.specimens import SPECIMENS


def main(arguments: list[str] | None = None) -> int:
    """Compute the table unless it is kept for these sources; end with 1 if it leaves something open."""
    parser = argparse.ArgumentParser(prog="python -m mcpizer_conformance.selftest", description=main.__doc__)
    parser.add_argument("--file", type=Path, default=kills.FILE, help="where the table is kept (beside this module)")
    parser.add_argument("--jobs", type=int, default=1, help="so many processes at once (1)")
    parser.add_argument("--anew", action="store_true", help="compute it in any case")
    asked = parser.parse_args(arguments)
    digest, table = kills.stored(asked.file)
    fresh = digest == kills.content()
    if asked.anew or not fresh:
        rows = kills.computed(SPECIMENS, asked.jobs)
        found = {name: row.by for name, row in rows.items()}
        other = [name for name in SPECIMENS if fresh and table.get(name) != found[name]]
        if other:
            print(f"open: of the same sources another table was kept; it differs in {', '.join(other)}")
            return 1
        table = found
        kills.store(table, asked.file)
        worst = max(rows, key=lambda name: rows[name].seconds)
        print(f"computed; the slowest to notice is {worst}: {rows[worst].seconds:.1f} s")
        for name in kills.slow(rows):
            print(f"open: {name} is noticed after more than {kills.AT_MOST_S:g} s")
        if kills.slow(rows):
            return 1
    left = gate.left_open(table)
    print("\n".join([*(f"open: {one}" for one in left), f"{len(table)} specimens, {len(LAWS)} laws, {len(left)} open"]))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
