"""PromQL: built from parts, parsed, and checked against what exists."""
