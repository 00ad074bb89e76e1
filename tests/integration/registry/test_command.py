"""`mcpizer registry`, driven as a process over a file and over a database: what it tells, keeps and refuses."""

import json
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from mcpizer_adapters.cli.registering import registry
from mcpizer_core import (
    Accepted,
    Namespace,
    Offer,
    Private,
    Public,
    Register,
    Registration,
    Rejected,
    RejectionCode,
    Retired,
    Team,
)
from tests.integration.questions.asking import COMMAND, environment, mcpizer
from tests.integration.registry.registering import CATALOG, ask, change, namespace, words
from tests.integration.stores.places import Place, place_of


def test_an_address_is_read_where_it_is_held(docs: Place, tmp_path: Path) -> None:
    *before, address = words(docs)
    held = tmp_path / "address"
    held.write_text(f"{address}\n", "utf-8")
    given = mcpizer(*before, address, "show")
    assert given.returncode == 0
    for where in ("env://NAMES_DATABASE", held.as_uri()):
        found = mcpizer(*before, where, "show", NAMES_DATABASE=address)
        assert (found.returncode, found.stdout) == (0, given.stdout)
        past = mcpizer("history", *before[1:], where, NAMES_DATABASE=address)
        assert (past.returncode, past.stdout.count("register k1 docs")) == (0, 1), past


class TestEveryVerb:
    """Each verb is its event; what it tells is what the store then holds."""

    def test_register_tells_what_comes_and_for_whom(self, place: Place, catalog: str) -> None:
        found, code = change(place, "register", "k1", "docs", "--scope", "team:red", "--offers", catalog)
        assert (code, found["outcome"], found["before_version"], found["after_version"]) == (0, "accepted", 0, 1)
        told = [(one["kind"], one["name"], one["after"]["scope"]) for one in found["changes"]]
        assert told == [("added", "docs__read", {"team": "red"}), ("added", "docs__search", {"team": "red"})]
        one = namespace(place).registrations["k1"]
        assert (one.upstream, one.scope, [offer.tool for offer in one.offers]) == (
            "docs",
            Team("red"),
            ["read", "search"],
        )

    def test_register_without_a_listing_is_not_listed_yet(self, place: Place) -> None:
        change(place, "register", "k1", "docs", "--owner", "acme:ann", "--scope", "owner:acme:ann")
        one = namespace(place).registrations["k1"]
        assert (one.owner, one.scope, one.listing.outcome) == ("acme:ann", Private("acme:ann"), "never")

    def test_refresh_reads_a_catalog_from_standard_input(self, docs: Place) -> None:
        text = json.dumps({"version": 1, "tools": CATALOG["tools"][:1]})
        found, code = change(docs, "refresh", "k1", "--offers", "-", stdin=text)
        assert (code, [one["kind"] for one in found["changes"]]) == (0, ["removed"])
        found, code = change(docs, "refresh", "k1", "--partial", "--offers", "-", stdin=text.replace("search", "find"))
        assert (code, [one["name"] for one in found["changes"]]) == (0, ["docs__find"])
        assert {one.exposed for one in namespace(docs).catalog.tools} == {"docs__search", "docs__find"}

    def test_rename_alias_and_scope(self, docs: Place) -> None:
        found, _ = change(docs, "rename", "k1", "papers")
        assert {one["kind"] for one in found["changes"]} == {"renamed"}
        change(docs, "alias", "k1", "search", "find")
        change(docs, "scope", "k1", "team:red", "--tool", "read")
        shown = {one.exposed: one.scope for one in namespace(docs).catalog.tools}
        assert shown == {"papers__find": Public(), "papers__read": Team("red")}
        change(docs, "alias", "k1", "search", "--none")
        change(docs, "scope", "k1", "inherited", "--tool", "read")
        found, _ = change(docs, "scope", "k1", "owner:acme:ann")
        assert {one["kind"] for one in found["changes"]} == {"rescoped"}
        shown = {one.exposed: one.scope for one in namespace(docs).catalog.tools}
        assert shown == dict.fromkeys(("papers__search", "papers__read"), Private("acme:ann"))

    def test_deactivate_and_reactivate(self, docs: Place, catalog: str) -> None:
        change(docs, "deactivate", "k1")
        assert namespace(docs).catalog.tools == ()
        found, _ = change(docs, "reactivate", "k1", "--dry-run", "--offers", catalog)
        assert [one["kind"] for one in found["changes"]] == ["added", "added"]
        change(docs, "reactivate", "k1")
        assert len(namespace(docs).catalog.tools) == 2

    def test_remove_and_release(self, docs: Place) -> None:
        change(docs, "remove", "k1")
        assert namespace(docs).retired == (Retired("docs", "", (Public(),)),)
        found, code = change(docs, "register", "k2", "docs", "--owner", "acme:eve")
        assert (code, found["code"], found["hint"]) == (
            1,
            "id_retired",
            "choose another id, or let anybody take it: release docs",
        )
        assert found["retired"] == [{"upstream": "docs", "owner": "", "scopes": ["public"]}]
        change(docs, "release", "docs")
        assert change(docs, "register", "k2", "docs", "--owner", "acme:eve")[1] == 0

    def test_history_has_every_accepted_event_without_payloads(self, docs: Place) -> None:
        change(docs, "alias", "k1", "search", "payload")
        found, code = ask(docs, "history", "history")
        assert (code, [one["version"] for one in found["entries"]]) == (0, [1, 2])
        assert [one["event"]["event"] for one in found["entries"]] == ["register", "set_alias"]
        assert {*found["entries"][0]["event"]["offers"][0]} == {"tool", "fingerprint"}
        assert found["entries"][1]["event"]["alias"] == "payload"
        later, _ = ask(docs, "history", "history", "--after", "1", "--at-most", "5")
        assert [one["version"] for one in later["entries"]] == [2]
        again = mcpizer("history", *words(docs)[1:], "--json")
        assert json.loads(again.stdout) == found

    def test_every_verb_has_been_driven_here(self) -> None:
        text = Path(__file__).read_text("utf-8")
        assert [verb for verb in registry.commands if f'"{verb}"' not in text] == []


