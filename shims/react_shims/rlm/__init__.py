"""`react_shims.RLM`: DSPy's RLM with the structured history that it has from DSPy 3.5 on.

The class is in `module`. Importing this package imports nothing else, DSPy least of all.
"""
