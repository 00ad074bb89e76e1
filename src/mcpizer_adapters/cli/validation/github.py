"""What was found in a policy, as workflow commands: GitHub shows each beside the line it is about.

How such a command is written, and what has to be escaped in it, lives here and nowhere else.

This module does not know how much is told.
"""

from mcpizer_adapters.artifact.findings import Finding
from mcpizer_adapters.artifact.problems import one_line
from mcpizer_adapters.cli.output import plural
from mcpizer_adapters.cli.validation.found import Found
from mcpizer_adapters.cli.validation.repository import path_of
from mcpizer_core import Severity
from mcpizer_core import one_line as whole_line


def as_commands(found: Found) -> str:
    """Return a command for each finding, and a line for the log that sums them up."""
    told = found.told()
    rest = len(found.findings) - len(told)
    counts = [plural(found.count(Severity.ERROR), "error"), plural(found.count(Severity.WARNING), "warning")]
    if rest:
        counts.append(f"{plural(rest, 'finding')} not shown without --all")
    # No line but a command may begin with two colons: the runner would take it for one.
    return "\n".join([*map(_command, told), f"mcpizer: {one_line(found.policy.path)}: {', '.join(counts)}"])


def _command(one: Finding) -> str:
    place = one.place
    words = {
        "file": whole_line(path_of(place.file)),
        "line": place.line,
        "col": place.column,
        "title": one.diagnostic.code,
    }
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in words.items())
    lines = [one_line(one.message), *([f"hint: {one_line(one.hint)}"] if one.hint else [])]
    lines += [f"{whole_line(str(note.place))}: {one_line(note.text)}" for note in one.related]
    return f"::{one.diagnostic.severity} {properties}::{_data(chr(10).join(lines))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
