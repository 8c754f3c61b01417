"""RM201: `prediction.trajectory` becomes `trajectory_of(prediction)` wherever an expression can stand."""

from __future__ import annotations

import ast
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewriting import check_needs_unsafe, check_noop, check_transformed, rewrite

HEAD = 'import dspy\n\nagent = dspy.ReAct("q -> a", tools=[])\nr = agent(q=1)\n'
IMPORT = "from react_shims import trajectory_of\n"


def check_read(code: str, changed: str | None = None) -> None:
    """Every `r.trajectory` in the code changes, or the code becomes what is given."""
    code = textwrap.dedent(code).strip("\n") + "\n"
    changed = code.replace("r.trajectory", "trajectory_of(r)") if changed is None else changed
    after = textwrap.dedent(changed).strip("\n") + "\n"
    check_transformed(HEAD + code, HEAD.replace("\n", f"\n{IMPORT}", 1) + after)


@pytest.mark.parametrize(
    "code",
    [
        # statements
        "r.trajectory",
        "r.trajectory; r.trajectory",
        "x = y = r.trajectory",
        "x, y = r.trajectory, r.trajectory",
        "x, *y = r.trajectory",
        "x: dict = r.trajectory",
        "x: r.trajectory = 1",
        "x += r.trajectory",
        "x = *r.trajectory, 1",
        "assert r.trajectory, r.trajectory",
        "assert(r.trajectory)",
        'raise ValueError(r.trajectory) from r.trajectory["error"]',
        'del r.trajectory["thought_0"]',
        'r.trajectory["thought_0"] = ""',
        'r.trajectory["thought_0"] += "!"',
        'x[r.trajectory["thought_0"]] = 1',
        "for key, value in r.trajectory.items(): print(key, value)",
        "for key in(r.trajectory): print(key)",
        "while r.trajectory: break",
        "if x: r.trajectory\nelif r.trajectory: r.trajectory\nelse: r.trajectory",
        "with open(r.trajectory['path']) as f, log(r.trajectory) as g: pass",
        "try:\n    r.trajectory\nexcept kinds(r.trajectory):\n    r.trajectory\n"
        "else:\n    r.trajectory\nfinally:\n    r.trajectory",
        "match r.trajectory:\n    case {'thought_0': t} if r.trajectory:\n        r.trajectory",
        "match x:\n    case 1:\n        r.trajectory",
        # functions and classes
        "def f(t=r.trajectory, *, u=r.trajectory): return t",
        "def f() -> r.trajectory: pass",
        "def f(t: r.trajectory): pass",
        "def f(): return r.trajectory",
        "@register(r.trajectory)\ndef f(): pass",
        "@register(r.trajectory)\nclass C(base(r.trajectory), metaclass=meta(r.trajectory)):\n"
        "    t = r.trajectory\n    u = [r.trajectory for _ in x]\n\n    def m(self): return r.trajectory",
        "def f():\n    yield r.trajectory\n    yield from r.trajectory\n    return r.trajectory",
        "async def f():\n    await log(r.trajectory)\n    async for x in y(r.trajectory): pass\n"
        "    async with z(r.trajectory): pass\n    return [i async for i in q(r.trajectory)]",
        "def f():\n    def g():\n        return [lambda: (r.trajectory, [r.trajectory for k in x])]",
        # expressions
        "(t := r.trajectory)",
        "if (n := len(r.trajectory)) > 3: print(n)",
        "[k for k in r.trajectory if r.trajectory[k]]",
        "{k: r.trajectory for k in 'ab'}",
        "{k for x in 'ab' for k in r.trajectory}",
        "list(v for v in r.trajectory.values())",
        "f = lambda: r.trajectory",
        "f = lambda t=r.trajectory: t",
        "f = lambda x: (yield r.trajectory)",
        "f(*r.trajectory, **r.trajectory)",
        "f(r.trajectory, end=r.trajectory)",
        "[*r.trajectory], {**r.trajectory}",
        "r.trajectory[1:2], x[r.trajectory:]",
        "not r.trajectory, -r.trajectory",
        "x = not(r.trajectory)",
        "r.trajectory if r.trajectory else r.trajectory",
        "x = r.trajectory if(r.trajectory)else(r.trajectory)",
        "r.trajectory and r.trajectory or not r.trajectory",
        "r.trajectory < r.trajectory < 3",
        "'x' in r.trajectory, x in(r.trajectory)",
        "r.trajectory.x.y(r.trajectory).z[r.trajectory]",
        "(r.trajectory), ((r.trajectory)), ( r.trajectory )",
        "print('ünï', r.trajectory, '日本', r.trajectory)",
        'x = """\né""", r.trajectory',
        "print(\n    r.trajectory,  # what it did\n    r.trajectory\n)",
        # f-strings
        'print(f"{r.trajectory}")',
        'print(f"steps: {len(r.trajectory)//4}")',
        "print(f\"é {r.trajectory['é']} ü {r.trajectory}\")",
        "print(f\"{f'{r.trajectory}'}\")",
        'print(f"{r.trajectory!r:>{len(r.trajectory)}}")',
        "print(f\"{r.trajectory:{'>'}{10}}\")",
        'print(f"a" f"{r.trajectory}" "b" f"c{r.trajectory}")',
        "print(rf\"\\{r.trajectory}\", fR'\\{r.trajectory}')",
        'print(f"{(lambda: r.trajectory)()} {[r.trajectory for _ in x]} { {**r.trajectory} }")',
        'print(f"""\na {r.trajectory}\n  b {len(r.trajectory)\n     } {x}\n""")',
        'print("a" f"{r.trajectory}"\n      f"{r.trajectory}" "é"\n      f"""{x}\n{r.trajectory}""")',
    ],
)
def test_every_place(code: str) -> None:
    check_read(code)


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("(r).trajectory", "trajectory_of(r)"),
        ("r . trajectory", "trajectory_of(r)"),
        ("(r\n .trajectory)", "(trajectory_of(r))"),
        ("r\\\n.trajectory", "trajectory_of(r)"),
        ("(r  # the run\n .trajectory)", "(trajectory_of(r  # the run\n ))"),
        ("(r.  # the run\n trajectory)", "(trajectory_of(r  # the run\n ))"),
        ("(await_ or r).trajectory", None),
        ('r["trajectory"]', "trajectory_of(r)"),
        ("r['trajectory']['thought_0']", "trajectory_of(r)['thought_0']"),
        ('r [ "trajectory" ]', "trajectory_of(r)"),
        ('getattr(r, "trajectory")', "trajectory_of(r)"),
        ('getattr(\n    r,\n    "trajectory",\n)', "trajectory_of(r)"),
        ("(r := agent(q=2)).trajectory", "trajectory_of((r := agent(q=2)))"),
        ("(agent(q=2) if x else agent(q=3)).trajectory", "trajectory_of(agent(q=2) if x else agent(q=3))"),
        ("(agent\n (q=2)).trajectory", "trajectory_of(agent\n (q=2))"),
        ("agent(\n    q=2,\n).trajectory", "trajectory_of(agent(\n    q=2,\n))"),
        ("(lambda: agent(q=2))().trajectory", "trajectory_of((lambda: agent(q=2))())"),
        (
            'print(f"{r.trajectory} {{r.trajectory}}", "r.trajectory")  # r.trajectory',
            'print(f"{trajectory_of(r)} {{r.trajectory}}", "r.trajectory")  # r.trajectory',
        ),
    ],
)
def test_every_spelling(code: str, changed: str | None) -> None:
    if changed is None:
        check_noop(HEAD + code + "\n", "app.py:5 RM201 unsafe")
    else:
        check_read(code, changed)