class TestDryRuns:
    """A dry run tells what the run tells, and keeps nothing."""

    @pytest.mark.parametrize(
        "verb",
        [
            ["rename", "k1", "papers"], ["rename", "k1", "Papers"], ["alias", "k1", "search", "read"],
            ["alias", "k1", "search", "find"], ["scope", "k1", "team:red"], ["deactivate", "k1"], ["remove", "k1"],
            ["remove", "nobody"], ["release", "docs"], ["scope", "k1", "owner:acme:ann"],
            ["register", "k2", "mail"], ["register", "k1", "mail"],
            ["register", "k2", "docs"], ["alias", "k1", "serch", "find"],
        ],
        ids=" ".join,
    )  # fmt: skip
    def test_say_what_a_run_says(self, docs: Place, verb: list[str]) -> None:
        before = namespace(docs)
        dry, tried = change(docs, *verb, "--dry-run")
        assert namespace(docs) == before
        wet, done = change(docs, *verb)
        assert (dry.pop("dry_run"), wet.pop("dry_run")) == (True, False)
        assert (dry, tried) == (wet, done)
        assert (namespace(docs) == before) == (done == 1 or verb[0] == "release")

    @pytest.mark.parametrize("verb", [["refresh"], ["refresh", "--partial"], ["refresh", "--reject"], ["reactivate"]])
    def test_of_a_listing_says_what_a_run_says(self, docs: Place, verb: list[str]) -> None:
        tools = [{"upstream": "docs", "name": name} for name in ("search", "find", "read")]
        text = json.dumps({"version": 1, "tools": tools})
        change(docs, "alias", "k1", "search", "find")
        before = namespace(docs)
        told = []
        for dry in (["--dry-run"], []):
            found, code = change(docs, verb[0], "k1", "--offers", "-", *verb[1:], *dry, stdin=text)
            assert (namespace(docs) == before) is bool(dry)
            assert (found.pop("dry_run"), found["event"].pop("at_ms") > 0) == (bool(dry), True)
            told.append((found, code))
        assert told[0] == told[1]
        assert told[0][1] == ("--reject" in verb)
        assert [one["code"] for one in told[0][0]["quarantined"]] == ["name_taken"]


