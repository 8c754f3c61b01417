"""A file without a rule's triggers has no finding of it, whatever other rules look at the file."""

from __future__ import annotations

from rewriting import check_noop

_AGENT = """
    import dspy

    agent = dspy.ReAct("question -> answer", tools=[])
"""


def test_what_one_rule_looks_for_does_not_bring_in_the_others() -> None:
    check_noop(
        {
            "agents.py": _AGENT,
            "report.py": """
                from agents import agent

                interpreter = print
                interpreter(dict(agent(question="Who?")))
            """,
        }
    )


def test_a_dump_is_found_beside_a_trajectory() -> None:
    check_noop(
        {
            "agents.py": _AGENT,
            "report.py": """
                from agents import agent

                # the trajectory is in it
                print(dict(agent(question="Who?")))
            """,
        },
        "report.py:4 RM206 manual",
    )
