"""What DSPy and the standard library give back, by the tables in `known.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from react_migrate.flow import arguments, calls, classes, containers, objects, standard, standins
from react_migrate.flow.frames import Binding
from react_migrate.flow.known import (
    CALLER_METHODS,
    CHANGING_METHODS,
    EVENT_LOOPS,
    MAPPERS,
    MODULES,
    ONE_OF,
    PLAIN_METHODS,
    RLM,
    RLM_MAY_PREDICT,
    RLM_PREDICTS,
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
from react_migrate.flow.layout import lay_out
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
    Other,
    Prediction,
    StandIn,
    Trajectory,
    Unknown,
    Value,
    Values,
    items,
    one,
    opened,
    union,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator

_RESULT = "dspy.evaluate.EvaluationResult"


def call(flow: Evaluator, value: Library, binding: Binding) -> Values:
    """What calling a library's function or class gives."""
    path = value.path
    if path in standard.CONTENTS:
        return standard.container(flow, path, binding)
    special = standard.SPECIAL.get(path)
    if special is not None:
        return special(flow, binding)
    if path in MODULES:
        return calls.step(one(Instance(value, binding.site, trail=value.trail)), binding, f"`{path}` is made")
    if path in STAND_INS:
        return standins.made(flow, binding)
    if path in ONE_OF:
        return containers.elements(flow, standard.first_or_all(flow, binding))
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
        return one(Other(f"the result of `{path}`"))
    if path.rpartition(".")[2][:1].isupper():
        return one(Instance(Library(path), binding.site))
    if is_handed_ours(flow, binding):
        return one(Unknown(f"`{path}` is handed it and may give back anything"))
    return gave(path, binding)


def gave(path: str, binding: Binding) -> Values:
    """What comes out of a library of which no table speaks."""
    what = f"the result of `{path}`"
    return one(Foreign(what, calls.is_asking(binding)) if is_foreign(path) else Other(what))


def of_something(flow: Evaluator, binding: Binding) -> Values:
    """What calling a thing gives that is known not to be DSPy's, as `namedtuple("Row", "pred")` is."""
    if is_handed_ours(flow, binding):
        return one(Unknown("a call is handed it and may give back anything"))
    return one(Other("the result of a call"))


def is_handed_ours(flow: Evaluator, binding: Binding) -> bool:
    """Whether a call passes anything that has to do with an agent, by itself or in a list."""
    given = lay_out(flow, binding)
    handed = union((*given.positional, *given.named.values()))
    listed = [containers.held(flow, value) for value in handed if isinstance(value, (Container, Items))]
    return any(is_ours(flow, value) for value in handed.union(*listed))


def changed(flow: Evaluator, value: Value, binding: Binding) -> Values:
    """A copy of a record with other values in some fields."""
    given = lay_out(flow, binding).named.values()
    inside = [containers.held(flow, v) for v in union(given) if isinstance(v, (Container, Items))]
    if any(is_ours(flow, each) for each in union((*given, *inside))):
        return one(Unknown("a copy of a record, with other values in it"))
    return one(value)


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
    if instance.made is not None and is_handed_ours(flow, Binding(instance.made)):
        return one(Unknown(f"an object of `{path}` is handed it and may give back anything"))
    return gave(path, binding)


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
    if isinstance(receiver, StandIn):
        return standins.method(flow, receiver, name, binding)
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
        if path in RLM and (name in RLM_PREDICTS or name in RLM_MAY_PREDICT):
            made = calls.step(one(Prediction(path, trail=receiver.trail)), binding, f"what `{name}` gives")
            return made | (one(Other("a `REPLHistory`")) if name in RLM_MAY_PREDICT else NOTHING)
        if name in PLAIN_METHODS or name.startswith("_"):
            return one(Other(f"the result of `.{name}()`"))
        return one(Unknown(f"`.{name}()` is not among what DSPy's modules are known to have"))
    if name in {"enter_context", "enter_async_context"} and binding.site is not None:
        entered = arguments.first(flow, binding, "cm")
        return objects.entered(flow, entered, binding.site.node, binding.site.frame)
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
    if name in CHANGING_METHODS:
        return changed(flow, receiver, binding)
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
