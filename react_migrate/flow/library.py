"""What DSPy and the standard library give back, by the tables in `known.py`."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from react_migrate.flow import arguments, calls, classes, containers
from react_migrate.flow.frames import Binding
from react_migrate.flow.known import (
    CALLER_METHODS,
    EVENT_LOOPS,
    MAPPERS,
    MODULES,
    ONE_OF,
    RUN_METHODS,
    SAME_FIRST,
    SAME_METHODS,
    STAND_INS,
    STREAMS,
    TASKS,
    TO_ITEMS,
    TYPE_FIRST,
    WRAPPERS,
    is_dspy,
    is_foreign,
    keeps_nothing,
)
from react_migrate.flow.values import (
    NOTHING,
    Class,
    Container,
    Foreign,
    Function,
    Future,
    Instance,
    Items,
    Library,
    Method,
    NoValue,
    Other,
    Partial,
    Prediction,
    StandIn,
    Trajectory,
    Unknown,
    Value,
    Values,
    items,
    one,
    union,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator

_RESULT = "dspy.evaluate.EvaluationResult"


def call(flow: Evaluator, value: Library, binding: Binding) -> Values:
    """What calling a library's function or class gives."""
    path = value.path
    special = _SPECIAL.get(path)
    if special is not None:
        return special(flow, binding)
    if path in MODULES:
        return calls.step(one(Instance(value, binding.site, trail=value.trail)), binding, f"`{path}` is made")
    if path in STAND_INS:
        return one(StandIn())
    if path in ONE_OF:
        return containers.elements(flow, _first_or_all(flow, binding))
    if path in TO_ITEMS:
        return items(containers.elements(flow, arguments.first(flow, binding)))
    if path in SAME_FIRST:
        return arguments.first(flow, binding, SAME_FIRST[path])
    if path in TASKS:
        return one(Future(opened(arguments.first(flow, binding, TASKS[path]))))
    if path in EVENT_LOOPS:
        return one(Instance(value, binding.site))
    if path in TYPE_FIRST:
        return arguments.nth(flow, binding, 1)
    if path in STREAMS:
        return arguments.first(flow, binding, "program")
    if path in MAPPERS:
        return _mapped(flow, binding, MAPPERS[path])
    if is_dspy(path) and path.rpartition(".")[2][:1].isupper():
        return one(Instance(value, binding.site))
    return _unknown_call(flow, path, binding)


def _unknown_call(flow: Evaluator, path: str, binding: Binding) -> Values:
    """A call that is not in the tables: what it was handed, it may hand back."""
    if keeps_nothing(path):
        return gave(path)
    if path.rpartition(".")[2][:1].isupper():
        return one(Instance(Library(path), binding.site))
    if _is_handed_ours(flow, binding):
        return one(Unknown(f"`{path}` is handed it and may give back anything"))
    return gave(path)


def gave(path: str) -> Values:
    """What comes out of a library of which no table speaks."""
    what = f"the result of `{path}`"
    return one(Foreign(what) if is_foreign(path) else Other(what))


def _is_handed_ours(flow: Evaluator, binding: Binding) -> bool:
    """Whether a call passes anything that has to do with an agent."""
    given = arguments.lay_out(flow, binding)
    return any(is_ours(flow, value) for value in union((*given.positional, *given.named.values())))


def is_ours(flow: Evaluator, value: Value) -> bool:
    """Whether a value has to do with an agent: a module, its prediction, its trajectory."""
    if isinstance(value, Instance):
        cls = value.cls
        return (cls.path if isinstance(cls, Library) else classes.library_root(flow, cls)) in MODULES
    return isinstance(value, (Prediction, Trajectory))


