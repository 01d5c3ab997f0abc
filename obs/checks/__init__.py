"""Checks, one file each: code, slug, severity, why, a bad and a good example."""
