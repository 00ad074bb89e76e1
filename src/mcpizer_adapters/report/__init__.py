"""The access report: who can do what, as whom and under which limit, as one HTML page that needs nothing else.

What other parts import from here is this list; everything else in the package is its own business.
"""

from mcpizer_adapters.report.matrix import Matrix, Side, matrix
from mcpizer_adapters.report.page import is_report, page

__all__ = ["Matrix", "Side", "is_report", "matrix", "page"]