def test_awaited() -> None:
    check_read(
        """
        async def f():
            x = (await agent.acall(q=1)).trajectory
            return await agent.acall(q=2), (await agent.acall(q=3))["trajectory"]
        """,
        """
        async def f():
            x = trajectory_of(await agent.acall(q=1))
            return await agent.acall(q=2), trajectory_of(await agent.acall(q=3))
        """,
    )


def test_a_finding_in_an_f_string_of_several_lines_knows_its_line() -> None:
    check_noop(
        """
        import dspy


        def f(pred, x):
            return f'''{x}
            {pred.trajectory} and
            {len(pred.trajectory)}''' f"{pred.trajectory}"
        """,
        "app.py:6 RM201 unsafe",
        "app.py:7 RM201 unsafe",
        "app.py:7 RM201 unsafe",
    )


def test_an_f_string_that_prints_its_own_text_is_left_to_a_human() -> None:
    check_noop(
        HEAD + 'print(f"{r.trajectory=}", f"{len(r.trajectory) = }", f"x={r.answer}")\n',
        "app.py:5 RM201 manual",
        "app.py:5 RM201 manual",
    )
    check_read('print(f"x={r.trajectory}")')


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("getattr(r, KEY)", "trajectory_of(r)"),
        ('getattr(r, KEY, None)["x"]', 'trajectory_of(r, None)["x"]'),
        ("r[KEY]", "trajectory_of(r)"),
        ("def f():\n    return r[KEY]", "def f():\n    return trajectory_of(r)"),
        ("[r[KEY] for _ in x]", "[trajectory_of(r) for _ in x]"),
    ],
)
def test_by_a_constant_of_the_module(code: str, changed: str) -> None:
    constant = 'KEY: str = "trajectory"\n'
    check_read(f"{constant}{code}", f"{constant}{changed}")


