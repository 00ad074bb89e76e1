"""The teams of callers: those a static key is in, and those an operator names."""

from pathlib import Path

import pytest

from mcpizer_adapters.identity.from_policy import keys_of, principal_as
from mcpizer_adapters.identity.static_keys import StaticKeys
from mcpizer_core import Identified, Principal
from tests.unit.identity.test_from_policy import ISSUERS, KEYS, TOKENS, policy, vault

WITH_TEAMS: list[dict[str, object]] = [{**ISSUERS[0], "teams": ["red", "blue", "red"]}, ISSUERS[1], *TOKENS]


def test_who_shows_a_key_is_in_its_teams(tmp_path: Path) -> None:
    keys = keys_of(*policy(tmp_path, WITH_TEAMS[:2]), vault(KEYS))
    assert isinstance(keys, StaticKeys)
    assert keys.identify("ana-key") == Principal("ana:a", "ana", {"team": "x"}, frozenset({"red", "blue"}))
    assert keys.identify("ben-key") == Principal("ben:b", "ben")


@pytest.mark.parametrize(
    ("name", "given", "teams"),
    [
        ("ana:a", [], {"red", "blue"}),
        ("ana:a", ["green"], {"green"}),
        ("ben:b", ["green"], {"green"}),
        ("company:x", ["green", "red"], {"green", "red"}),
        ("machines:x", [], set()),
    ],
)
def test_an_operator_names_teams(name: str, given: list[str], teams: set[str], tmp_path: Path) -> None:
    found = principal_as(*policy(tmp_path, WITH_TEAMS), name, [], given)
    assert isinstance(found, Identified)
    assert found.principal.teams == teams
