"""How the pages are built: MyST sources, the furo theme, nothing fetched from anywhere."""

import importlib.metadata

project = "mcpizer"
author = "The mcpizer authors"
copyright = "the mcpizer authors"
release = importlib.metadata.version("mcpizer")

extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
nitpicky = True

html_theme = "furo"
html_title = f"mcpizer {release}"
html_show_sphinx = False
html_copy_source = False
