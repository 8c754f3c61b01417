"""react-migrate: move DSPy agents from ReAct's trajectory to its structured history."""

__version__ = "0.1.0"
