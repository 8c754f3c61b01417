"""RM301: an override of `truncate_trajectory` stays, and the mixin goes on the topmost class with one."""

from __future__ import annotations

import pytest
from rewriting import check_noop, check_transformed

HOOK = "    def truncate_trajectory(self, trajectory):\n        return {}\n"


def check_bases(bases: str, changed: str, head: str = "import dspy\n") -> None:
    """`class Lean(bases)` with an override gets the changed bases."""
    check_transformed(
        f"{head}\n\nclass Lean({bases}):\n{HOOK}",
        f"{head}from react_shims import TruncationHook\n\n\nclass Lean({changed}):\n{HOOK}",
    )


@pytest.mark.parametrize(
    ("bases", "changed"),
    [
        ("dspy.ReAct", "TruncationHook, dspy.ReAct"),
        ("dspy.ReAct,", "TruncationHook, dspy.ReAct,"),
        ("dspy.ReAct, metaclass=Meta", "TruncationHook, dspy.ReAct, metaclass=Meta"),
        ("Base, dspy.ReAct", "Base, TruncationHook, dspy.ReAct"),
        ("Base, dspy.ReAct, dspy.Module", "Base, TruncationHook, dspy.ReAct, dspy.Module"),
        ("Generic[T], dspy.ReAct", "Generic[T], TruncationHook, dspy.ReAct"),
        ("\n    dspy.ReAct,  # the engine\n", "\n    TruncationHook, dspy.ReAct,  # the engine\n"),
    ],
)
def test_bases(bases: str, changed: str) -> None:
    check_bases(bases, changed)


@pytest.mark.parametrize(
    ("head", "base"),
    [
        ("import dspy as d\n", "d.ReAct"),
        ("from dspy import ReAct\n", "ReAct"),
        ("from dspy import ReAct as R\n", "R"),
        ("from dspy.predict.react import ReAct\n", "ReAct"),
        ("import dspy.predict\n", "dspy.predict.react.ReAct"),
        ("from dspy import *\n", "ReAct"),
    ],
)
def test_names_of_the_engine(head: str, base: str) -> None:
    check_bases(base, f"TruncationHook, {base}", head)


@pytest.mark.parametrize(
    "override",
    [
        "def truncate_trajectory(self, trajectory):\n        return dict(list(trajectory.items())[-8:])",
        "def truncate_trajectory(self, t):\n        return super().truncate_trajectory(t)",
        "def truncate_trajectory(self, trajectory, keep=3):\n        return {}",
        "def truncate_trajectory(self, *args, **more):\n        return {}",
        "def truncate_trajectory(self, trajectory, /) -> dict[str, object]:\n        return {}",
        "def truncate_trajectory(self, trajectory):\n        raise ValueError('no')",
        "def truncate_trajectory(self, t):\n        if t:\n            return {}\n        raise E",
        "def truncate_trajectory(self, trajectory):\n        return shorten(trajectory)",
        "@override\n    def truncate_trajectory(self, trajectory):\n        return {}",
        "def truncate_trajectory(self, t):\n        def inner():\n            return 1, 2\n        return {}",
    ],
)
def test_overrides_of_v1s_shape(override: str) -> None:
    check_transformed(
        f"import dspy\n\n\nclass Lean(dspy.ReAct):\n    {override}\n",
        f"import dspy\nfrom react_shims import TruncationHook\n\n\n"
        f"class Lean(TruncationHook, dspy.ReAct):\n    {override}\n",
    )


def test_once_on_the_topmost_class_that_overrides() -> None:
    check_transformed(
        f"""
import dspy


class Plain(dspy.ReAct):
    pass


class Lean(Plain):
{HOOK}

class Leaner(Lean):
{HOOK}

class Sibling(Plain):
{HOOK}

class Both(Leaner, Sibling):
{HOOK}""",
        f"""
import dspy
from react_shims import TruncationHook


class Plain(dspy.ReAct):
    pass


class Lean(TruncationHook, Plain):
{HOOK}

class Leaner(Lean):
{HOOK}

class Sibling(TruncationHook, Plain):
{HOOK}

class Both(Leaner, Sibling):
{HOOK}""",
    )


