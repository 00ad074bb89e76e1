"""Questions about a policy, for people: who can do this, why was it decided so, what does a change change.

Every answer agrees with `decide` and `admit`; asking lives here and nowhere else.

This module does not decide: it asks the functions that do.
"""

from mcpizer_core.questions.changes import Change, diff
from mcpizer_core.questions.explaining import Candidate, Explanation, GrantRow, explain, explain_name
from mcpizer_core.questions.names import NameChanged, diff_names, projection_changes
from mcpizer_core.questions.reach import Reach, ReachEntry, who_can

__all__ = [
    "Candidate",
    "Change",
    "Explanation",
    "GrantRow",
    "NameChanged",
    "Reach",
    "ReachEntry",
    "diff",
    "diff_names",
    "explain",
    "explain_name",
    "projection_changes",
    "who_can",
]