@pytest.mark.parametrize(
    "code",
    [
        'KEY = "trajectory"\nKEY = "a"\nr[KEY]',
        'KEY = "trajectory"\nfor KEY in r: r[KEY]',
        'KEY = "trajectory"\ndef f(KEY): return r[KEY]',
        'KEY = "trajectory"\n[r[KEY] for KEY in x]',
        'KEY = "trajectory"\ndef f():\n    global KEY\n    KEY = "a"\nr[KEY]',
        'KEY, OTHER = "trajectory", "a"\nr[OTHER]',
        'def f():\n    KEY = "trajectory"\nr[KEY]',
    ],
)
def test_a_name_that_is_no_such_constant(code: str) -> None:
    check_noop(HEAD + code + "\n")


def test_a_getter_of_the_attribute() -> None:
    code = (
        'import operator as o\nmap(o.attrgetter("trajectory"), [r])\n(o.attrgetter("trajectory"))(r)\no.add\n'
    )
    changed = "import operator as o\nmap(trajectory_of, [r])\n(trajectory_of)(r)\no.add\n"
    after = HEAD.replace("\n", f"\n{IMPORT}", 1) + changed
    check_needs_unsafe(HEAD + code, after, "app.py:6 RM201 unsafe", "app.py:7 RM201 unsafe")
    check_noop(f'{HEAD}from shop import attrgetter\n\nattrgetter("trajectory")\n')
    check_noop(f'{HEAD}from operator import attrgetter\n\nattrgetter("trajectory", "speed")\n')
    check_noop('from operator import attrgetter\n\nmap(attrgetter("trajectory"), cars)\n')


def test_a_pattern_that_asks_for_the_attribute() -> None:
    check_noop(
        HEAD
        + """
match r:
    case dspy.Prediction(trajectory={"thought_0": first}):
        print(first)
    case dspy.Prediction(answer="x") | dspy.Prediction(trajectory=steps) as whole:
        print(whole.answer)
match [r]:
    case [Run(trajectory=points)]:
        print(points)
match car:
    case Car(trajectory=points):
        print(points)
""",
        "app.py:7 RM201 manual",
        "app.py:9 RM201 manual",
    )


# --- collisions with what is inserted ---


