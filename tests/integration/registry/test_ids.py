"""What `mcpizer registry` tells of ids that are given up and freed, and how it spells what it was given."""

import json

from tests.integration.questions.asking import mcpizer
from tests.integration.registry.registering import CATALOG, ask, change, namespace, words
from tests.integration.stores.places import Place

PUBLIC = {"upstream": "docs", "owner": "", "scopes": ["public"]}


class TestIdsThatAreGivenUp:
    """Whatever retires an id says so: which, for whom, and where."""

    def test_in_json_and_in_a_dry_run_too(self, docs: Place) -> None:
        for verb in (["rename", "k1", "papers"], ["scope", "k1", "owner:acme:ann"], ["remove", "k1"]):
            found, code = change(docs, *verb, "--dry-run")
            assert (code, found["retired"], found["released"]) == (0, [PUBLIC], [])
        assert change(docs, "deactivate", "k1", "--dry-run")[0]["retired"] == []
        found, _ = change(docs, "rename", "k1", "papers")
        assert found["retired"] == [PUBLIC]

    def test_for_people(self, docs: Place) -> None:
        told = "retired  docs          kept for the operator in public"
        assert told in mcpizer(*words(docs), "remove", "k1", "--dry-run").stdout
        assert told in mcpizer(*words(docs), "remove", "k1").stdout
        said = mcpizer(*words(docs), "register", "k2", "docs", "--owner", "acme:eve").stdout
        assert "✗ retired  docs  kept for the operator in public" in said


class TestIdsThatAreFreed:
    """A release says what is free again, or that there was nothing to free."""

    def test_tells_whose_it_was_and_where(self, docs: Place) -> None:
        change(docs, "remove", "k1")
        found, code = change(docs, "release", "docs", "--dry-run")
        assert (code, found["outcome"], found["released"]) == (0, "accepted", [PUBLIC])
        said = mcpizer(*words(docs), "release", "docs")
        assert said.returncode == 0
        assert (
            "accepted  release docs: version 2 → 3\n  + released  docs  was kept for the operator in public"
            in said.stdout
        )
        found, code = change(docs, "release", "docs")
        assert (code, found["outcome"], found["after_version"]) == (1, "nothing_retired", 3)

    def test_nothing_of_that_name_is_told(self, docs: Place) -> None:
        change(docs, "register", "k2", "mail")
        change(docs, "remove", "k2")
        for more in ([], ["--dry-run"]):
            found, code = change(docs, "release", "mial", *more)
            assert (code, found["outcome"], found["code"], found["released"]) == (1, "nothing_retired", None, [])
            assert found["hint"] == "did you mean mail?"
        said = mcpizer(*words(docs), "release", "docs")
        assert said.returncode == 1
        assert "nothing retired  release docs: version 3, as before" in said.stdout
        assert "it is not given up: registration 'k1' (public) has it" in said.stdout
        assert change(docs, "release", "D o")[0]["code"] == "invalid_upstream_id"
        assert namespace(docs).version == 3


class TestWhatIsTold:
    """A line tells what was asked, in the form in which it is asked."""

    def test_of_an_unknown_registration_no_offers(self, docs: Place) -> None:
        text = json.dumps(CATALOG)
        found, code = change(docs, "refresh", "k9", "--offers", "-", stdin=text)
        assert (code, found["code"], "offers" in found["event"]) == (1, "unknown_registration", False)

    def test_advice_is_about_what_was_asked(self, docs: Place) -> None:
        found, _ = change(docs, "alias", "k1", "search", "read")
        assert found["hint"] == "choose another alias, or rename, narrow or remove what holds the name"
        text = json.dumps({"version": 1, "tools": [*CATALOG["tools"], {"upstream": "docs", "name": "find"}]})
        change(docs, "alias", "k1", "search", "find")
        found, _ = change(docs, "refresh", "k1", "--offers", "-", "--reject", stdin=text)
        assert "without --reject the good offers come in" in found["hint"]

    def test_a_log_has_what_was_taken_away(self, docs: Place) -> None:
        change(docs, "alias", "k1", "search", "find it")
        change(docs, "scope", "k1", "team: red", "--tool", "read")
        shown = mcpizer(*words(docs), "show", "k1").stdout
        assert "'docs__find it'  search  public" in shown
        assert "docs__read       read    team:red" in shown
        change(docs, "alias", "k1", "search", "--none")
        change(docs, "scope", "k1", "inherited", "--tool", "read")
        past = mcpizer(*words(docs), "history").stdout
        told = ["alias k1 search 'find it'", "alias k1 search --none"]
        assert [one for one in told if f"  set {one}\n" not in past] == []
        told = ["scope k1 read team:red", "scope k1 read inherited"]
        assert [one for one in told if f"  change tool {one}\n" not in past] == []

    def test_a_log_that_ends_before_says_where_it_is(self, docs: Place) -> None:
        said = mcpizer(*words(docs), "history", "--after", "9999").stdout
        assert said.endswith(": nothing was accepted there after version 9999; it is at version 1\n")

    def test_a_listing_that_changes_nothing_was_accepted(self, docs: Place, catalog: str) -> None:
        change(docs, "refresh", "k1", "--offers", catalog)
        assert ask(docs, "registry", "show")[0]["registrations"][0]["listing"]["outcome"] == "unchanged"
        assert "listing accepted, the same as before" in mcpizer(*words(docs), "show").stdout
