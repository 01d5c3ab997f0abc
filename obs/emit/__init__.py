"""Emitters: sources to artifacts, one module a kind."""
