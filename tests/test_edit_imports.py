"""Where names of react_shims are imported, and what becomes of the imports they replace."""

from __future__ import annotations

import textwrap

import pytest
from editing import migrate, moves

from react_migrate.edit import apply


def check(before: str, after: str) -> None:
    before, after = textwrap.dedent(before), textwrap.dedent(after)
    assert migrate(before) == after
    assert migrate(after) == after


def test_beside_dspy_in_isort_order() -> None:
    check(
        '''\
        """Doc."""

        from __future__ import annotations

        import os

        import dspy
        from pydantic import BaseModel
        from tqdm import tqdm

        from app import config

        print(agent(q=1).trajectory)
        print(dspy)
        ''',
        '''\
        """Doc."""

        from __future__ import annotations

        import os

        import dspy
        from pydantic import BaseModel
        from react_shims import trajectory_of
        from tqdm import tqdm

        from app import config

        print(trajectory_of(agent(q=1)))
        print(dspy)
        ''',
    )


def test_in_a_file_that_never_mentions_dspy() -> None:
    check(
        """\
        import json

        from .base import Metric

        def f(p):
            return json.dumps(p.trajectory)
        """,
        """\
        import json

        from react_shims import trajectory_of

        from .base import Metric

        def f(p):
            return json.dumps(trajectory_of(p))
        """,
    )


def test_third_party_section_without_dspy() -> None:
    check(
        """\
        import json

        import numpy as np
        from torch import nn

        x = p.trajectory
        """,
        """\
        import json

        import numpy as np
        from react_shims import trajectory_of
        from torch import nn

        x = trajectory_of(p)
        """,
    )


def test_first_in_its_section_takes_the_blank_line_above() -> None:
    check(
        """\
        import json

        # models
        from torch import nn

        x = p.trajectory
        """,
        """\
        import json

        from react_shims import trajectory_of
        # models
        from torch import nn

        x = trajectory_of(p)
        """,
    )


def test_a_file_without_imports() -> None:
    check("x = p.trajectory\n", "from react_shims import trajectory_of\n\nx = trajectory_of(p)\n")


def test_below_shebang_coding_line_and_licence_but_above_the_statement_s_own_comment() -> None:
    check(
        """\
        #!/usr/bin/env python
        # -*- coding: utf-8 -*-

        # what we need
        x = p.trajectory
        """,
        """\
        #!/usr/bin/env python
        # -*- coding: utf-8 -*-

        from react_shims import trajectory_of

        # what we need
        x = trajectory_of(p)
        """,
    )


def test_below_the_docstring() -> None:
    check(
        '"""Doc."""\nx = p.trajectory\n',
        '"""Doc."""\n\nfrom react_shims import trajectory_of\n\nx = trajectory_of(p)\n',
    )


def test_above_the_first_use_even_if_dspy_is_imported_below() -> None:
    check(
        """\
        import sys
        sys.path.append("..")
        x = p.trajectory
        import dspy
        dspy.configure()
        """,
        """\
        import sys

        from react_shims import trajectory_of

        sys.path.append("..")
        x = trajectory_of(p)
        import dspy
        dspy.configure()
        """,
    )


def test_after_code_that_the_import_of_dspy_waits_for() -> None:
    check(
        """\
        import sys
        sys.path.append("..")
        import dspy
        x = dspy.run().trajectory
        """,
        """\
        import sys
        sys.path.append("..")
        import dspy
        from react_shims import trajectory_of
        x = trajectory_of(dspy.run())
        """,
    )


@pytest.mark.parametrize("guard", ["if TYPE_CHECKING:", "try:"])
def test_not_into_a_conditional_block(guard: str) -> None:
    rest = "except ImportError:\n    raise\n" if guard == "try:" else ""
    before = f"import os\n{guard}\n    import dspy\n{rest}\nx = os.run(dspy).trajectory\n"
    after = (
        f"import os\n{guard}\n    import dspy\n{rest}\n"
        "from react_shims import trajectory_of\n\nx = trajectory_of(os.run(dspy))\n"
    )
    assert migrate(before) == after


