"""The order of questions does not show: not in programs full of circles, whichever file comes first."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from rewriting import findings

IMPORTS = ("import {o}", "import {o}; from {o} import *", "import {o}; from {o} import x as x_{o}")
HEAD = """\
import dspy
{imports}
agent = dspy.ReAct("q -> a", tools=[])
cot = dspy.ChainOfThought("q -> a")
"""
CLASS = """\
class {name}({base}):
    shared = {shared}
    def __init__(self, a):
        self.held = {held}
    def run(self, q):
        self.held = {again}
        r = {r}
        r.trajectory
        return {result}
"""
FUNCTION = """\
def {name}(p):
    {body}
    v.trajectory
    return {result}
"""
BODIES = (
    "v = {0}",
    "for v in [{0}, {1}]: pass",
    "v = {0} if p else {1}",
    "v = [{0}]; v.append({1}); v = v[0]",
    "v = {{'a': {0}}}; v[p] = {1}; v = v['a']",
    "v = (lambda x: x)({0})",
    "v = next(iter([{0}]))",
    "v = y[0]",
)
TAIL = """\
x = {0}
x.trajectory
y = [x, {1}]
y += [{2}]
for z in y: z.trajectory
"""


class Programs:
    """Random programs of one to three files whose functions, classes and modules use each other."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.modules = [f"m{number}" for number in range(self.random.randint(1, 3))]
        self.functions = [(m, f"{m}_f{n}") for m in self.modules for n in range(self.random.randint(1, 3))]
        self.classes = [(m, f"{m}_C{n}") for m in self.modules for n in range(self.random.randint(0, 2))]

    def files(self) -> dict[str, str]:
        return {f"{module}.py": self.module(module) for module in self.modules}

    def module(self, module: str) -> str:
        others = [other for other in self.modules if other != module]
        imports = "\n".join(self.random.choice(IMPORTS).format(o=other) for other in others)
        parts = [HEAD.format(imports=imports)]
        for home, name in self.classes:
            if home == module:
                parts.append(self.cls(module, name))
        for home, name in self.functions:
            if home == module:
                one, two = self.value(module, "p"), self.value(module, "p")
                body = self.random.choice(BODIES).format(one, two)
                parts.append(FUNCTION.format(name=name, body=body, result=self.value(module, "p", "v")))
        return "".join(parts) + TAIL.format(*(self.value(module) for _ in range(3)))

    def cls(self, module: str, name: str) -> str:
        above = [(home, other) for home, other in self.classes if (home, other) < (module, name)]
        base = (
            self.qualified(module, self.random.choice(above)) if above and self.random.choice((0, 1)) else ""
        )
        return CLASS.format(
            name=name,
            base=base,
            shared=self.random.choice(("None", "agent", "agent(q=1)")),
            held=self.value(module, "a"),
            again=self.value(module, "q", "self.held"),
            r=self.value(module, "q", "self.held", "self.run(q)"),
            result=self.value(module, "r", "self.held", "self.run(r)"),
        )

    def value(self, module: str, *local: str) -> str:
        given = self.random.choice((*local, "agent", "agent(q=1)", "None"))
        function = self.qualified(module, self.random.choice(self.functions))
        known = [
            "agent(q=1)",
            "cot(q=1)",
            "x",
            "y[0]",
            "m0.x",
            "m1.agent(q=1)",
            "x_m0",
            "[agent(q=1)][0]",
            given,
        ]
        known += [f"{function}({given})"] * 6
        if self.classes:
            made = self.qualified(module, self.random.choice(self.classes))
            known += [
                f"{made}({given})",
                f"{made}(agent).run({given})",
                f"{made}(agent).held",
                f"{made}.shared",
            ]
        return self.random.choice(known)

    def qualified(self, module: str, thing: tuple[str, str]) -> str:
        home, name = thing
        return name if home == module else f"{home}.{name}"


@given(st.integers(0, 1 << 32), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_any_order_of_files_gives_the_same_findings(seed: int, order: random.Random) -> None:
    files = Programs(seed).files()
    names = sorted(files)
    shuffled = order.sample(names, len(names))
    assert findings(files, shuffled) == findings(files, names)


def test_the_programs_have_all_verdicts_in_them() -> None:
    fixes = set()
    for seed in range(40):
        files = Programs(seed).files()
        for said in findings(files, sorted(files)).values():
            fixes |= {one.fix.value for one in said if one.code == "RM201"}
    assert fixes == {"safe", "unsafe"}