def run_module(flow: Evaluator, instance: Instance, path: str, binding: Binding) -> Values:
    """What an object of a library's class gives when it is called."""
    if path in WRAPPERS and instance.made is not None:
        wrapped = arguments.first(flow, Binding(instance.made), WRAPPERS[path])
        return union(ran(flow, each) for each in wrapped)
    if path == "dspy.Parallel":
        return _parallel(flow, binding)
    if path == "dspy.Evaluate":
        return one(Instance(Library(_RESULT), binding.site))
    if path in MODULES and path != "dspy.Module":
        made = one(Prediction(path, trail=instance.trail))
        return calls.step(made, binding, "called: it gives a prediction")
    if path == "dspy.Module":
        return one(Unknown("a `dspy.Module` whose `forward` is not seen"))
    if instance.made is not None and _is_handed_ours(flow, Binding(instance.made)):
        return one(Unknown(f"an object of `{path}` is handed it and may give back anything"))
    return gave(path)


def ran(flow: Evaluator, value: Value) -> Values:
    """What a program gives when somebody else runs it."""
    return (
        calls.apply(flow, value, Binding(None))
        if isinstance(value, (Instance, Function, Method))
        else NOTHING
    )


def _parallel(flow: Evaluator, binding: Binding) -> Values:
    """`dspy.Parallel()([(program, example), ...])`: a list of the programs' predictions."""
    pairs = containers.elements(flow, arguments.first(flow, binding, "exec_pairs"))
    programs = containers.at(flow, pairs, 0)
    return items(union(ran(flow, program) for program in programs))


def method(flow: Evaluator, receiver: Value, name: str, binding: Binding) -> Values:
    """What calling a method of something that is not the project's gives."""
    if isinstance(receiver, (Container, Items)):
        return containers.method(flow, receiver, name, binding)
    if isinstance(receiver, Prediction):
        return _prediction_method(flow, receiver, name, binding)
    if isinstance(receiver, Instance):
        return _object_method(flow, receiver, name, binding)
    if isinstance(receiver, Future):
        return receiver.result if name == "result" else one(Other("the result of a future's method"))
    if isinstance(receiver, Trajectory):
        return one(Other("a part of a trajectory"))
    if isinstance(receiver, Method):
        return one(Unknown("the result of a method that is not followed"))
    return one(Other("the result of a method"))


def _prediction_method(flow: Evaluator, receiver: Prediction, name: str, binding: Binding) -> Values:
    if name in {"get", "pop"} and binding.site is not None and binding.site.node.args:
        if containers.constant(binding.site.node.args[0]) == "trajectory":
            return one(Trajectory(receiver.module, trail=receiver.trail)) | arguments.nth(flow, binding, 1)
        return one(Other("an output of a prediction"))
    if name in {"copy", "without", "with_inputs"}:
        return one(receiver)
    return one(Other("the fields of a prediction"))


def _object_method(flow: Evaluator, receiver: Instance, name: str, binding: Binding) -> Values:
    path = (
        receiver.cls.path if isinstance(receiver.cls, Library) else classes.library_root(flow, receiver.cls)
    )
    if path is None:
        return one(Unknown("the result of a method that is not seen"))
    if path in MODULES:
        if name in RUN_METHODS:
            if isinstance(receiver.cls, Class):
                return calls.run(flow, receiver, name, binding)
            return run_module(flow, receiver, path, binding)
        if name == "batch":
            return items(calls.run(flow, receiver, "__call__", Binding(None)))
        if name in SAME_METHODS:
            return one(receiver)
        return one(Other(f"the result of `.{name}()`"))
    if name == "create_task":
        return one(Future(opened(arguments.first(flow, binding, "coro"))))
    if name == "run_until_complete":
        return opened(arguments.first(flow, binding, "future"))
    if name == "compile" and is_dspy(path):
        return arguments.first(flow, binding, "student")
    if name in CALLER_METHODS:
        return _executor(flow, name, binding)
    if name in SAME_METHODS:
        return one(receiver)
    if name in {"result", "get", "join"} and receiver.made is not None:
        return one(Unknown(f"the result of `.{name}()`"))
    return _unknown_call(flow, f"{path}.{name}", binding)


