"""Code that nests, chains or repeats a thing very often: answered, or called unknown, in little time."""

from __future__ import annotations

import pytest
from judging import HEAD, build, values_of, verdicts
from rewriting import rewrite

from react_migrate.flow import judge, reaching

MANY = 500


def verdict_at_end(code: str) -> str:
    program = build(HEAD + code)
    (file,) = program.files.values()
    found = verdicts(file)
    return found[max(found)]


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        pytest.param(f"x{'.a' * MANY}.trajectory", "unknown", id="attributes of something"),
        pytest.param(f"agent{'.deepcopy()' * MANY}(q=1).trajectory", "proven", id="calls in a chain"),
        pytest.param(f"{'(' * 180}agent(q=1){')' * 180}.trajectory", "proven", id="parentheses"),
        pytest.param(f"{'f(' * 90}agent(q=1){')' * 90}.trajectory", "unknown", id="calls in calls"),
        pytest.param(f"({' or '.join(['agent(q=1)'] * MANY)}).trajectory", "proven", id="or"),
        pytest.param(f"({' + '.join(['[agent(q=1)]'] * MANY)})[0].trajectory", "proven", id="sums of lists"),
        pytest.param(f"({'agent(q=1) if x else ' * 90}agent(q=1)).trajectory", "proven", id="if in if"),
        pytest.param(f"{'[' * 90}agent(q=1){']' * 90}{'[0]' * 90}.trajectory", "proven", id="lists in lists"),
        pytest.param(
            f"({'lambda: ' * 80}agent(q=1)){'()' * 80}.trajectory", "proven", id="lambdas in lambdas"
        ),
        pytest.param(
            "r0 = agent(q=1)\n" + "".join(f"r{i + 1} = r{i}\n" for i in range(MANY)) + f"r{MANY}.trajectory",
            "proven",
            id="names of names",
        ),
        pytest.param(
            "def f0(): return agent(q=1)\n"
            + "".join(f"def f{i + 1}(): return f{i}()\n" for i in range(MANY))
            + f"f{MANY}().trajectory",
            "proven",
            id="functions that call the next",
        ),
        pytest.param(
            "if x: r = agent(q=0)\n"
            + "".join(f"elif x == {i}: r = agent(q={i})\n" for i in range(MANY))
            + "r.trajectory",
            "proven",
            id="elif",
        ),
        pytest.param(
            "".join(f"{'  ' * i}if x:\n" for i in range(90)) + f"{'  ' * 90}r = agent(q=1)\nr.trajectory",
            "proven",
            id="if in if, as statements",
        ),
        pytest.param(
            "r = cot(q=1)\n"
            + "".join(f"{'  ' * i}for x{i} in y:\n" for i in range(18))
            + f"{'  ' * 18}r = agent(q=1)\nr.trajectory",
            "mixed",
            id="loops in loops",
        ),
        pytest.param(
            "".join(f"{' ' * i}def f{i}():\n" for i in range(90)) + f"{' ' * 90}return agent(q=1).trajectory",
            "proven",
            id="functions in functions",
        ),
        pytest.param("r = agent(q=1)\nr.trajectory\n" * MANY, "proven", id="one name, many lives"),
        pytest.param(f"x = [{'agent, ' * 2000}]\nfor a in x: a(q=1).trajectory", "proven", id="a long list"),
        pytest.param(
            "x = []\n" + "x.append(agent(q=1))\n" * MANY + "x[0].trajectory", "proven", id="many appends"
        ),
        pytest.param(
            "".join(f"x{i} = []\nx{i}.append(agent(q=1))\n" for i in range(100)) + "x99[0].trajectory",
            "proven",
            id="many lists",
        ),
        pytest.param(
            f"x = {{{', '.join(f'{i!r}: {[str(i)] * 3}' for i in range(2000))}}}\nagent(q=1).trajectory",
            "proven",
            id="a table of data",
        ),
    ],
)
def test_much_of_it(code: str, verdict: str) -> None:
    assert verdict_at_end(code) == verdict


@pytest.mark.parametrize(
    "code",
    [
        "x = [agent(q=1)]\nfor i in y: x = x + [x]",
        "x = [agent(q=1)]\nfor i in y: x += [x]",
        "x = y = [agent(q=1)]\nfor i in z:\n    x = [*y, y + x]\n    y = [*x, x + y]",
        "def f(x): return list(zip(f(x), [agent(q=1)]))\nx = f(1)",
    ],
)
def test_containers_in_themselves_come_to_an_end(code: str) -> None:
    judgement = judge(values_of(f"{HEAD}{code}\nx = x[0]\nprint(x)\n"))
    assert not any("too intricate" in reason for reason in judgement.why)


def test_loops_in_loops_take_work_by_their_number_not_by_its_power(monkeypatch: pytest.MonkeyPatch) -> None:
    joins = 0
    join = reaching.join

    def counted(*environments: reaching.Environment | None) -> reaching.Environment | None:
        nonlocal joins
        joins += 1
        return join(*environments)

    def work(depth: int) -> int:
        nonlocal joins
        loops = "".join(f"{'  ' * i}for x{i} in y:\n" for i in range(depth))
        (file,) = build(f"{loops}{'  ' * depth}r = 1\n").files.values()
        joins = 0
        reaching.reaching_definitions(file.scope)
        return joins

    monkeypatch.setattr(reaching, "join", counted)
    assert work(18) < 10 * work(9)


def test_what_leads_too_deep_is_unknown() -> None:
    links = 3000
    code = (
        "def f0(r): r.trajectory\n"
        + "".join(f"def f{i + 1}(r): f{i}(r)\n" for i in range(links))
        + f"f{links}(agent(q=1))\n"
    )
    program = build(HEAD + code)
    (file,) = program.files.values()
    assert set(verdicts(file).values()) == {"unknown"}
    assert rewrite(HEAD + code).left == ["app.py:4 RM201 unsafe"]
    assert verdicts(file)  # the next question is answered as if there had been no trouble


def test_too_many_to_be_told_apart_are_unknown() -> None:
    classes = "".join(
        f"class C{i}(Base):\n    def make(self): return {'agent' if i % 2 else 'cot'}\n" for i in range(100)
    )
    base = "class Base:\n    def ask(self): return self.make()(q=1)\n"
    assert verdict_at_end(f"{base}{classes}def f(b: Base): b.ask().trajectory\n") == "unknown"
