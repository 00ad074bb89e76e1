"""The files that questions are asked about."""

from pathlib import Path

import pytest

from tests.integration.questions.asking import CATALOG, POLICY


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY, "utf-8")
    return path


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    path = tmp_path / "tools.yaml"
    path.write_text(CATALOG, "utf-8")
    return path


@pytest.fixture
def after(tmp_path: Path) -> Path:
    """The policy after a change of every kind."""
    text = (
        POLICY.replace("calls: 3", "calls: 9")
        .replace(
            "attributes: {team: dev, groups: [x, y]}}, capabilities: [a.write], using: writer",
            "attributes: {team: dev, groups: [x]}}, capabilities: [a.write], using: writer",
        )
        .replace(
            "{issuer: staff}, capabilities: [a.read], using: reader",
            "{issuer: staff}, capabilities: [a.read], using: writer",
        )
        .replace("{id: off, disabled: true}", "{id: off}")
        .replace("{name: peek, capability: a.read}", "{name: peek, capability: a.write}")
        .replace("  - {id: c.none}\n", "")
    )
    path = tmp_path / "after.yaml"
    path.write_text(text, "utf-8")
    return path