class TestRejections:
    """What is rejected ends with 1 and says why, who stands against it, and what to do."""

    def test_a_name_that_is_held(self, docs: Place) -> None:
        found, code = change(docs, "alias", "k1", "search", "read")
        assert (code, found["outcome"], found["code"]) == (1, "rejected", "name_conflict")
        (conflict,) = found["conflicts"]
        assert (conflict["name"], conflict["holder"]["tool"], conflict["claimant"]["tool"]) == (
            "docs__read",
            "read",
            "search",
        )
        assert found["hint"].startswith("choose another alias")
        assert "--reject" not in found["hint"]

    def test_an_id_that_is_taken_names_its_holder_for_people(self, docs: Place) -> None:
        ended = mcpizer(*words(docs), "register", "k2", "docs")
        assert ended.returncode == 1
        assert "rejected  register k2 docs public: upstream_id_taken" in ended.stdout
        assert "held by registration 'k1' (public)" in ended.stdout
        assert "rename or remove who holds it" in ended.stdout

    @pytest.mark.parametrize(
        ("verb", "code", "hint"),
        [
            (["remove", "k1x"], "unknown_registration", "did you mean k1?"),
            (["register", "k1", "mail"], "key_taken", "choose another key"),
            (["register", "k2", "My_Mail"], "invalid_upstream_id", "such as my-mail"),
            (["alias", "k1", "serch", "find"], "unknown_tool", "did you mean search?"),
            (["alias", "k1", "search", ""], "invalid_alias", "not empty"),
        ],
        ids=lambda one: one if isinstance(one, str) else "",
    )
    def test_each_code_says_what_to_do(self, docs: Place, verb: list[str], code: str, hint: str) -> None:
        found, ended = change(docs, *verb)
        assert (ended, found["code"]) == (1, code)
        assert hint in found["hint"]

    def test_a_refused_listing_is_told_and_remembered(self, docs: Place) -> None:
        text = json.dumps({"version": 1, "tools": [*CATALOG["tools"], {"upstream": "docs", "name": "find"}]})
        change(docs, "alias", "k1", "search", "find")
        found, code = change(docs, "refresh", "k1", "--offers", "-", "--reject", stdin=text)
        assert (code, found["code"], [one["code"] for one in found["quarantined"]]) == (
            1,
            "name_conflict",
            ["name_taken"],
        )
        audited, code = ask(docs, "registry-audit", "audit")
        assert (code, [one["key"] for one in audited["refused"]]) == (1, ["k1"])
        found, code = change(docs, "refresh", "k1", "--offers", "-", stdin=text)
        assert (code, [one["tool"] for one in found["quarantined"]]) == (0, ["find"])

    def test_another_version_than_was_asked_for_changes_nothing(self, docs: Place) -> None:
        for dry in ([], ["--dry-run"]):
            found, code = change(docs, "remove", "k1", "--at-version", "7", *dry)
            assert (code, found["outcome"], found["before_version"]) == (1, "moved", 1)
        assert change(docs, "remove", "k1", "--at-version", "1")[1] == 0


class TestShow:
    """What is shown is what is there."""

    def test_all_or_some(self, docs: Place, catalog: str) -> None:
        change(docs, "register", "k2", "mail", "--offers", catalog)
        change(docs, "alias", "k1", "search", "find")
        found, code = ask(docs, "registry", "show")
        assert (code, [one["key"] for one in found["registrations"]]) == (0, ["k1", "k2"])
        (one,) = ask(docs, "registry", "show", "k1")[0]["registrations"]
        told = [(tool["name"], tool["tool"], tool["alias"]) for tool in one["tools"]]
        assert told == [("docs__find", "search", "find"), ("docs__read", "read", None)]
        assert (one["contact"]["up"], one["listing"]["outcome"]) == (True, "accepted")

    def test_one_that_is_not_there_ends_with_1(self, docs: Place) -> None:
        ended = mcpizer(*words(docs), "show", "k1x")
        assert ended.returncode == 1
        assert "no registration has the key k1x; did you mean k1?" in ended.stderr

    def test_for_people(self, docs: Place) -> None:
        everything = mcpizer(*words(docs), "show").stdout
        assert "✓ k1  docs  public  2 tools  listing accepted" in everything
        one = mcpizer(*words(docs), "show", "k1").stdout
        assert "docs__search  search  public" in one
        change(docs, "remove", "k1")
        assert "docs  for the operator in public" in mcpizer(*words(docs), "show").stdout
        past = mcpizer(*words(docs), "history").stdout
        assert "register k1 docs public 2 offers" in past
        assert "remove k1" in past

    def test_what_a_name_holds_does_not_reach_the_terminal(self, docs: Place) -> None:
        change(docs, "alias", "k1", "search", "\x1b[31mred\r\nk9")
        for verb in (["show", "k1"], ["show"], ["history"], ["audit"]):
            said = mcpizer(*words(docs), *verb).stdout
            assert "\x1b" not in said
            assert "\r" not in said


