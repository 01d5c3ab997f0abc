"""Ratios against named yardsticks, measured in one run. Nothing here is a test: machines are noisy."""
