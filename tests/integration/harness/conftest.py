"""The fixture of the kit, as those who embed it get it."""

from mcpizer_conformance.harness.fixtures import mcpizer_gateway

__all__ = ["mcpizer_gateway"]