class TestAudit:
    """Duplicates of the past, offers set aside, shadowed names and refused listings are all told."""

    def test_nothing_ends_with_0(self, docs: Place) -> None:
        found, code = ask(docs, "registry-audit", "audit")
        assert code == 0
        assert not any(found[one] for one in ("duplicates", "shadowed", "quarantined", "refused"))

    def test_duplicates_that_were_brought_in(self, place: Place) -> None:
        both = [
            Registration(key, "docs", Public(), generation=n, offers=(Offer("t", "1"),)) for n, key in enumerate("ab")
        ]
        with closing(place.store()) as store:
            assert isinstance(store.bring_in(both), Namespace)
        found, code = ask(place, "registry-audit", "audit")
        assert code == 1
        assert [(one["name"], one["holder"]["key"], one["claimant"]["key"]) for one in found["duplicates"]] == [
            ("docs__t", "a", "b"),
            ("docs", "a", "b"),
        ]
        assert "duplicates (2)" in mcpizer(*words(place), "audit").stdout
        assert "brought in 2 registrations" in mcpizer(*words(place), "history").stdout

    def test_shadowed_names_of_the_other_rule(self, tmp_path: Path) -> None:
        with place_of("sqlite", tmp_path, "") as place:
            rule = ["registry", "--rule", "same_scope", f"sqlite:{place.where}"]
            said = ""
            for key, scope in (("a", "public"), ("b", "team:red")):
                text = json.dumps({"version": 1, "tools": [{"upstream": "docs", "name": "t"}]})
                ended = subprocess.run(
                    [*COMMAND, *rule, "register", key, "docs", "--scope", scope, "--offers", "-"],
                    input=text, env=environment(), capture_output=True, text=True, timeout=60, check=False,
                )  # fmt: skip
                assert ended.returncode == 0, ended.stderr
                said = ended.stdout
            assert "shadowed names (1)" in said
            found = mcpizer(*rule, "audit", "--json")
            assert (found.returncode, len(json.loads(found.stdout)["shadowed"])) == (1, 1)


class TestPolicysOwn:
    """What a policy registers is the policy's."""

    def test_nobody_registers_under_its_keys(self, place: Place) -> None:
        ended = mcpizer(*words(place), "register", "policy:docs", "docs")
        assert ended.returncode == 2
        assert "a policy's own" in ended.stderr

    def test_a_change_that_will_not_last_is_told(self, place: Place) -> None:
        with closing(place.store()) as store:
            assert isinstance(store.commit(None, Register("policy:docs", "docs", Public(), None)), Accepted)
        ended = mcpizer(*words(place), "rename", "policy:docs", "papers")
        assert ended.returncode == 0
        assert "with its next start or reload" in ended.stderr


class TestBesideAGateway:
    """A command and a store that is open elsewhere see the same namespace."""

    def test_a_change_is_seen_by_who_has_the_store_open(self, docs: Place) -> None:
        with closing(docs.store()) as store:
            before = store.load()
            assert isinstance(before, Namespace)
            change(docs, "alias", "k1", "search", "find")
            after = store.watch(before, within_s=10)
            assert isinstance(after, Namespace)
            assert after.registrations["k1"].aliases == {"search": "find"}
            refused = store.commit(None, Register("k2", "docs", Public(), None))
            assert isinstance(refused, Rejected)
            assert refused.code is RejectionCode.UPSTREAM_ID_TAKEN
