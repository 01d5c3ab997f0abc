"""Boards as values: authored ones from dashboards/*.yaml, generated ones from the registry."""