def test_merged_into_an_existing_import() -> None:
    check(
        """\
        from react_shims import ReAct

        x = p.trajectory
        """,
        """\
        from react_shims import ReAct, trajectory_of

        x = trajectory_of(p)
        """,
    )


def test_merged_line_by_line_where_the_existing_import_is_so() -> None:
    check(
        """\
        from react_shims import (  # noqa: X
            ReAct,  # the agent
            load_history,  # stored
        )

        x = p.trajectory
        y = d.ReActV2
        """,
        """\
        from react_shims import (  # noqa: X
            ReAct,  # the agent
            load_history,  # stored
            trajectory_of,
        )

        x = trajectory_of(p)
        y = ReAct
        """,
    )


def test_merged_in_order_without_a_trailing_comma() -> None:
    check(
        "from react_shims import (ReAct,\n    zzz)\nx = p.trajectory\n",
        "from react_shims import (ReAct,\n    trajectory_of, zzz)\nx = trajectory_of(p)\n",
    )


def test_an_existing_import_below_the_use_does_not_help() -> None:
    check(
        """\
        x = p.trajectory
        from react_shims import trajectory_of
        """,
        """\
        from react_shims import trajectory_of

        x = trajectory_of(p)
        from react_shims import trajectory_of
        """,
    )


def test_the_package_s_own_name_is_used_when_the_file_has_it() -> None:
    check(
        "import react_shims as rs\nx = p.trajectory\n", "import react_shims as rs\nx = rs.trajectory_of(p)\n"
    )
    check("import react_shims\nx = p.trajectory\n", "import react_shims\nx = react_shims.trajectory_of(p)\n")


def test_an_alias_the_user_chose_is_used() -> None:
    check(
        "from react_shims import trajectory_of as t\nx = p.trajectory\n",
        "from react_shims import trajectory_of as t\nx = t(p)\n",
    )


@pytest.mark.parametrize(
    "binding",
    [
        "def trajectory_of(x): ...",
        "class trajectory_of: ...",
        "from helpers import trajectory_of",
        "import trajectory_of",
        "def f(trajectory_of): ...",
        "f = lambda trajectory_of: 1",
        "for trajectory_of in []: ...",
        "with open('x') as trajectory_of: ...",
        "try: ...\nexcept OSError as trajectory_of: ...",
        "x = [trajectory_of for trajectory_of in []]",
        "(trajectory_of := 3)",
        "def f():\n    global trajectory_of",
        "match x:\n    case {'a': trajectory_of}: ...",
        "match x:\n    case [*trajectory_of]: ...",
        "match x:\n    case {**trajectory_of}: ...",
        "del trajectory_of",
        "from helpers import *\ntrajectory_of(1)",
    ],
)
def test_a_name_that_the_file_uses_otherwise_is_not_taken(binding: str) -> None:
    after = migrate(f"import dspy\n{binding}\nx = dspy.run().trajectory\n")
    assert "from react_shims import trajectory_of as react_trajectory_of\n" in after
    assert set(binding.splitlines()) <= set(after.splitlines())
    assert after.endswith("\nx = react_trajectory_of(dspy.run())\n")


def test_classes_get_another_alias_and_aliases_are_not_taken_either() -> None:
    after = migrate("import dspy\nReAct = ShimReAct = 1\nx = dspy.ReActV2\ny = dspy.LM\n")
    assert "from react_shims import ReAct as ShimReAct_2\n" in after


def test_a_shadowed_import_of_the_shim_is_not_relied_on() -> None:
    after = migrate("from react_shims import trajectory_of\ndef f(trajectory_of):\n    return p.trajectory\n")
    assert after.startswith("from react_shims import trajectory_of, trajectory_of as react_trajectory_of\n")
    assert after.endswith("    return react_trajectory_of(p)\n")


# --- moving names ---


def test_the_statement_is_replaced_when_nothing_else_is_in_it() -> None:
    check(
        """\
        import dspy
        from dspy.predict.react_v2 import ReActV2  # the new one
        from rich import print

        print(dspy, ReActV2)
        """,
        """\
        import dspy
        from react_shims import ReAct as ReActV2  # the new one
        from rich import print

        print(dspy, ReActV2)
        """,
    )


