"""The example files validate, say what their comments say, and a large policy reads in reasonable time."""

import time
from pathlib import Path
from typing import Final

from mcpizer_adapters.artifact import issuer_of, read_catalog, read_policy
from mcpizer_adapters.artifact.documents import HttpTransport, StaticKeyIssuer, StdioTransport
from mcpizer_core import Allow, Counted, Deny, Limit, Principal, ReasonCode, decide, identify
from tests.unit.artifact.texts import policy_of

EXAMPLES: Final = Path(__file__).parents[3] / "examples"


def principals() -> dict[str, Principal]:
    document = read_policy(EXAMPLES / "policy.yaml").document
    assert document is not None
    issuers = [one for one in document.principals.issuers if isinstance(one, StaticKeyIssuer)]
    return {one.id: identify(issuer_of(one), one.subject, one.attributes).principal for one in issuers}


class TestExamples:
    def test_the_policy_has_no_finding(self) -> None:
        read = read_policy(EXAMPLES / "policy.yaml")
        assert [str(one) for one in read.findings] == []
        assert read.policy is not None

    def test_with_the_catalog_only_the_tool_left_out_on_purpose_is_reported(self) -> None:
        catalog = read_catalog(EXAMPLES / "catalog.yaml")
        assert catalog.findings == ()
        read = read_policy(EXAMPLES / "policy.yaml", catalog=catalog)
        assert [(one.diagnostic.code, one.diagnostic.subject) for one in read.findings] == [
            ("catalog_tool_unmapped", "crm__delete_customer")
        ]
        assert read.policy is not None

    def test_it_shows_both_transports_and_every_kind_of_part(self) -> None:
        document = read_policy(EXAMPLES / "policy.yaml").document
        assert document is not None
        crm, billing = document.upstreams
        assert isinstance(crm.transport, StdioTransport)
        assert isinstance(billing.transport, HttpTransport)
        assert (len(crm.tools), len(document.accounts)) == (3, 3)

    def test_decisions_are_what_the_comments_say(self) -> None:
        policy = read_policy(EXAMPLES / "policy.yaml").policy
        assert policy is not None
        desk, finance = principals()["support-desk"], principals()["finance-agent"]
        note = decide(policy, desk, "crm.note.write", at_ms=0)
        assert isinstance(note, Allow)
        assert (note.account, note.limit) == ("crm-writer", Limit(200, 3_600_000))
        invoice = decide(policy, finance, "billing.invoice.issue", at_ms=0, usage=Counted(19, 0))
        assert isinstance(invoice, Allow)
        assert (invoice.account, str(invoice.limit)) == ("billing-clerk", "20 per 1d")
        used_up = decide(policy, finance, "billing.invoice.issue", at_ms=0, usage=Counted(20, 0))
        assert isinstance(used_up, Deny)
        assert used_up.reason.code is ReasonCode.LIMIT_EXHAUSTED
        refused = decide(policy, desk, "billing.invoice.issue", at_ms=0)
        assert isinstance(refused, Deny)
        assert refused.reason.code is ReasonCode.NO_GRANT_MATCHES


GRANT: Final = """\
  - to:
      issuer: company
      attributes:
        team: team-{0}
        groups: [group-{0}, everyone]
    capabilities: [notes.read]
    using: reader
    limits:
      calls: 20
      per: 1d
"""


def test_ten_thousand_grants_read_in_seconds(tmp_path: Path) -> None:
    text = (
        "version: 1\n"
        "capabilities: [{id: notes.read}]\n"
        "upstreams:\n"
        "  - id: notes\n"
        "    transport: {kind: mcp-stdio, command: notes-mcp}\n"
        "    tools: [{name: read_note, capability: notes.read}]\n"
        "accounts: [{id: reader}]\n"
        "principals:\n"
        "  issuers: [{id: company, kind: oidc, attributes: {team: claim:team, groups: {claim: groups, many: true}}}]\n"
        "grants:\n" + "".join(GRANT.format(number) for number in range(10_000))
    )
    assert len(text) > 1_500_000
    started = time.perf_counter()
    read = policy_of(tmp_path, text)
    elapsed = time.perf_counter() - started
    assert read.findings == ()
    assert read.policy is not None
    assert len(read.policy.declaration.grants) == 10_000
    assert read.locate("/grants/9999").endswith(f":{text.count(chr(10)) - 9}:5")
    assert elapsed < 20, "some two seconds on an idle machine of 2026; far more means something is quadratic"
