"""What clients make of tool names: their limits as data, and the question whether a name fits.

What other parts import from here is this list; the data stands in `profiles.toml`, with its sources.
"""

from mcpizer_adapters.clients.fitting import Clash, Fit, Misfit, clashes, fit
from mcpizer_adapters.clients.profiles import Profile, profiles

__all__ = ["Clash", "Fit", "Misfit", "Profile", "clashes", "fit", "profiles"]