@pytest.mark.parametrize(
    "taken",
    [
        "trajectory_of = 1",
        "def trajectory_of(x): return x",
        "def f(trajectory_of): pass",
        "for trajectory_of in []: pass",
        "import os as trajectory_of",
        "[trajectory_of for trajectory_of in []]",
        "print(trajectory_of)",
        "def f():\n    global trajectory_of\n    trajectory_of = 1",
        "match x:\n    case [*trajectory_of]: pass",
        "try: pass\nexcept E as trajectory_of: pass",
    ],
)
def test_an_alias_where_the_name_is_taken(taken: str) -> None:
    alias = "from react_shims import trajectory_of as react_trajectory_of\n"
    check_transformed(
        f"{HEAD}{taken}\nprint(r.trajectory)\n",
        HEAD.replace("\n", f"\n{alias}", 1) + f"{taken}\nprint(react_trajectory_of(r))\n",
    )


@pytest.mark.parametrize(
    ("imported", "call"),
    [
        ("from react_shims import trajectory_of", "trajectory_of(r)"),
        ("from react_shims import trajectory_of as t", "t(r)"),
        ("import react_shims", "react_shims.trajectory_of(r)"),
        ("import react_shims as shims", "shims.trajectory_of(r)"),
    ],
)
def test_an_import_that_is_there_is_used(imported: str, call: str) -> None:
    head = HEAD.replace("\n", f"\n{imported}\n", 1)
    check_transformed(f"{head}print(r.trajectory)\n", f"{head}print({call})\n")


def test_an_import_that_is_there_grows() -> None:
    before, after = "from react_shims import ReAct\n", "from react_shims import ReAct, trajectory_of\n"
    check_transformed(
        f"import dspy\n{before}\nr = ReAct(dspy.Signature(s), tools=[])(q=1)\nprint(r.trajectory)\n",
        f"import dspy\n{after}\nr = ReAct(dspy.Signature(s), tools=[])(q=1)\nprint(trajectory_of(r))\n",
    )


def test_reads_that_are_rewritten_already() -> None:
    check_noop(
        """
        import dspy
        from react_shims import has_trajectory, trajectory_of

        r = dspy.ReAct("q -> a", tools=[])(q=1)
        if has_trajectory(r):
            print(trajectory_of(r)["thought_0"], trajectory_of(r, {}))
        """
    )


def test_a_comment_keeps_a_line_as_it_is() -> None:
    check_noop(HEAD + "print(r.trajectory)  # react-migrate: ignore[RM201]\n")


# --- not of a ReAct prediction ---


@pytest.mark.parametrize(
    "code",
    [
        "r.a.trajectory",
        "r.trajectories",
        "r.history.trajectory",
        "r.trajectory_length, r._trajectory",
        'print("r.trajectory", r.a)',
        "agent.trajectory",
        "agent.react.trajectory",
        'dspy.Predict("q -> a")(q=1).trajectory',
        'dspy.ChainOfThought("q -> a")(q=1).trajectory',
        'dspy.CodeAct("q -> a", tools=[])(q=1).trajectory  # react-migrate: ignore[RM704]',
        "robot.plan(1).trajectory",
        "robot.trajectory",
        'robot["trajectory"]',
        "def f(self): return self.trajectory",
        "len([]).trajectory",
        "open('x').trajectory",
        "import json\njson.load(f).trajectory",
        "def f(car): return car.trajectory[-1]",
        "def f(car): return car.trajectory + [1]",
        "def f(car): return car.trajectory.points",
        "def f(record): return record['trajectory']",
    ],
)
def test_other_reads_in_a_file_with_agents(code: str) -> None:
    robot = "class Robot:\n    def plan(self, x):\n        return self\n\n\nrobot = Robot()\n"
    check_noop(f"{HEAD}{robot}{code}\n")


@pytest.mark.parametrize(
    "code",
    [
        "steps = robot.plan().trajectory.points",
        "def f(pred): return pred.trajectory",
        "result = run(); print(result.trajectory['thought_0'])",
        "def f(x): return x(question=1).trajectory.items()",
    ],
)
def test_a_file_that_has_nothing_to_do_with_dspy(code: str) -> None:
    check_noop(code + "\n")


