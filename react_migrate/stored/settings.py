"""What the command was asked to do with each record."""

from __future__ import annotations

from dataclasses import dataclass

HISTORY = "history"
TRAJECTORY = "trajectory"
REPL_TRAJECTORY = "repl_trajectory"  # what an RLM's prediction calls it from DSPy 3.5 on


@dataclass(frozen=True)
class Settings:
    """The options that decide how one record is converted; the same for all records of a command.

    reverse: from histories back to trajectories.
    trajectory: the field that holds the trajectory, if it is not to be searched for; with `reverse` the name
        the field gets where the history does not remember one.
    history_field: the name of the field that takes the trajectory's place; with `reverse` where to find it.
    inputs, outputs: the fields whose values are the signature's inputs and outputs; None: guess.
    kind: the trajectory's shape (a name from `shapes.KINDS`), if it is not to be recognised.

    Fields are named by their key, or by a path of keys with dots, `prediction.trajectory`.
    """

    reverse: bool = False
    trajectory: str | None = None
    history_field: str = HISTORY
    inputs: tuple[str, ...] | None = None
    outputs: tuple[str, ...] | None = None
    kind: str | None = None