def test_or_followed_when_there_is() -> None:
    check(
        """\
        from dspy import LM, ReActV2, Signature
        from zoo import z

        print(LM, ReActV2, Signature, z)
        """,
        """\
        from dspy import LM, Signature
        from react_shims import ReAct as ReActV2
        from zoo import z

        print(LM, ReActV2, Signature, z)
        """,
    )


PARENTHESES = [
    (
        "from dspy import (\n    LM,  # a\n    ReActV2,  # b\n)\n",
        "from dspy import (\n    LM,  # a\n)\nfrom react_shims import ReAct as ReActV2  # b\n",
    ),
    (
        "from dspy import (\n    ReActV2,  # b\n    # rest\n    LM,  # a\n)\n",
        "from dspy import (\n    # rest\n    LM,  # a\n)\nfrom react_shims import ReAct as ReActV2  # b\n",
    ),
    (
        "from dspy import (LM, ReActV2,\n    Tool)\n",
        "from dspy import (LM,\n    Tool)\nfrom react_shims import ReAct as ReActV2\n",
    ),
    (
        "from dspy import (LM,  # a\n    ReActV2)\n",
        "from dspy import (LM  # a\n)\nfrom react_shims import ReAct as ReActV2\n",
    ),
    (
        "from dspy import LM, \\\n    ReActV2\n",
        "from dspy import LM\nfrom react_shims import ReAct as ReActV2\n",
    ),
    (
        "from dspy import ReActV2, \\\n    LM\n",
        "from dspy import LM\nfrom react_shims import ReAct as ReActV2\n",
    ),
    (
        "from dspy import (ReActV2, LM,)\n",
        "from dspy import (LM,)\nfrom react_shims import ReAct as ReActV2\n",
    ),
    (
        "from dspy import (\n    ReActV2,\n)\n",
        "from react_shims import ReAct as ReActV2\n",
    ),
    (
        "from dspy import ReActV2 as V, ReActV2, LM\n",
        "from dspy import LM\nfrom react_shims import ReAct as ReActV2, ReAct as V\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), PARENTHESES)
def test_layout_and_comments_of_the_other_names_stay(before: str, after: str) -> None:
    assert migrate(before) == after


def test_semicolons() -> None:
    before = "def f():\n    import os; from dspy import ReActV2, LM; return ReActV2, LM, os\n"
    after = (
        "def f():\n    import os; from dspy import LM; from react_shims import ReAct as ReActV2; "
        "return ReActV2, LM, os\n"
    )
    check(before, after)


def test_a_line_of_semicolons_at_module_level_gets_the_import_above_it() -> None:
    check(
        "import os; from dspy import ReActV2; x = ReActV2, os\n",
        "from react_shims import ReAct as ReActV2\n\nimport os; x = ReActV2, os\n",
    )


def test_in_functions_and_blocks_it_stays_in_the_block() -> None:
    check(
        """\
        def f():
            # late
            from dspy import ReActV2, LM
            return ReActV2, LM

        if True:
            from dspy import ReActV2
        else: from dspy import ReActV2
        try:
            from dspy import ReActV2
        except ImportError:
            ReActV2 = None
        """,
        """\
        def f():
            # late
            from dspy import LM
            from react_shims import ReAct as ReActV2
            return ReActV2, LM

        if True:
            from react_shims import ReAct as ReActV2
        else: from react_shims import ReAct as ReActV2
        try:
            from react_shims import ReAct as ReActV2
        except ImportError:
            ReActV2 = None
        """,
    )


def test_a_name_that_just_goes_leaves_a_valid_block() -> None:
    before = (
        "def f():\n    # c\n    from dspy import ReActV2\n\n"
        "from dspy import ReActV2, LM\nif x: from dspy import ReActV2\n"
    )
    assert apply(before, moves(before, to=None)) == (
        "def f():\n    # c\n    pass\n\nfrom dspy import LM\nif x: pass\n"
    )


def test_a_function_that_imports_for_itself_needs_no_import_of_the_module() -> None:
    before = (
        "def f():\n    from dspy import ReActV2\n    import dspy as d\n    return ReActV2, d.ReActV2, d.LM\n"
    )
    assert migrate(before) == (
        "def f():\n    from react_shims import ReAct as ReActV2\n    import dspy as d\n"
        "    return ReActV2, ReActV2, d.LM\n"
    )


# --- imports that the edits leave without a use ---


def test_import_of_dspy_goes_with_its_last_use() -> None:
    check(
        "import os\n\nimport dspy\n\nx = dspy.ReActV2, os\n",
        "import os\n\nfrom react_shims import ReAct\n\nx = ReAct, os\n",
    )
    check(
        "import dspy as d, os\nx = d.ReActV2, os\n",
        "import os\nfrom react_shims import ReAct\nx = ReAct, os\n",
    )


def test_also_inside_a_function() -> None:
    check(
        "def f():\n    import dspy\n    return dspy.ReActV2\n",
        "import react_shims\n\n\ndef f():\n    return react_shims.ReAct\n",
    )


KEPT = {
    "another use": "import dspy\nx = dspy.ReActV2\ny = dspy\n",
    "never used": "import dspy\nx = p.trajectory\n",
    "exported": "import dspy\n__all__ = ['dspy']\nx = dspy.ReActV2\n",
    "re-exported": "import dspy as dspy\nx = dspy.ReActV2\n",
    "annotation": "import dspy\nx = dspy.ReActV2\ndef f(a: 'dspy.LM'): ...\n",
    "annotation in a generic": "import dspy\nx = dspy.ReActV2\na: list['dspy.LM'] = []\n",
    "cast": "import dspy\nx = dspy.ReActV2\na = cast('dspy.LM', x)\n",
    "type comment": "import dspy\nx = dspy.ReActV2\na = f()  # type: dspy.LM\n",
    "used in a function": "import dspy\nx = dspy.ReActV2\ndef f():\n    def g(): return dspy\n",
    "used in a default": "import dspy\nx = dspy.ReActV2\ndef f(dspy=dspy): return dspy\n",
    "used in a class": "import dspy\nx = dspy.ReActV2\nclass A:\n    dspy = dspy\n",
    "set by a function": "import dspy\nx = dspy.ReActV2\ndef f():\n    global dspy\n    dspy = None\n",
    "doctest": "'''\n>>> dspy.LM()\n'''\nimport dspy\nx = dspy.ReActV2\n",
    "noqa": "import dspy  # noqa: F401\nx = dspy.ReActV2\n",
    "feature test": "try:\n    import dspy\nexcept ImportError:\n    raise SystemExit\nx = dspy.ReActV2\n",
    "bound twice": "import dspy\nif x:\n    dspy = None\nx = dspy.ReActV2\n",
}


@pytest.mark.parametrize("before", KEPT.values(), ids=KEPT)
def test_import_of_dspy_stays(before: str) -> None:
    line = next(line for line in before.splitlines() if "import dspy" in line)
    assert line in migrate(before).splitlines()


def test_a_name_that_a_function_has_for_itself_is_no_use_of_the_module_s() -> None:
    before = "import dspy\nx = dspy.ReActV2\ndef f(dspy): return dspy\n"
    before += "def g():\n    import dspy\n    return dspy.LM\n"
    after = migrate(before)
    assert after.startswith("from react_shims import ReAct\n")
    assert after.count("import dspy") == 1


def test_every_import_stays_in_a_package_s_interface() -> None:
    before = "import dspy\nx = dspy.ReActV2\n"
    assert "import dspy\n" in migrate(before, keep_unused=True)


def test_mentioning_dspy_in_a_text_is_not_a_use() -> None:
    assert "import dspy" not in migrate("import dspy\nx = dspy.ReActV2, 'I use dspy'\n")


# --- what is not there is not invented ---


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_new_lines_end_as_the_others_do(newline: str) -> None:
    before = f"import dspy{newline}x = dspy.run().trajectory{newline}"
    lines = ["import dspy", "from react_shims import trajectory_of", "x = trajectory_of(dspy.run())", ""]
    assert migrate(before) == newline.join(lines)


def test_a_missing_final_newline_stays_missing() -> None:
    assert migrate("import dspy\nx = dspy.p.trajectory").endswith("x = trajectory_of(dspy.p)")
