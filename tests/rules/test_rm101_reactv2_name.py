"""RM101: wherever DSPy's `ReActV2` is named, it becomes the shim's `ReAct`, and nothing else does."""

from __future__ import annotations

import pytest
from rewriting import check_noop, check_transformed

# --- import forms: the import goes, or takes the new name, and every use follows ---


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "import dspy\n\nagent = dspy.ReActV2(sig, tools=[])\n",
            "from react_shims import ReAct\n\nagent = ReAct(sig, tools=[])\n",
            id="attribute of dspy",
        ),
        pytest.param(
            "import dspy\n\nagent = dspy.ReActV2(dspy.Signature(s), tools=[])\n",
            "import dspy\nfrom react_shims import ReAct\n\nagent = ReAct(dspy.Signature(s), tools=[])\n",
            id="dspy is used otherwise",
        ),
        pytest.param(
            "import dspy as d\n\nagent = d.ReActV2(sig, tools=[])\n",
            "from react_shims import ReAct\n\nagent = ReAct(sig, tools=[])\n",
            id="dspy under an alias",
        ),
        pytest.param(
            "from dspy import ReActV2\n\nagent = ReActV2(sig, tools=[])\n",
            "from react_shims import ReAct\n\nagent = ReAct(sig, tools=[])\n",
            id="from dspy",
        ),
        pytest.param(
            "from dspy import ReActV2 as R\n\nagent = R(sig, tools=[])\n",
            "from react_shims import ReAct as R\n\nagent = R(sig, tools=[])\n",
            id="under an alias, which stays",
        ),
        pytest.param(
            "from dspy import Module, ReActV2, Tool\n\nprint(Module, ReActV2, Tool)\n",
            "from dspy import Module, Tool\nfrom react_shims import ReAct\n\nprint(Module, ReAct, Tool)\n",
            id="one of several names",
        ),
        pytest.param(
            """\
            from dspy import (
                Module,
                ReActV2,  # the new engine
            )

            print(Module, ReActV2)
            """,
            """\
            from dspy import (
                Module,
            )
            from react_shims import ReAct  # the new engine

            print(Module, ReAct)
            """,
            id="parenthesised, with a comment",
        ),
        pytest.param(
            "from dspy.predict import ReActV2\n\nagent = ReActV2(sig, tools=[])\n",
            "from react_shims import ReAct\n\nagent = ReAct(sig, tools=[])\n",
            id="from dspy.predict",
        ),
        pytest.param(
            "from dspy.predict.react_v2 import ReActV2 as V\n\nagent = V(sig, tools=[])\n",
            "from react_shims import ReAct as V\n\nagent = V(sig, tools=[])\n",
            id="from its own module",
        ),
        pytest.param(
            "import dspy.predict.react_v2\n\nagent = dspy.predict.react_v2.ReActV2(sig, tools=[])\n",
            "from react_shims import ReAct\n\nagent = ReAct(sig, tools=[])\n",
            id="its own module, by its full name",
        ),
        pytest.param(
            "from dspy.predict import react_v2\n\nagent = react_v2.ReActV2(sig, tools=[])\n",
            "from react_shims import ReAct\n\nagent = ReAct(sig, tools=[])\n",
            id="its own module, by its last name",
        ),
        pytest.param(
            "import dspy.predict.react_v2 as v2\n\nagent = v2.ReActV2(sig, tools=[])\n",
            "from react_shims import ReAct\n\nagent = ReAct(sig, tools=[])\n",
            id="its own module, under an alias",
        ),
        pytest.param(
            "from dspy import *\n\nagent = ReActV2(sig, tools=[])\n",
            "from dspy import *\nfrom react_shims import ReAct\n\nagent = ReAct(sig, tools=[])\n",
            id="star import",
        ),
        pytest.param(
            """\
            def build():
                from dspy import ReActV2

                return ReActV2(sig, tools=[])
            """,
            """\
            def build():
                from react_shims import ReAct

                return ReAct(sig, tools=[])
            """,
            id="inside a function",
        ),
        pytest.param(
            """\
            try:
                from dspy import ReActV2
            except ImportError:
                ReActV2 = None

            if ReActV2 is not None:
                agent = ReActV2(sig, tools=[])
            """,
            """\
            try:
                from react_shims import ReAct as ReActV2
            except ImportError:
                ReActV2 = None

            if ReActV2 is not None:
                agent = ReActV2(sig, tools=[])
            """,
            id="try, except ImportError",
        ),
        pytest.param(
            """\
            try:
                from dspy import ReActV2 as Agent
            except ImportError:
                from dspy import ReAct as Agent

            agent = Agent(sig, tools=[])
            """,
            """\
            try:
                from react_shims import ReAct as Agent
            except ImportError:
                from dspy import ReAct as Agent

            agent = Agent(sig, tools=[])
            """,
            id="try, with V1 instead",
        ),
        pytest.param(
            """\
            from __future__ import annotations

            from typing import TYPE_CHECKING

            if TYPE_CHECKING:
                from dspy import ReActV2


            def run(agent: ReActV2) -> None: ...
            """,
            """\
            from __future__ import annotations

            from typing import TYPE_CHECKING

            if TYPE_CHECKING:
                from react_shims import ReAct


            def run(agent: ReAct) -> None: ...
            """,
            id="for type checkers only",
        ),
    ],
)
def test_import_forms(before: str, after: str) -> None:
    check_transformed(before, after)