# --- reads of which nothing is known, in a file with DSPy ---


@pytest.mark.parametrize(
    "receiver",
    [
        *(
            "pred",
            "anything",
            "preds[0]",
            "self.result",
            "x.prediction",
            'x["result"]',
            "run(question=q)",
            "x.run(q=q)",
        ),
    ],
)
def test_what_may_be_one_needs_unsafe(receiver: str) -> None:
    function = "def f(self, pred, anything, preds, x, q, run):"
    check_needs_unsafe(
        f"import dspy\n\n\n{function}\n    return {receiver}.trajectory\n",
        f"import dspy\n{IMPORT}\n\n{function}\n    return trajectory_of({receiver})\n",
        "app.py:5 RM201 unsafe",
    )


@pytest.mark.parametrize(
    "way",
    [
        "rows = [run(question=q)]\n    return rows[0].trajectory",
        "last = {'x': x.run(q=q)}\n    return last['x'].trajectory",
    ],
)
def test_what_was_called_like_a_module_is_followed(way: str) -> None:
    code = f"\n\ndef f(self, x, q, run):\n    {way}\n"
    changed = code.replace("return ", "return trajectory_of(").replace(".trajectory\n", ")\n")
    check_needs_unsafe(f"import dspy\n{code}", f"import dspy\n{IMPORT}{changed}", "app.py:6 RM201 unsafe")


def test_so_it_is_in_an_attribute() -> None:
    check_noop(
        """
        import dspy


        class Router(dspy.Module):
            def forward(self, name, q):
                self.last = getattr(self, name)(question=q)
                self.other = getattr(self, name)(q)
                return self.last.trajectory, self.other.trajectory
        """,
        "app.py:8 RM201 unsafe",
    )


@pytest.mark.parametrize("use", [".items()", ".get('thought_0')", "['tool_name_0']", "[f'thought_{i}']"])
def test_what_is_used_as_v1s_dict_needs_no_likely_name(use: str) -> None:
    check_needs_unsafe(
        f"import dspy\n\n\ndef f(x, i):\n    return x.y().trajectory{use}\n",
        f"import dspy\n{IMPORT}\n\ndef f(x, i):\n    return trajectory_of(x.y()){use}\n",
        "app.py:5 RM201 unsafe",
    )


# --- any mixture of f-strings, on every Python ---

_INSIDE = st.sampled_from(
    (
        "r.trajectory",
        "len(r.trajectory)",
        "(r.trajectory)",
        "[k for k in r.trajectory]",
        "(lambda: r.trajectory)()",
    )
)
_FIELD = st.tuples(_INSIDE, st.sampled_from(("", "!r", ":>10", ":{len(r.trajectory)}"))).map(
    lambda pair: "{" + "".join(pair) + "}"
)
_TEXT = st.sampled_from(("r.trajectory", "é", "日", "{{", "}}", " ", "\\\\", "x"))


@st.composite
def f_strings(draw: st.DrawFn) -> str:
    quote = draw(st.sampled_from(('"', "'", '"""', "'''")))
    parts = st.one_of(_FIELD, _TEXT, st.just("\n") if len(quote) == 3 else _TEXT)
    inside = "".join(draw(st.lists(parts, max_size=6)))
    return f"{draw(st.sampled_from(('f', 'rf', 'F')))}{quote}{inside} {quote}"


@given(st.lists(f_strings(), min_size=1, max_size=3), st.sampled_from((" ", "\n    ", " \\\n")))
def test_any_f_string(strings: list[str], between: str) -> None:
    code = f"{HEAD}print(é, {between.join(strings)})\n"
    after = rewrite(code).files["app.py"].replace(IMPORT, "")
    assert ast.dump(ast.parse(after)) == ast.dump(_Rewritten().visit(ast.parse(code)))


class _Rewritten(ast.NodeTransformer):
    """The same edit, made where positions do not matter."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if node.attr != "trajectory":
            return node
        return ast.Call(ast.Name("trajectory_of", ast.Load()), [node.value], [])
