"""Gateways with one mistake each: running ones, that are called over their own transport.

How each is broken stands in `broken_gateways`, which needs what gateways are made of.

Nothing here is right.
"""

from typing import Final

from mcpizer_conformance.laws.running_gateway import Running, Setting
from mcpizer_conformance.specimens.specimen import Functions, Specimen


def _specimen(name: str, breaks: str, story: str) -> Specimen:
    """A specimen whose class is called as it is."""
    called = "".join(map(str.title, name.split("-")))

    def start(setting: Setting) -> Running:
        from mcpizer_conformance.specimens import broken_gateways, small_gateway  # they need an extra

        return small_gateway.started(getattr(broken_gateways, called)(setting))

    functions: Functions = {"start_gateway": start}
    return Specimen(name, breaks, story, lambda: functions)


ALL: Final = (
    _specimen("runs-the-hidden", "GATE-1", "A tool that is not in the list runs for whoever knows its name."),
    _specimen("resolves-before-it-counts", "GATE-1", "Of a call over its limit it says that it had no credential."),
    _specimen("keeps-reservations", "GATE-1", "A call for which there was no credential counts."),
    _specimen(
        "calls-as-nobody", "GATE-1", "A call for which there was no credential reaches its upstream without one."
    ),
    _specimen("asks-before-it-decides", "GATE-2", "The upstream is asked with a credential before the decision."),
    _specimen(
        "forwards-the-callers-header", "GATE-2", "The header of the caller goes to the upstream for a credential."
    ),
    _specimen("passes-headers-on", "GATE-2", "The key of the caller goes to the upstream beside the credential."),
    _specimen("one-account-for-all", "GATE-2", "Every call runs as the first account."),
    _specimen("passes-errors-on", "GATE-3", "What a failing upstream says reaches the caller, with the credential."),
    _specimen("logs-what-it-sends", "GATE-3", "The headers of each request to an upstream are logged."),
    _specimen("logs-refused-keys", "GATE-3", "A key that nobody has is logged, to find out whose it was."),
    _specimen("looks-then-counts", "GATE-4", "Calls at once all find room before the first has counted."),
    _specimen("one-code-for-everything", "GATE-5", "A limit, a credential and an upstream fail with one code."),
    _specimen("fails-quietly", "GATE-5", "The failure of an upstream ends as an empty success."),
    _specimen("empty-for-strangers", "GATE-5", "A key that nobody has gets an empty success."),
    _specimen("records-one-outcome", "GATE-5", "Whatever did not run is recorded as denied."),
    _specimen("records-what-runs", "GATE-6", "Refusals leave no record."),
    _specimen("records-twice", "GATE-6", "A call that ran leaves two records."),
    _specimen("records-the-own-name", "GATE-6", "The record has the upstream's own name of the tool."),
    _specimen("records-no-versions", "GATE-6", "The record does not tell which policy decided."),
    _specimen("denies-the-hidden", "GATE-7", "A hidden tool is not allowed, a missing one unknown."),
)
