"""Files that never mention DSPy, several imports away from an agent, and what is said of their reads."""

from __future__ import annotations

from rewriting import check_needs_unsafe, check_noop

AGENTS = """
    import dspy

    agent = dspy.ReAct("question -> answer", tools=[])
"""
DESK = """
    import agents
    import report
"""


def test_what_is_called_or_used_as_a_prediction_may_be_one() -> None:
    check_needs_unsafe(
        {
            "agents.py": AGENTS,
            "desk.py": DESK,
            "service.py": "import desk\n",
            "report.py": """
                import tables


                def length(result):
                    return len(result.trajectory)
            """,
            "tables.py": """
                import writing


                def rows(given):
                    return list(given.trajectory.items())
            """,
            "writing.py": "",
        },
        {
            "report.py": """
                import tables
                from react_shims import trajectory_of


                def length(result):
                    return len(trajectory_of(result))
            """,
            "tables.py": """
                import writing
                from react_shims import trajectory_of


                def rows(given):
                    return list(trajectory_of(given).items())
            """,
        },
        "report.py:5 RM201 unsafe",
        "tables.py:5 RM201 unsafe",
    )


def test_any_other_name_is_anybodys() -> None:
    check_noop(
        {
            "agents.py": AGENTS,
            "desk.py": DESK,
            "report.py": "import robots\n",
            "robots.py": """
                import driving


                def drive(car, result):
                    return car.trajectory, result.trajectory[0:3]
            """,
            "driving.py": "",
        }
    )


def test_nothing_ties_a_file_of_its_own_to_an_agent() -> None:
    check_noop(
        {
            "agents.py": AGENTS,
            "report.py": """
                def length(result):
                    return len(result.trajectory)
            """,
        }
    )
