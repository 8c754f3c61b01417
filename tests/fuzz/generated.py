"""Strategies for code around reads of trajectories: every form of read in every place of Python's grammar.

The code is not meant to run, and a small part of it does not even compile.
"""

from __future__ import annotations

import textwrap

from hypothesis import strategies as st

RECEIVERS = [
    "r",
    "r",
    "agent(q=1)",
    "self.agent(q=1)",
    "(await agent.acall(q=1))",
    "Desk()(q=1)",
    "runs[0]",
    "make()(q=1)",
    "pred",
    "x",
    "preds[-1]",
    "rlm(d=1)",
    "None",
    "car",
    "d['k']",
    "module.run",
    "super().forward(q=1)",
    "p.r.s",
]
READS = [
    "{0}.trajectory",
    "{0}.trajectory",
    "{0}.trajectory",
    "{0}.trajectory",
    "{0}['trajectory']",
    "{0}.get('trajectory')",
    "{0}.get('trajectory', {{}})",
    "getattr({0}, 'trajectory')",
    "getattr({0}, 'trajectory', {0})",
    "hasattr({0}, 'trajectory')",
    "'trajectory' in {0}",
    "'trajectory' not in {0}",
    "{0} . trajectory",
    "{0}.trajectory.trajectory",
    "{0}.trajectory['observation_0'].trajectory",
    "{0}.toDict()",
    "dict({0})",
]
OTHERS = [
    "dspy.ReActV2",
    "dspy.ReActV2('q -> a', tools=[])",
    "V2",
    "ReActV2",
    "'dspy.ReActV2'",
    "trajectory_of(r)",
    "ReAct",
    "dspy.ReAct('q -> a', tools=[])",
    "isinstance(r, dspy.ReActV2)",
    "getattr(dspy, 'ReActV2', dspy.ReAct)",
    "1",
    "'é'",
    "dspy.RLM('d -> a', max_iterations=3)",
    "dspy.RLM('d -> a', interpreter=i)",
    "dspy.RLM('history -> trajectory', **{'max_iterations': 3})",
    "rlm.max_iterations",
    "rlm.generate_action(repl_history=r)",
    "repl_trajectory_of(r)[0]['code']",
    "dspy.CodeAct('q -> a', tools=[])",
]
EXPRESSIONS = [  # `{}` stands for an expression
    "({})",
    "[{}, {}]",
    "{{{}: {}}}",
    "{{*{}, {}}}",
    "({}, *{})",
    "lambda a={}: {}",
    "lambda: ({}, {})",
    "[a for a in {} if {}]",
    "{{a: {} for a, b in {}}}",
    "(a for a in {} for b in {})",
    "[{} async for a in {}]",
    "{} if {} else {}",
    "not {}",
    "({}) + {}",
    "-({}) ** {}",
    "({})[{}:{}]",
    "({})[{}, ...]",
    "({}) < {} != {}",
    "f({}, *{}, k={}, **{})",
    "({}).copy()",
    "(b := {})",
    "await ({})",
    "({}) and {}",
    "({}) or {}",
    "({}) is None",
    "(yield {})",
    "(\n    {}\n)",
    "({}  # why\n)",
    "({}\n    .real)",
    "print({}, sep={})",
    "(yield from {})",
    'f"{{{}}}"',
    'f"a {{{}!r:>{{{}}}}} b"',
    "f'''{{\n{}}}'''",
    'f"{{{}=}}"',
    'rf"\\{{{}}}"',
    "'%s' % ({},)",
]
STATEMENTS = [  # `{b}` stands for a block on lines of its own
    "{}",
    "{}",
    "{}",
    "a = {}",
    "a, (b, *c) = {}",
    "a = b = {}",
    "a: {} = {}",
    "a: 'dspy.ReActV2'",
    "a += {}",
    "r = {}",
    "pred = {}",
    "assert {}, {}",
    "raise {} from {}",
    "return {}",
    "del r.trajectory",
    "r.trajectory = {}",
    "r.trajectory[{}] = {}",
    "r['trajectory'] = {}",
    "a = {}; b = {}",
    "if {}: a = {}; b",
    "global r",
    "pass",
    "a[{}] = {}",
    "for a in {}:\n{b}\nelse:\n{b}",
    "while {}:\n{b}",
    "if {}:\n{b}\nelif {}:\n{b}\nelse:\n{b}",
    "with {} as r, {}:\n{b}",
    "try:\n{b}\nexcept ({}) as a:\n{b}\nfinally:\n{b}",
    "try:\n{b}\nexcept* OSError:\n{b}",
    "if 1:\n{b}",
    "def f(a, /, b={}, *c, d: {} = {}, **k) -> {}:\n{b}",
    "async def f(self, q):\n{b}",
    "def r(pred):\n{b}",
    "class C(dspy.ReAct, k={}):\n{b}",
    "@f({})\n@{}\nclass C(dspy.ReActV2):\n{b}",
    "@{}\nasync def g():\n{b}",
    "match {}:\n    case {{'trajectory': a}} if {}:\n        a\n    case [r, *_]:\n        {}",
    "match {}:\n    case dspy.ReActV2() | None:\n        {}",
    "async def f():\n    async with {} as r:\n        {}\n    async for r in {}:\n        {}",
    "{}  # {}",
    "class Lean(dspy.ReAct):\n    def truncate_trajectory(self, trajectory):\n        return {}",
    "class Lean(Base, dspy.ReAct):\n    async def truncate_trajectory(self, t, n=1): ...\n    x = {}",
    "class Desk(dspy.Module):\n    def __init__(self):\n        self.agent = {}\n    def forward(self): {}",
    "try:\n    from dspy import ReActV2\nexcept ImportError:\n    ReActV2 = {}",
    "from dspy import ReActV2 as V2, LM",
    "if TYPE_CHECKING:\n    from dspy import ReActV2",
    "from dspy.predict.react_v2 import ReActV2",
    "from dspy import *",
    "import dspy as d, os",
    "from react_shims import trajectory_of",
    "trajectory_of = {}",
    "__all__ = ['ReActV2', {}]",
    '"""Doc. r.trajectory"""',
    "lambda: {}",
    "x = {}; \\\n y = {}",
    "import dspy.predict",
    "def make(): return dspy.ReAct(q)",
]
HEADS = [
    "import dspy\n",
    "from __future__ import annotations\nimport dspy, os\n",
    '"""Doc."""\nimport dspy\nfrom dspy import ReAct\n',
    "from dspy import ReActV2, RLM\nimport dspy\n",
    "import os; import dspy\n",
    "",
]
AGENTS = [
    'agent = dspy.ReAct("q -> a", tools=[])\nr = agent(q=1)\n',
    'agent = dspy.ReAct("q -> a", tools=[])\nrlm = dspy.RLM("d -> a")\nruns = [agent(q=i) for i in "ab"]\n',
    "def ask(agent: dspy.ReAct, pred=None):\n    r = agent(q=1)\n    return r\n",
    'rlm = dspy.RLM("d -> a")\nr = rlm(d=1)\nruns = [r, rlm(d=2)]\n',
    'agent, rlm = dspy.ReAct("q -> a", tools=[]), dspy.RLM("q -> a")\nr = agent(q=1) if q else rlm(q=1)\n',
    "",
]


