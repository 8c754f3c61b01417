"""The registry: every `Rule` defined in a module of this package, by code."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from react_migrate.rules.rule import Example, Rule

__all__ = ["Example", "Rule", "all_rules"]


@functools.cache
def all_rules() -> dict[str, Rule]:
    """Every rule, keyed and ordered by its code."""
    found: dict[str, Rule] = {}
    for module in pkgutil.iter_modules(__path__):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        for thing in vars(loaded).values():
            if isinstance(thing, type) and issubclass(thing, Rule) and thing.__module__ == loaded.__name__:
                if thing is not Rule:
                    found[thing.code] = thing()
    return dict(sorted(found.items()))
