"""The callers of static-key issuers: whose keys are served over HTTP, and who may show one on standard input."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from mcpizer_adapters.artifact import read_policy
from mcpizer_adapters.artifact.documents import PolicyDocument
from mcpizer_adapters.credentials.secrets import CredentialFault, Credentials, Secret
from mcpizer_adapters.identity.from_policy import NoCallers, keys_of, keys_there_are
from mcpizer_adapters.identity.static_keys import StaticKeys
from mcpizer_core import Policy, Principal

KEYS = {"ANA": "ana-key", "BEN": "ben-key"}
ISSUERS: list[dict[str, object]] = [
    {"id": "ana", "kind": "static-key", "subject": "a", "secret": {"ref": "env://ANA"}, "attributes": {"team": "x"}},
    {"id": "ben", "kind": "static-key", "subject": "b", "secret": {"ref": "env://BEN"}},
]
TOKENS: list[dict[str, object]] = [{"id": "company", "kind": "oidc"}, {"id": "machines", "kind": "mtls"}]
ANA, BEN = Principal("ana:a", "ana", {"team": "x"}), Principal("ben:b", "ben")


def vault(keys: Mapping[str, str]) -> Credentials:
    return Credentials({"env": lambda name: Secret(keys[name]) if name in keys else CredentialFault.MISSING})


def policy(directory: Path, issuers: list[dict[str, object]]) -> tuple[PolicyDocument, Policy]:
    file = directory / "policy.json"
    file.write_text(json.dumps({"version": 1, "principals": {"issuers": issuers}}), encoding="utf-8")
    read = read_policy(file)
    assert read.document is not None
    assert read.policy is not None
    return read.document, read.policy


class TestAllKeys:
    """Over HTTP all issuers are served, or everything that keeps them from it is told."""

    def test_every_key_stands_for_its_caller(self, tmp_path: Path) -> None:
        keys = keys_of(*policy(tmp_path, ISSUERS), vault(KEYS))
        assert isinstance(keys, StaticKeys)
        assert [keys.identify(key) for key in ("ana-key", "ben-key", "", "ana-key ")] == [ANA, BEN, None, None]

    @pytest.mark.parametrize("key", ["a", "~!", "correct horse battery"])
    def test_printable_ascii_is_carried(self, key: str, tmp_path: Path) -> None:
        assert isinstance(keys_of(*policy(tmp_path, ISSUERS), vault({**KEYS, "BEN": key})), StaticKeys)

    @pytest.mark.parametrize("key", [" s3cr3t", "s3cr3t ", "\ts3cr3t", "s3cr3t\n", "s3cr3t\r", " ", "\x0bs3cr3t", " é"])
    def test_a_key_with_a_blank_at_an_end_is_not_served(self, key: str, tmp_path: Path) -> None:
        found = keys_of(*policy(tmp_path, ISSUERS), vault({**KEYS, "BEN": key}))
        assert found == NoCallers(("issuer ben: its key begins or ends with a blank, which no header can carry",))

    @pytest.mark.parametrize(
        "key", ["s3c\nr3t", "s3c\tr3t", "s3cr3t\x00", "s3cr3t\x7f", "clé", "\xa0k", "密", "\udcff"]
    )
    def test_a_key_no_header_can_carry_is_not_served(self, key: str, tmp_path: Path) -> None:
        found = keys_of(*policy(tmp_path, ISSUERS), vault({**KEYS, "BEN": key}))
        assert found == NoCallers(
            ("issuer ben: its key holds characters that a header cannot be relied on to carry; use printable ASCII",)
        )

    def test_all_that_is_wrong_is_told_at_once(self, tmp_path: Path) -> None:
        found = keys_of(*policy(tmp_path, [*ISSUERS, *TOKENS]), vault({"ANA": " "}))
        assert isinstance(found, NoCallers)
        assert [one.split(":")[0] for one in found.problems] == [
            "issuer company", "issuer machines", "issuer ana", "issuer ben",
        ]  # fmt: skip

    def test_two_issuers_with_one_key_are_not_served(self, tmp_path: Path) -> None:
        found = keys_of(*policy(tmp_path, ISSUERS), vault({"ANA": "k", "BEN": "k"}))
        assert found == NoCallers(("issuers ana and ben have the same key",))

    def test_without_any_issuer_there_is_no_caller(self, tmp_path: Path) -> None:
        assert isinstance(keys_of(*policy(tmp_path, []), vault({})), NoCallers)


class TestKeysThereAre:
    """One caller on standard input needs one key: issuers whose keys cannot be had, and other kinds, do not matter."""

    @pytest.mark.parametrize("issuers", [ISSUERS, [*TOKENS, *ISSUERS], list(reversed(ISSUERS))])
    def test_one_key_is_enough(self, issuers: list[dict[str, object]], tmp_path: Path) -> None:
        keys = keys_there_are(*policy(tmp_path, issuers), vault({"ANA": "ana-key"}))
        assert [keys.identify(key) for key in ("ana-key", "ben-key", "")] == [ANA, None, None]

    def test_a_key_that_no_header_carries_is_one_all_the_same(self, tmp_path: Path) -> None:
        keys = keys_there_are(*policy(tmp_path, ISSUERS), vault({"ANA": " clé "}))
        assert (keys.identify(" clé "), keys.identify("clé")) == (ANA, None)

    def test_a_key_of_two_issuers_stands_for_nobody(self, tmp_path: Path) -> None:
        keys = keys_there_are(*policy(tmp_path, ISSUERS), vault({"ANA": "k", "BEN": "k"}))
        assert keys.identify("k") is None
        assert keys.repeated() == ((ANA, BEN),)

    def test_without_any_there_is_no_caller(self, tmp_path: Path) -> None:
        keys = keys_there_are(*policy(tmp_path, [*ISSUERS, *TOKENS]), vault({}))
        assert keys.identify("ana-key") is None
