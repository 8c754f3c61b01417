"""The registry: every `Rule` defined in a module of this package, by code."""

from __future__ import annotations

import abc
import functools
import importlib
import pkgutil

from react_migrate.rules.rule import Example, FileProblem, Rule

__all__ = ["Example", "FileProblem", "Rule", "all_rules"]


@functools.cache
def all_rules() -> dict[str, Rule]:
    """Every rule, keyed and ordered by its code."""
    found: dict[str, Rule] = {}
    for module in pkgutil.iter_modules(__path__):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        for thing in vars(loaded).values():
            if isinstance(thing, abc.ABCMeta) and issubclass(thing, Rule) and "code" in vars(thing):
                assert found.setdefault(thing.code, thing()).__class__ is thing, (
                    f"two rules are called {thing.code}"
                )
    return dict(sorted(found.items()))
