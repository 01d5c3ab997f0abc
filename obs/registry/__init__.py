"""The metrics registry: text to a frozen model, with every problem at once."""