# --- uses ---


@pytest.mark.parametrize(
    "use",
    [
        "agent = {}(sig, tools=[])",
        "agent = ({})(sig, tools=[])",
        "class Mine({}):\n    pass",
        "class Mine(Base, {}, metaclass=meta({})):\n    agent: {}",
        "print(isinstance(agent, {}), issubclass(kind, (int, {})))",
        "print(type(agent) is {})",
        "make = partial({}, tools=[])",
        "kinds = [{}, *[{}]]",
        "kinds = [{} for _ in range(3) if {}]",
        "kinds = {{'new': {}, {}: 1}}",
        "print(f'{{{}}} {{{}!r:>{{{}}}}}')",
        "make = lambda kind={}: kind or {}",
        "(kind := {})",
        "@register({})\ndef build(kind={}, *, other: {} = {}) -> {}:\n    return {}",
        "async def build():\n    return await start({})",
        "build(ReActV2={})",
        "try:\n    pass\nexcept {} as error:\n    pass",
        "match agent:\n    case {}(tools=tools):\n        pass",
        "with {}(sig) as agent:\n    pass",
        "del kinds[{}]",
        "assert {}, {}",
        "agent = {} if new else other",
        "agent: list[{}]",
    ],
)
def test_every_place_of_an_expression(use: str) -> None:
    before, after = use.format(*["dspy.ReActV2"] * 6), use.format(*["ReAct"] * 6)
    check_transformed(f"import dspy\n\n{before}\n", f"from react_shims import ReAct\n\n{after}\n")


@pytest.mark.parametrize(
    "use",
    [
        'def run(agent: "{}") -> "{}": ...',
        'def run(*agents: "{}", **more: "list[{} | None]"): ...',
        'agent: "{}"',
        "agent: Optional['{}'] = None",
        'agent: """{}"""',
        'agent = cast("{}", thing)',
        'T = TypeVar("T", bound="{}")',
        'agent: Annotated["{}", "not a type"]',
    ],
)
@pytest.mark.parametrize("name", ["ReActV2", "dspy.ReActV2"])
def test_annotations_written_as_strings(use: str, name: str) -> None:
    imported = "import dspy" if "." in name else "from dspy import ReActV2"
    before, after = use.format(name, name), use.format("ReAct", "ReAct")
    check_transformed(f"{imported}\n\n{before}\n", f"from react_shims import ReAct\n\n{after}\n")


@pytest.mark.parametrize(
    "use",
    [
        'kind: Literal["{}"] = x',
        'agent: Annotated[int, "{}"]',
        'agent: Annotated[int, list["{}"]]',
    ],
)
def test_strings_in_annotations_that_are_no_types(use: str) -> None:
    """They are RM102's, and keep a name that they name."""
    check_noop(f"import dspy\n\n{use.format('dspy.ReActV2')}\n", "app.py:3 RM102 manual")
    check_transformed(
        f"from dspy import ReActV2\n\n{use.format('ReActV2')}\nprint(ReActV2)\n",
        f"from react_shims import ReAct as ReActV2\n\n{use.format('ReActV2')}\nprint(ReActV2)\n",
    )


def test_an_annotation_in_two_literals_is_left_rather_than_torn() -> None:
    check_noop(
        """
        import dspy


        def run(agent: "dspy.ReActV2 | "
                       "None"): ...
        """
    )


# --- the name stays where somebody else asks for it ---

KEPT = "from react_shims import ReAct as ReActV2\n"


