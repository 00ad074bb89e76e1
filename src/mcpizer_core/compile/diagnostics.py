"""What can be wrong with a policy: codes, severities, and the sentence each code stands for.

The closed vocabulary of findings lives here and nowhere else, file-level ones included, so that every
reader reports in one shape.

This module does not know how a finding is found, nor what a file looks like.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self, final

from mcpizer_core.names import one_line


class Severity(StrEnum):
    """Whether a policy with this finding compiles."""

    ERROR = "error"
    """It does not."""
    WARNING = "warning"
    """It does; somebody ought to look."""


class DiagnosticCode(StrEnum):
    """What is wrong, in the order in which findings at one place are reported."""

    severity: Severity
    meaning: str
    remedy: str

    def __new__(cls, value: str, severity: Severity, meaning: str, remedy: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.severity = severity
        member.meaning = meaning
        member.remedy = remedy
        return member

    YAML_SYNTAX = (
        "yaml_syntax",
        Severity.ERROR,
        "the text is not a document this reader accepts",
        "correct the text at this place",
    )
    SCHEMA_VIOLATION = (
        "schema_violation",
        Severity.ERROR,
        "the document does not have the shape of a policy",
        "see the reference of the policy file",
    )
    DUPLICATE_ID = (
        "duplicate_id",
        Severity.ERROR,
        "the id is declared twice",
        "remove or rename one of the two",
    )
    INVALID_ID = (
        "invalid_id",
        Severity.ERROR,
        "the id does not fit its grammar",
        "upstreams, accounts, issuers: [a-z0-9][a-z0-9-]*; "
        "capabilities: [a-z0-9]+ joined by single dots or hyphens; attribute names: not empty",
    )
    DUPLICATE_MAPPING = (
        "duplicate_mapping",
        Severity.ERROR,
        "the tool is mapped twice",
        "keep one mapping: a tool realises one capability",
    )
    UNKNOWN_CAPABILITY_IN_TOOL = (
        "unknown_capability_in_tool",
        Severity.ERROR,
        "the tool names a capability that is not declared",
        "declare the capability or correct its name",
    )
    UNKNOWN_CAPABILITY_IN_GRANT = (
        "unknown_capability_in_grant",
        Severity.ERROR,
        "the grant names a capability that is not declared",
        "declare the capability or correct its name",
    )
    UNKNOWN_ACCOUNT_IN_GRANT = (
        "unknown_account_in_grant",
        Severity.ERROR,
        "the grant uses an account that is not declared",
        "declare the account or correct its name",
    )
    UNKNOWN_ISSUER_IN_GRANT = (
        "unknown_issuer_in_grant",
        Severity.ERROR,
        "the grant selects an issuer that is not declared",
        "declare the issuer or correct its name",
    )
    ATTRIBUTE_NOT_DECLARED = (
        "attribute_not_declared",
        Severity.ERROR,
        "the grant asks for an attribute that its issuer does not declare",
        "declare the attribute at the issuer or correct its name",
    )
    CLAIM_MAPPING_EXPECTED = (
        "claim_mapping_expected",
        Severity.ERROR,
        "the attribute of a token issuer is a literal",
        "write claim:NAME or {claim: NAME, many: true}",
    )
    IMPOSSIBLE_SELECTOR = (
        "impossible_selector",
        Severity.ERROR,
        "no principal can match this selector",
        "ask for at least one value of each attribute, and for one only where the issuer declares one, not a list",
    )
    INVALID_LIMIT = (
        "invalid_limit",
        Severity.ERROR,
        "the limit cannot be counted",
        "calls: 0 or more; the window: at least 1 ms, in a file 1s",
    )
    AMBIGUOUS_GRANT = (
        "ambiguous_grant",
        Severity.ERROR,
        "one principal can match two grants that use different accounts",
        "narrow one selector, or use one account in both",
    )
    TOOL_NOT_IN_CATALOG = (
        "tool_not_in_catalog",
        Severity.ERROR,
        "the mapped tool is not in the declared catalog",
        "correct the name, or make the catalog anew",
    )
    CATALOG_TOOL_UNMAPPED = (
        "catalog_tool_unmapped",
        Severity.WARNING,
        "no mapping covers this tool of the catalog, so nobody sees it",
        "map it to a capability, or leave it closed",
    )
    CAPABILITY_NOT_REALIZED = (
        "capability_not_realized",
        Severity.WARNING,
        "no declared tool realises the capability",
        "map a tool to it, or remove it",
    )
    UNUSED_ACCOUNT = (
        "unused_account",
        Severity.WARNING,
        "no grant uses the account",
        "use it, or remove it",
    )
    REDUNDANT_GRANT = (
        "redundant_grant",
        Severity.WARNING,
        "other grants give the same to at least the same principals",
        "remove this one grant and validate again: of several that give the same, one has to stay",
    )


@final
@dataclass(frozen=True, slots=True)
class Related:
    """Another place that has to do with a finding."""

    path: str
    note: str


@final
@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: what, how grave, at which declared thing, about which id or name, and related places."""

    code: DiagnosticCode
    severity: Severity
    path: str
    subject: str
    related: tuple[Related, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "related", tuple(self.related))

    def __str__(self) -> str:
        also = "".join(f"; {one.note}: {one.path}" for one in self.related)
        return one_line(f"{self.severity} {self.code} at {self.path}: {self.code.meaning} ({self.subject}){also}")
