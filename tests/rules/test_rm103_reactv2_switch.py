"""RM103: a choice between the engines that is plain collapses; any other is reported and stays whole."""

from __future__ import annotations

import pytest
from rewriting import check_noop, check_transformed


@pytest.mark.parametrize(
    "switch",
    [
        'dspy.ReActV2 if hasattr(dspy, "ReActV2") else dspy.ReAct',
        '(dspy.ReActV2 if hasattr(dspy, "ReActV2") else dspy.ReAct)',
        'dspy.ReAct if not hasattr(dspy, "ReActV2") else dspy.ReActV2',
        'getattr(dspy, "ReActV2", dspy.ReAct)',
        'getattr(dspy, "ReActV2", None) or dspy.ReAct',
    ],
)
def test_plain_ones_collapse(switch: str) -> None:
    after = "(ReAct)" if switch.startswith("(") else "ReAct"
    check_transformed(
        f"import dspy\n\nAgent = {switch}\nagent = Agent(dspy.Signature(s))\n",
        f"import dspy\nfrom react_shims import ReAct\n\nAgent = {after}\nagent = Agent(dspy.Signature(s))\n",
    )


def test_names_imported_in_other_ways() -> None:
    check_transformed(
        """
        import dspy as d
        from dspy import ReAct

        Agent = d.ReActV2 if hasattr(d, "ReActV2") else ReAct
        print(ReAct)
        """,
        """
        from dspy import ReAct
        from react_shims import ReAct as ShimReAct

        Agent = ShimReAct
        print(ReAct)
        """,
    )


@pytest.mark.parametrize(
    "switch",
    [
        'dspy.ReActV2 if hasattr(dspy, "ReActV2") else make_agent',
        'dspy.ReAct if hasattr(dspy, "ReActV2") else dspy.ReActV2',  # the other way round
        'dspy.ReActV2 if not hasattr(dspy, "ReActV2") else dspy.ReAct',
        'dspy.ReActV2 if hasattr(dspy, "ReActV2") else None',
        'partial(dspy.ReActV2, max_iters=3) if hasattr(dspy, "ReActV2") else dspy.ReAct',
        'getattr(dspy, "ReActV2", None)',
        'getattr(dspy, "ReActV2", None) or make_agent()',
        'getattr(dspy, "ReActV2", None) or mine or dspy.ReAct',
    ],
)
def test_others_are_reported_and_not_touched_at_all(switch: str) -> None:
    check_noop(f"import dspy\n\nAgent = {switch}\n", "app.py:3 RM103 manual")


def test_a_choice_of_statements_still_works_and_is_pointed_out() -> None:
    check_transformed(
        """
        import dspy

        if hasattr(dspy, "ReActV2"):
            Agent = dspy.ReActV2
        else:
            Agent = dspy.ReAct
        """,
        """
        import dspy
        from react_shims import ReAct

        if hasattr(dspy, "ReActV2"):
            Agent = ReAct
        else:
            Agent = dspy.ReAct
        """,
        "app.py:4 RM102 manual",
    )


def test_a_switch_on_something_else_called_dspy() -> None:
    check_noop(
        """
        class dspy:
            ReAct = None


        def choose():
            return dspy.ReActV2 if hasattr(dspy, "ReActV2") else dspy.ReAct
        """
    )
