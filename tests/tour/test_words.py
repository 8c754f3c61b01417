"""How the values that weaken no proof are called when a verdict is explained."""

from __future__ import annotations

from react_migrate.flow.judge import describe
from react_migrate.flow.values import NoValue, StandIn


def test_none_and_stand_ins_have_names_of_their_own() -> None:
    assert describe(NoValue()) == "`None`"
    assert describe(StandIn()) == "a prediction built by hand"
