"""The places of the tests of stores, for the commands about them, and what is registered there."""

import json
from pathlib import Path

import pytest

from tests.integration.registry.registering import CATALOG, change
from tests.integration.stores.conftest import place, postgres
from tests.integration.stores.places import Place

__all__ = ["catalog", "docs", "place", "postgres"]


@pytest.fixture
def catalog(tmp_path: Path) -> str:
    path = tmp_path / "catalog.json"
    path.write_text(json.dumps(CATALOG), "utf-8")
    return str(path)


@pytest.fixture
def docs(place: Place, catalog: str) -> Place:
    """A place in which the docs are registered, for everybody."""
    found, code = change(place, "register", "k1", "docs", "--offers", catalog)
    assert (found["outcome"], code) == ("accepted", 0)
    return place
