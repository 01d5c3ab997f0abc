"""The registry's promises: names, types, labels, values, presence."""
