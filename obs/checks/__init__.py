"""The checks: one file each, run by `obs.checks.engine`, listed by `obs.checks.catalogue`."""