def test_the_resulting_classes_can_be_made() -> None:
    """The order of bases above is one that Python accepts."""
    hook, engine = type("TruncationHook", (), {}), type("ReAct", (), {})
    plain = type("Plain", (engine,), {})
    lean, sibling = type("Lean", (hook, plain), {}), type("Sibling", (hook, plain), {})
    both = type("Both", (type("Leaner", (lean,), {}), sibling), {})
    assert [cls.__name__ for cls in both.__mro__[:-1]] == [
        *("Both", "Leaner", "Lean", "Sibling", "TruncationHook", "Plain", "ReAct")
    ]


def test_an_override_that_a_plain_class_mixes_in() -> None:
    check_transformed(
        {
            "shorten.py": f"class Base:\n{HOOK}\n\nclass Shorten(Base):\n    pass\n",
            "app.py": "import dspy\nfrom shorten import Shorten\n\n\nclass Lean(Shorten, dspy.ReAct): pass\n",
        },
        {
            "app.py": "import dspy\nfrom react_shims import TruncationHook\nfrom shorten import Shorten\n\n\n"
            "class Lean(Shorten, TruncationHook, dspy.ReAct): pass\n",
        },
    )


def test_one_that_is_mixed_in_behind_the_engine_never_ran() -> None:
    check_noop(f"import dspy\n\n\nclass Shorten:\n{HOOK}\n\nclass Lean(dspy.ReAct, Shorten):\n    pass\n")


@pytest.mark.parametrize(
    "bases",
    [
        "dspy.Module",
        "dspy.RLM",
        "object",
        "Other",
        "dspy.ReActor",
        "TruncationHook, dspy.ReAct",
        "dspy.ReAct()",
    ],
)
def test_other_classes(bases: str) -> None:
    head = "import dspy\nfrom react_shims import TruncationHook\n\nprint(TruncationHook)\n"
    check_noop(f"{head}\n\nclass Lean({bases}):\n{HOOK}")


MADE = """\
def make(base):
    class Lean(base):
        def truncate_trajectory(self, trajectory):
            return {}

    return Lean


make(dspy.ReAct)
"""


@pytest.mark.parametrize(
    ("parameter", "call"),
    [("base: type[dspy.ReAct]", "make(dspy.ReAct)"), ("base", "make(dspy.ReAct), make(Short)")],
)
def test_a_base_that_may_have_the_mixin_already(parameter: str, call: str) -> None:
    short = f"class Short(dspy.ReAct):\n{HOOK}"
    hooked = short.replace("dspy.ReAct", "TruncationHook, dspy.ReAct")
    made = MADE.replace("make(base)", f"make({parameter})").replace("make(dspy.ReAct)", call)
    before, after = "import dspy\n\n\n", "import dspy\nfrom react_shims import TruncationHook\n\n\n"
    check_transformed(f"{before}{short}{made}", f"{after}{hooked}{made}", "app.py:10 RM301 manual")


def test_a_base_that_every_call_passes() -> None:
    after = MADE.replace("Lean(base)", "Lean(TruncationHook, base)")
    check_transformed(f"import dspy\n{MADE}", f"import dspy\nfrom react_shims import TruncationHook\n{after}")


def test_a_name_that_is_taken() -> None:
    check_transformed(
        f"import dspy\n\n\nclass TruncationHook:\n    pass\n\n\nclass Lean(dspy.ReAct):\n{HOOK}",
        "import dspy\nfrom react_shims import TruncationHook as ShimTruncationHook\n\n\n"
        f"class TruncationHook:\n    pass\n\n\nclass Lean(ShimTruncationHook, dspy.ReAct):\n{HOOK}",
    )


def test_a_class_inside_a_function_or_a_class() -> None:
    inside = (
        "    class Lean({}):\n        def truncate_trajectory(self, trajectory):\n            return {{}}\n"
    )
    before, after = inside.format("dspy.ReAct"), inside.format("TruncationHook, dspy.ReAct")
    for outer in ("def build():\n", "class Outer:\n"):
        check_transformed(
            f"import dspy\n\n\n{outer}{before}",
            f"import dspy\nfrom react_shims import TruncationHook\n\n\n{outer}{after}",
        )