def _executor(flow: Evaluator, name: str, binding: Binding) -> Values:
    """`pool.submit(f, x)` gives a future, `pool.map(f, xs)` the results."""
    own = CALLER_METHODS[name]
    functions = arguments.nth(flow, binding, own - 1)
    mapped = name in {"map", "imap", "starmap"}
    results = union(
        calls.apply(flow, function, replace(binding, skip=own, mapped=mapped)) for function in functions
    )
    return items(results) if mapped else one(Future(results))


def _mapped(flow: Evaluator, binding: Binding, kind: str) -> Values:
    functions = arguments.nth(flow, binding, 0)
    if kind == "thread":
        return union(calls.apply(flow, f, replace(binding, skip=1)) for f in functions)
    if kind == "filter":
        return items(containers.elements(flow, arguments.nth(flow, binding, 1)))
    return items(union(calls.apply(flow, f, replace(binding, skip=1, mapped=True)) for f in functions))


def _first_or_all(flow: Evaluator, binding: Binding) -> Values:
    """`max(xs)`, `max(a, b)`, `next(it)`."""
    site = binding.site
    if site is not None and len(site.node.args) > 1 and not isinstance(site.node.args[0], ast.Starred):
        given = arguments.lay_out(flow, binding)
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
    given = arguments.lay_out(flow, binding)
    columns = tuple(containers.elements(flow, values) for values in given.positional)
    if given.more_positional is not None:
        return items(items(union(columns) | containers.elements(flow, given.more_positional)))
    return items(one(Items(union(columns), columns)))


def _enumerate(flow: Evaluator, binding: Binding) -> Values:
    pair = (one(Other("a number")), containers.elements(flow, arguments.first(flow, binding)))
    return items(one(Items(union(pair), pair)))


def opened(values: Values) -> Values:
    """The values, with what futures give in the place of the futures."""
    return union(value.result if isinstance(value, Future) else one(value) for value in values)


def _gather(flow: Evaluator, binding: Binding) -> Values:
    given = arguments.lay_out(flow, binding)
    every = opened(union(given.positional) | (given.more_positional or NOTHING))
    fixed = tuple(map(opened, given.positional)) if given.more_positional is None else None
    return one(Items(every, fixed))


def _wait(flow: Evaluator, binding: Binding) -> Values:
    """`asyncio.wait(tasks)`: those that are done, and the others."""
    tasks = items(containers.elements(flow, arguments.first(flow, binding, "aws")))
    return one(Items(tasks, (tasks, tasks)))


def _dict(flow: Evaluator, binding: Binding) -> Values:
    given = arguments.lay_out(flow, binding)
    named = tuple(given.named.items())
    every = union(given.named.values())
    for value in union(given.positional):
        if isinstance(value, (Container, Items)):
            every |= containers.held(flow, value)
    return one(Items(every, None, named))


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


def _wraps(flow: Evaluator, binding: Binding) -> Values:
    return one(Library("functools.wraps(...)"))


def _field(flow: Evaluator, binding: Binding) -> Values:
    """`field(default_factory=f)`: what the factory makes."""
    factory = arguments.first(flow, binding, "default_factory")
    return union(calls.apply(flow, function, Binding(None)) for function in factory) or one(NoValue())


def _defaultdict(flow: Evaluator, binding: Binding) -> Values:
    return items(union(calls.apply(flow, f, Binding(None)) for f in arguments.first(flow, binding)))


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


_SPECIAL = {
    "functools.partial": _partial,
    "functools.wraps": _wraps,
    "functools.wraps(...)": lambda flow, binding: arguments.first(flow, binding),
    "builtins.zip": _zip,
    "itertools.product": _zip,
    "builtins.enumerate": _enumerate,
    "builtins.dict": _dict,
    "builtins.getattr": _getattr,
    "asyncio.gather": _gather,
    "asyncio.wait": _wait,
    "dataclasses.field": _field,
    "pydantic.Field": _field,
    "attr.ib": _field,
    "collections.defaultdict": _defaultdict,
    "react_shims.trajectory_of": _trajectory_of,
    "importlib.import_module": _import_module,
    "builtins.__import__": _import_module,
    "dspy.load": _load,
}
