"""The rules' own examples, which `react-migrate explain` shows, are true; and what all rules promise."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from rewriting import as_files, check_noop, check_transformed, rewrite

from react_migrate.finding import Fix
from react_migrate.report.rules import explained
from react_migrate.rules import Example, FileProblem, Rule, all_rules

RULES = [pytest.param(rule, id=rule.code) for rule in all_rules().values()]


def examples() -> Iterator[object]:
    for rule in all_rules().values():
        for number, example in enumerate(rule.examples):
            yield pytest.param(rule, example, id=f"{rule.code}-{number}")


@pytest.mark.parametrize(("rule", "example"), [*examples()])
def test_example(rule: Rule, example: Example) -> None:
    ast.parse(example.before)
    safe, unsafe = rewrite(example.before), rewrite(example.before, unsafe=True)
    codes = {line.split()[1] for line in (*safe.left, *safe.fixed)}
    assert (rule.code in codes) == example.finds
    if example.after is None:
        check_noop(example.before, *safe.left)
        check_noop(example.before, *safe.left, unsafe=True)
    elif example.unsafe:
        assert safe.files == as_files(example.before)
        check_transformed(example.before, example.after, *unsafe.left, unsafe=True)
    else:
        check_transformed(example.before, example.after, *safe.left)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_says_what_it_is(rule: Rule) -> None:
    first, blank, *rest = (rule.__doc__ or "").splitlines()
    assert first.startswith(f"{rule.code} ")
    assert blank == ""
    assert rest
    assert rule.summary[:1] not in ("", " ")
    assert not rule.summary.endswith(".")
    assert rule.code in explained(rule)


@pytest.mark.parametrize("rule", [p for p in RULES if not isinstance(p.values[0], FileProblem)])
def test_its_examples_show_all_it_can_do(rule: Rule) -> None:
    assert any(not example.finds for example in rule.examples) or rule.code in {"RM103", "RM202", "RM302"}
    shown = [example for example in rule.examples if example.finds]
    assert shown
    if rule.fix is Fix.MANUAL:
        assert all(example.after is None for example in shown)
    else:
        assert any(example.after is not None for example in shown)


@pytest.mark.parametrize("rule", [p for p in RULES if not isinstance(p.values[0], FileProblem)])
def test_a_file_that_it_speaks_about_has_one_of_its_triggers(rule: Rule) -> None:
    for example in rule.examples:
        if example.finds:
            assert any(trigger in example.before.encode() for trigger in rule.triggers)