@pytest.mark.parametrize(
    "rest",
    [
        '__all__ = ["ReActV2", "build"]',
        '__all__ = ["build"]\n__all__ += ["ReActV2"]',
        '__all__ = ["build"]\n__all__.append("ReActV2")',
        'print(globals()["ReActV2"])',
        "agent = ReActV2(sig)\ndel ReActV2",
        "def forget():\n    global ReActV2\n    del ReActV2",
        "if old:\n    ReActV2 = None",
        "for ReActV2 in kinds:\n    pass",
        "def build(ReActV2):\n    return ReActV2",
        "def build():\n    ReActV2 = 1\n    return ReActV2",
        "class ReActV2(ReActV2):\n    pass",
    ],
)
def test_a_name_that_is_more_than_an_import_is_kept(rest: str) -> None:
    check_transformed(f"from dspy import ReActV2\n\n{rest}\n", f"{KEPT}\n{rest}\n")


@pytest.mark.parametrize(
    "rest",
    [
        "old, new = ReAct(sig), ReActV2(sig)",  # a star import's, or nobody's: not ours to hide
        "ReAct = 1\nnew = ReActV2(sig)",
        "def build(ReAct):\n    return ReActV2(sig)",
        "def build():\n    ReAct = ReActV2(sig)\n    return ReAct",
        "class ReAct(ReActV2):\n    pass",
        "for ReAct in [ReActV2]:\n    pass",
    ],
)
def test_a_name_stays_when_the_new_one_means_something_else(rest: str) -> None:
    check_transformed(f"from dspy import ReActV2\n\n{rest}\n", f"{KEPT}\n{rest}\n")


def test_both_engines_from_dspy() -> None:
    check_transformed(
        "from dspy import ReAct, ReActV2\n\nold, new = ReAct(sig), ReActV2(sig)\n",
        """
        from dspy import ReAct
        from react_shims import ReAct as ReActV2

        old, new = ReAct(sig), ReActV2(sig)
        """,
    )


@pytest.mark.parametrize(
    ("imports", "other"),
    [
        ("", "def ReAct():\n    pass"),
        ("", "def build(ReAct):\n    pass"),
        ("", "class Any:\n    def run(self):\n        ReAct = 1"),
        ("", "try:\n    pass\nexcept Exception as ReAct:\n    pass"),
        ("", "[ReAct for ReAct in x]"),
        ("from dspy import ReAct\n", "print(ReAct)"),
        ("from dspy import *\n", "print(ReAct)"),
        ("import acting as ReAct\n", "print(ReAct)"),
    ],
)
def test_an_alias_where_the_new_name_is_taken(imports: str, other: str) -> None:
    shim = "from react_shims import ReAct as ShimReAct\n"
    check_transformed(
        f"import dspy\n{imports}\n{other}\nagent = dspy.ReActV2(dspy.Tool)\n",
        f"import dspy\n{imports}{shim}\n{other}\nagent = ShimReAct(dspy.Tool)\n",
    )


def test_both_names_taken() -> None:
    check_transformed(
        """
        import dspy

        ReAct = ShimReAct = 1
        agent = dspy.ReActV2(dspy.Tool)
        """,
        """
        import dspy
        from react_shims import ReAct as ShimReAct_2

        ReAct = ShimReAct = 1
        agent = ShimReAct_2(dspy.Tool)
        """,
    )


def test_an_import_of_the_shim_that_is_there_is_used() -> None:
    check_transformed(
        """
        import dspy
        from react_shims import ReAct, trajectory_of

        agents = [ReAct(dspy.Signature(s)), dspy.ReActV2(s)]
        print(trajectory_of(agents[0](q=1)))
        """,
        """
        import dspy
        from react_shims import ReAct, trajectory_of

        agents = [ReAct(dspy.Signature(s)), ReAct(s)]
        print(trajectory_of(agents[0](q=1)))
        """,
    )


# --- across files ---


def test_a_package_goes_on_exporting_the_name_and_its_users_stay() -> None:
    check_transformed(
        {
            "kit/__init__.py": "from dspy import ReActV2\n",
            "app.py": 'from kit import ReActV2\n\nagent = ReActV2("q -> a", tools=[])\n',
        },
        {"kit/__init__.py": "from react_shims import ReAct as ReActV2\n"},
    )