@st.composite
def expressions(draw: st.DrawFn, depth: int) -> str:
    """An expression with a read in it, or something else that the rules look at."""
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        if draw(st.integers(0, 3)) == 0:
            return draw(st.sampled_from(OTHERS))
        return draw(st.sampled_from(READS)).format(draw(st.sampled_from(RECEIVERS)))
    template = draw(st.sampled_from(EXPRESSIONS))
    return template.format(*(draw(expressions(depth - 1)) for _ in range(template.count("{}"))))


@st.composite
def blocks(draw: st.DrawFn, depth: int) -> str:
    """A few statements."""
    return "\n".join(draw(st.lists(statements(depth), min_size=1, max_size=3)))


@st.composite
def statements(draw: st.DrawFn, depth: int) -> str:
    """A statement, possibly with others in it."""
    template = draw(st.sampled_from(STATEMENTS))
    if depth == 0 and "{b}" in template:
        template = "{}"
    inner = textwrap.indent(draw(blocks(depth - 1)), "    ") if "{b}" in template else ""
    made = (draw(expressions(draw(st.integers(0, 2)))) for _ in range(template.count("{}")))
    return template.format(*made, b=inner)


@st.composite
def modules(draw: st.DrawFn) -> str:
    """A module: imports, perhaps an agent, and whatever."""
    head = draw(st.sampled_from(HEADS)) + draw(st.sampled_from(AGENTS))
    return head + draw(blocks(2)) + draw(st.sampled_from(["\n", "\n", ""]))
