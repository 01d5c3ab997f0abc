"""Text to PromQL's syntax tree. The same expression is asked about many times, so the newest trees are kept."""

from __future__ import annotations

from functools import lru_cache

import promql_parser as promql


@lru_cache(maxsize=2048)
def parse(text: str) -> promql.Expr:
    """Return the tree of an expression; raise ValueError with the parser's reason when it is none."""
    return promql.parse(text)