@pytest.mark.parametrize(
    "user",
    [
        'from names import ReActV2\n\nagent = ReActV2("q -> a", tools=[])\n',
        'from names import ReActV2 as R\n\nagent = R("q -> a", tools=[])\n',
        'from names import *\n\nagent = ReActV2("q -> a", tools=[])\n',
        'import names\n\nagent = names.ReActV2("q -> a", tools=[])\n',
        "import names\n\nnames.ReActV2 = Fake\n",
        'import names\n\n\ndef run(agent: "names.ReActV2"): ...\n',
        'from unittest import mock\n\nwith mock.patch("names.ReActV2"):\n    pass\n',
        'from unittest import mock\n\nimport names\n\nwith mock.patch.object(names, "ReActV2"):\n    pass\n',
        'import names\n\n\ndef test(monkeypatch):\n    monkeypatch.setattr(names, "ReActV2", 1)\n',
    ],
)
def test_a_module_keeps_the_name_that_another_takes_from_it(user: str) -> None:
    agent = 'agent = ReActV2("q -> a", tools=[])\n'
    check_transformed(
        {"names.py": f"from dspy import ReActV2\n\n{agent}", "user.py": user},
        {"names.py": f"{KEPT}\n{agent}"},
    )


def test_a_module_in_a_package_that_a_test_patches() -> None:
    check_transformed(
        {
            "kit/__init__.py": "",
            "kit/build.py": "from dspy import ReActV2\n\nagent = ReActV2(sig)\n",
            "tests/test_build.py": 'def test(patch):\n    patch.setattr("kit.build.ReActV2", 1)\n',
        },
        {"kit/build.py": f"{KEPT}\nagent = ReActV2(sig)\n"},
    )


def test_a_relative_import_takes_the_name() -> None:
    check_transformed(
        {
            "kit/__init__.py": "",
            "kit/names.py": "from dspy import ReActV2\n",
            "kit/user.py": "from . import names\nfrom .names import ReActV2 as R\n\nnames.ReActV2, R\n",
        },
        {"kit/names.py": KEPT},
    )


# --- where the import goes ---


def test_after_the_docstring_and_future_imports() -> None:
    check_transformed(
        '''
        """About agents."""

        from __future__ import annotations

        import os

        import dspy

        agent = dspy.ReActV2(os.environ, dspy.Signature)
        ''',
        '''
        """About agents."""

        from __future__ import annotations

        import os

        import dspy
        from react_shims import ReAct

        agent = ReAct(os.environ, dspy.Signature)
        ''',
    )


def test_one_import_for_all_rules() -> None:
    check_transformed(
        """
        import dspy

        result = dspy.ReActV2(dspy.Signature("q -> a"), tools=[])(q=1)
        print(result.trajectory)
        """,
        """
        import dspy
        from react_shims import ReAct, trajectory_of

        result = ReAct(dspy.Signature("q -> a"), tools=[])(q=1)
        print(trajectory_of(result))
        """,
    )


# --- where DSPy may be missing, or is imported late, the shim asks for it when it is needed ---


def test_an_optional_dspy() -> None:
    check_transformed(
        """
        import os

        try:
            import dspy
        except ImportError:
            dspy = None


        def build():
            result = dspy.ReActV2(os.environ, tools=[])(q=1)
            return result.trajectory
        """,
        """
        import os

        try:
            import dspy
        except ImportError:
            dspy = None

        import react_shims
        from react_shims import trajectory_of


        def build():
            result = react_shims.ReAct(os.environ, tools=[])(q=1)
            return trajectory_of(result)
        """,
    )


def test_a_late_import() -> None:
    check_transformed(
        """
        import os


        def build():
            import dspy

            return dspy.ReActV2(os.environ, tools=[])


        class Lazy:
            def build(self):
                from dspy import ReActV2

                return ReActV2(os.environ, tools=[])
        """,
        """
        import os

        import react_shims


        def build():
            return react_shims.ReAct(os.environ, tools=[])


        class Lazy:
            def build(self):
                from react_shims import ReAct

                return ReAct(os.environ, tools=[])
        """,
    )


def test_dspy_for_type_checkers_only() -> None:
    check_transformed(
        """
        from __future__ import annotations

        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            import dspy


        def run(agent: dspy.ReActV2, other: "dspy.ReActV2", lm: dspy.LM) -> None: ...
        """,
        """
        from __future__ import annotations

        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            import dspy

        import react_shims


        def run(agent: react_shims.ReAct, other: "react_shims.ReAct", lm: dspy.LM) -> None: ...
        """,
    )


