"""YAML and JSON text to values with positions, and values back to text."""
