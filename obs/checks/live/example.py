"""How the examples of these checks are written: a line a series, a number a scrape."""

from __future__ import annotations

ALONE = "# one number a scrape, - for none\n"
"""The first line of an example that holds everything the target exposes."""

BESIDE = "# one number a scrape, - for none; the agent's other counters go on\n"
"""The first line of an example of a few series; whoever plays it adds counters that only grow."""