def test_a_late_import_in_a_file_that_uses_the_shim() -> None:
    check_transformed(
        """
        from react_shims import trajectory_of


        def build():
            import dspy

            return dspy.ReActV2("q -> a", tools=[]), dspy.LM(trajectory_of)
        """,
        """
        import react_shims
        from react_shims import trajectory_of


        def build():
            import dspy

            return react_shims.ReAct("q -> a", tools=[]), dspy.LM(trajectory_of)
        """,
    )


# --- not ours ---


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("class ReActV2:\n    pass\n\n\nReActV2()\n", id="a class of one's own"),
        pytest.param("import mine\n\nmine.ReActV2()\n", id="somebody else's"),
        pytest.param("from mine import ReActV2\n\nReActV2()\n", id="imported from somebody else"),
        pytest.param("from .dspy import ReActV2\n\nReActV2()\n", id="a relative dspy"),
        pytest.param("def run(dspy):\n    return dspy.ReActV2()\n", id="a parameter called dspy"),
        pytest.param("import dspy\n\ndspy = wrap(dspy)\ndspy.ReActV2()\n", id="dspy rebound"),
        pytest.param("def run():\n    dspy = Fake()\n    return dspy.ReActV2()\n", id="a local called dspy"),
        pytest.param("[dspy.ReActV2 for dspy in fakes]\n", id="a comprehension's variable"),
        pytest.param("import dspy.ReActV2x\n\ndspy_ReActV2 = NoReActV2 = 1\n", id="longer names"),
        pytest.param('"""dspy.ReActV2 is new."""\n# dspy.ReActV2\nprint("use ReActV2")\n', id="prose"),
        pytest.param(
            'import sys\nimport types\n\ndspy = types.ModuleType("dspy")\ndspy.ReActV2 = object\n'
            'sys.modules["dspy"] = dspy\ndspy.ReActV2()\n',
            id="a fake put into sys.modules",
        ),
        pytest.param('agent: "ReActV2"\n\n\nclass ReActV2:\n    pass\n', id="a string for one's own class"),
        pytest.param("thing.ReActV2 = 1\nprint(thing.ReActV2)\n", id="an attribute of anything"),
    ],
)
def test_what_only_looks_like_it(code: str) -> None:
    check_noop(code)


def test_a_local_module_called_dspy() -> None:
    check_noop(
        {
            "dspy.py": "class ReActV2:\n    pass\n",
            "app.py": "import dspy\nfrom dspy import ReActV2\n\ndspy.ReActV2(), ReActV2()\n",
        }
    )


def test_a_fake_dspy_in_tests_is_the_tests_only() -> None:
    use = "import dspy\n\nprint(dspy.ReActV2)\n"
    check_transformed(
        {"tests/dspy.py": "class ReActV2:\n    pass\n", "tests/test_app.py": use, "app.py": use},
        {"app.py": "from react_shims import ReAct\n\nprint(ReAct)\n"},
    )


def test_a_vendored_dspy_is_nobodys_to_migrate() -> None:
    check_transformed(
        {
            "vendor/dspy/__init__.py": "from .predict import ReAct, ReActV2\n",
            "vendor/dspy/predict/__init__.py": "from .react import *\nfrom .react_v2 import ReActV2\n",
            "vendor/dspy/predict/react.py": "class ReAct:\n    pass\n",
            "vendor/dspy/predict/react_v2.py": "class ReActV2:\n    pass\n",
            "app.py": "import dspy\n\nprint(dspy.ReActV2)\n",
        },
        {"app.py": "from react_shims import ReAct\n\nprint(ReAct)\n"},
    )


# --- what is left for a human ---


def test_the_module_that_is_gone_too_is_reported_where_it_stays() -> None:
    check_transformed(
        """
        import dspy.predict.react_v2
        from dspy.predict.react_v2 import ReActV2, _helper

        print(dspy.Predict, ReActV2, _helper)
        """,
        """
        import dspy.predict.react_v2
        from dspy.predict.react_v2 import _helper
        from react_shims import ReAct

        print(dspy.Predict, ReAct, _helper)
        """,
        "app.py:1 RM101 manual",
        "app.py:2 RM101 manual",
    )


def test_replacing_the_class_in_dspy_is_reported() -> None:
    check_noop(
        """
        import dspy

        dspy.ReActV2 = Fake
        del dspy.ReActV2
        """,
        "app.py:3 RM101 manual",
        "app.py:4 RM101 manual",
    )
