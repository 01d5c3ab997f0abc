"""obs: everything an operator runs against a fleet of agents, generated from one frozen metrics registry."""

__version__ = "0.1.0"
__all__ = ["__version__"]
