"""Frozen values that every layer shares. No I/O, no parsing, no policy."""
