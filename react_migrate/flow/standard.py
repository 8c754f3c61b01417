"""Functions whose result depends on their arguments in a way of its own, one function for each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from react_migrate.flow import arguments, calls, containers, library
from react_migrate.flow.frames import Binding
from react_migrate.flow.known import DICTS, LISTS, QUEUES
from react_migrate.flow.layout import lay_out
from react_migrate.flow.values import (
    NOTHING,
    Container,
    Instance,
    Items,
    Library,
    NoValue,
    Other,
    Partial,
    Prediction,
    Record,
    Trajectory,
    Unknown,
    Values,
    items,
    one,
    opened,
    union,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator


def first_or_all(flow: Evaluator, binding: Binding) -> Values:
    """`max(xs)`, `max(a, b)`, `next(it)`."""
    site = binding.site
    if site is not None and len(site.node.args) > 1 and not isinstance(site.node.args[0], ast.Starred):
        given = lay_out(flow, binding)
        listed = union(given.positional)
        spread = frozenset(v for v in listed if isinstance(v, (Container, Items)))
        return spread | one(Items(frozenset(v for v in listed if v not in spread)))
    return arguments.first(flow, binding)


def _partial(flow: Evaluator, binding: Binding) -> Values:
    assert binding.site is not None
    return frozenset(
        Partial(function, binding.site, trail=function.trail) for function in arguments.nth(flow, binding, 0)
    )


def _zip(flow: Evaluator, binding: Binding) -> Values:
    given = lay_out(flow, binding)
    columns = tuple(containers.elements(flow, values) for values in given.positional)
    if given.more_positional is not None:
        return items(items(union(columns) | containers.elements(flow, given.more_positional)))
    return items(one(Items(union(columns), columns)))


def _chain(flow: Evaluator, binding: Binding) -> Values:
    given = lay_out(flow, binding)
    listed = union(given.positional) | containers.elements(flow, given.more_positional or NOTHING)
    return items(containers.elements(flow, listed))


def _chain_all(flow: Evaluator, binding: Binding) -> Values:
    return items(containers.elements(flow, containers.elements(flow, arguments.first(flow, binding))))


def _enumerate(flow: Evaluator, binding: Binding) -> Values:
    pair = (one(Other("a number")), containers.elements(flow, arguments.first(flow, binding)))
    return items(one(Items(union(pair), pair)))


def _gather(flow: Evaluator, binding: Binding) -> Values:
    given = lay_out(flow, binding)
    every = opened(union(given.positional) | (given.more_positional or NOTHING))
    fixed = tuple(map(opened, given.positional)) if given.more_positional is None else None
    return one(Items(every, fixed))


def _wait(flow: Evaluator, binding: Binding) -> Values:
    """`asyncio.wait(tasks)`: those that are done, and the others."""
    tasks = items(containers.elements(flow, arguments.first(flow, binding, "aws")))
    return one(Items(tasks, (tasks, tasks)))


def container(flow: Evaluator, path: str, binding: Binding) -> Values:
    """`list(x)`, `dict(a=x)`, `deque()`: a container, which more may be put into later."""
    if binding.site is not None and not binding.skip:
        return one(Container(binding.site.node, binding.site.frame))
    return one(Items(union(found for _, found in CONTENTS[path](flow, binding))))


Contents = Iterator[tuple[object, Values]]  # places and what is there, as `containers` has them


def _elements(flow: Evaluator, binding: Binding) -> Contents:
    yield containers.ANY, containers.elements(flow, arguments.first(flow, binding))


def _nothing(flow: Evaluator, binding: Binding) -> Contents:
    return iter(())


def _entries(flow: Evaluator, binding: Binding) -> Contents:
    given = lay_out(flow, binding)
    yield from given.named.items()
    if given.more_named is not None:
        yield containers.ANY, given.more_named
    for value in union(given.positional):
        if isinstance(value, (Container, Items)):
            yield containers.ANY, containers.values_of_dict(flow, value)


def _made_when_asked(flow: Evaluator, binding: Binding) -> Contents:
    """`defaultdict(f)`."""
    yield containers.ANY, _made_by(flow, arguments.first(flow, binding), binding)


def _made_by(flow: Evaluator, factories: Values, binding: Binding, keyword: str | None = None) -> Values:
    """What factories make. Lists made by `list` are told apart by where it says so."""
    site = binding.site
    written = site.node.args[0] if site is not None and site.node.args else None
    if site is not None and keyword is not None:
        written = next((k.value for k in site.node.keywords if k.arg == keyword), written)
    found = NOTHING
    for factory in factories:
        if (
            isinstance(factory, Library)
            and factory.path in CONTENTS
            and site is not None
            and written is not None
        ):
            found |= one(Container(written, site.frame))
        else:
            found |= calls.apply(flow, factory, Binding(None))
    return found


CONTENTS: dict[str, Callable[[Evaluator, Binding], Contents]] = {
    **dict.fromkeys(LISTS, _elements),
    **dict.fromkeys(QUEUES, _nothing),
    **dict.fromkeys(DICTS, _entries),
    "collections.defaultdict": _made_when_asked,
}
"""What a container has in it when it is made."""


def _named_tuple(flow: Evaluator, binding: Binding) -> Values:
    """`namedtuple("Row", "question prediction")`, also with a list of the names."""
    node = binding.site.node.args[1:2] if binding.site is not None else []
    if not node:
        return one(Record(()))
    written = containers.constant(node[0])
    if isinstance(written, str):
        return one(Record(tuple(written.replace(",", " ").split())))
    parts = [containers.constant(part) for part in getattr(node[0], "elts", ())]
    return one(Record(tuple(part if isinstance(part, str) else "" for part in parts)))


def _getattr(flow: Evaluator, binding: Binding) -> Values:
    from react_migrate.flow import attributes  # it needs this module

    site = binding.site
    assert site is not None
    if len(site.node.args) < 2:
        return NOTHING
    name = containers.constant(site.node.args[1])
    values = flow.values(site.node.args[0], site.frame)
    if not isinstance(name, str):
        return one(Unknown("an attribute whose name is computed"))
    found = attributes.of_all(flow, values, name, site.node, site.frame)
    return found | arguments.nth(flow, binding, 2)


def _type(flow: Evaluator, binding: Binding) -> Values:
    """`type(x)`: the class of an object; `type("Name", (Base,), {})`: one that is as its bases are."""
    if binding.site is not None and len(binding.site.node.args) == 3:
        return containers.elements(flow, arguments.nth(flow, binding, 1))
    return frozenset(v.cls if isinstance(v, Instance) else v for v in arguments.first(flow, binding))


def _replaced(flow: Evaluator, binding: Binding) -> Values:
    """`dataclasses.replace(x, field=value)`."""
    return union([library.changed(flow, value, binding) for value in arguments.first(flow, binding)])


def _wraps(flow: Evaluator, binding: Binding) -> Values:
    return one(Library("functools.wraps(...)"))


def _field(flow: Evaluator, binding: Binding) -> Values:
    """`field(default_factory=f)`: what the factory makes."""
    factories = arguments.first(flow, binding, "default_factory")
    return _made_by(flow, factories, binding, "default_factory") or one(NoValue())


def _trajectory_of(flow: Evaluator, binding: Binding) -> Values:
    found = NOTHING
    for value in arguments.first(flow, binding):
        if isinstance(value, Prediction):
            found |= one(Trajectory(value.module, trail=value.trail))
        else:
            found |= one(Other("a trajectory"))
    return found


def _import_module(flow: Evaluator, binding: Binding) -> Values:
    """`importlib.import_module("agents")`."""
    from react_migrate.flow import names  # it needs this module

    site = binding.site
    name = containers.constant(site.node.args[0]) if site is not None and site.node.args else None
    if site is None or not isinstance(name, str) or name.startswith("."):
        return one(Unknown("a module whose name is computed"))
    return names.module_at(flow, flow.program.resolve(site.frame.file, name), name)


def _load(flow: Evaluator, binding: Binding) -> Values:
    return one(Unknown("a program loaded from disk"))


SPECIAL = {
    "functools.partial": _partial,
    "functools.partialmethod": _partial,
    "collections.namedtuple": _named_tuple,
    "functools.wraps": _wraps,
    "functools.wraps(...)": lambda flow, binding: arguments.first(flow, binding),
    "builtins.zip": _zip,
    "itertools.product": _zip,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_all,
    "builtins.enumerate": _enumerate,
    "builtins.getattr": _getattr,
    "builtins.type": _type,
    "asyncio.gather": _gather,
    "asyncio.wait": _wait,
    "dataclasses.field": _field,
    **dict.fromkeys(("dataclasses.replace", "copy.replace", "attr.evolve", "attrs.evolve"), _replaced),
    "pydantic.Field": _field,
    "attr.ib": _field,
    "react_shims.trajectory_of": _trajectory_of,
    "react_shims.repl_trajectory_of": _trajectory_of,
    "importlib.import_module": _import_module,
    "builtins.__import__": _import_module,
    "dspy.load": _load,
}
