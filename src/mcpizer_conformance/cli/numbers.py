"""Numbers on a command line: what is none is said so.

This module does not know what they are for.
"""

import argparse
from typing import NoReturn


def positive(text: str) -> int:
    """Return the number, which is from 1 to 999999999."""
    fits = text.isascii() and text.isdigit() and len(text) < 10 and int(text)
    return int(text) if fits else _refused(text, "from 1 to 999999999")


def seconds(text: str) -> float:
    """Return the number of seconds, which is more than 0 and at most 600."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    return number if 0 < number <= 600 else _refused(text, "of seconds, more than 0 and at most 600")


def _refused(text: str, wanted: str) -> NoReturn:
    raise argparse.ArgumentTypeError(f"{text!r} is no number {wanted}")
