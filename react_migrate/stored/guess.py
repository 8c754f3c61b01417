"""Which fields of a record are the inputs and outputs of the signature, when nobody says so.

Told by the fields' names and order alone, so that all records of a kind are treated alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from react_migrate.stored.fields import FieldPath


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The commonest names in public DSPy programs.
INPUTS = words(
    """
    question query input task prompt request user_request user_query user_input user_message instruction
    instructions goal problem topic
    """
)
OUTPUTS = words(
    """
    answer response output result final_answer process_result reply completion summary prediction report
    """
)
# What people store beside a run.
OTHERS = words(
    """
    id _id uid uuid run_id trace_id session_id user_id example_id task_id index idx split timestamp time date
    created created_at updated_at started_at finished_at duration latency elapsed cost usage tokens lm_usage
    model lm program version score scores metric metrics correct success passed label labels gold gold_answer
    expected expected_answer ground_truth target reference metadata meta tags error errors status comment
    feedback termination_reason history dspy_uuid dspy_split reasoning exact_match answer_exact_match em f1
    accuracy
    """
)
INPUT_GROUPS = ("inputs", "input", "example")
OUTPUT_GROUPS = ("outputs", "output", "prediction")
EXAMPLE, PREDICTED = "example_", "pred_"


class Guess(NamedTuple):
    """The inputs and outputs by name, each with the path of its value in the record."""

    inputs: Mapping[str, FieldPath]
    outputs: Mapping[str, FieldPath]


def guess(record: Mapping[str, Any], trajectory: FieldPath) -> Guess:
    """The inputs and outputs of the run whose trajectory is at a path in the record.

    - A group of fields, `{"inputs": {...}, "outputs": {...}}`, is taken whole.
    - V1's predictions have the order trajectory, reasoning, outputs: what follows are the outputs.
    - Otherwise fields with a usual name, such as `question`, beside the trajectory or at the top.
    - What stands before the trajectory in a record with known outputs are inputs.
    - `dspy.Evaluate` stores example, prediction and score in one object, with `example_` and `pred_` before a
      name that both have.
    Names of what people store beside a run, such as `id` or `score`, are never taken.
    """
    *way, name = trajectory
    holder: Any = record
    for key in way:
        holder = holder[key]
    beside = tuple(way)
    outputs = (
        group_fields(record, OUTPUT_GROUPS, beside)
        or _after_reasoning(list(holder), name, beside)
        or usual_fields(holder, OUTPUTS, beside)
        or usual_fields(record, OUTPUTS)
    )
    inputs = (
        group_fields(record, INPUT_GROUPS, beside, INPUTS)
        or usual_fields(holder, INPUTS, beside)
        or usual_fields(record, INPUTS)
        or (_before(record, trajectory[0]) if outputs else ())
    )
    is_evaluated = has_pairs(holder)
    if is_evaluated and outputs == _after_reasoning(list(holder), name, beside):
        outputs = without_score(outputs, holder)
    return Guess(
        {path[-1]: path for path in inputs},
        {path[-1].removeprefix(PREDICTED) if is_evaluated else path[-1]: path for path in outputs},
    )


def has_pairs(holder: Mapping[str, Any]) -> bool:
    """Whether the fields are those of `dspy.Evaluate`: some are an example's and a prediction's in one."""
    return any(
        key.startswith(PREDICTED) and EXAMPLE + key.removeprefix(PREDICTED) in holder for key in holder
    )


def without_score(outputs: tuple[FieldPath, ...], holder: Mapping[str, Any]) -> tuple[FieldPath, ...]:
    """The fields without the last one of `dspy.Evaluate`'s, whatever the metric is called."""
    *_, score = holder
    return tuple(path for path in outputs if path[-1] != score)


def _after_reasoning(keys: list[str], trajectory: str, prefix: FieldPath) -> tuple[FieldPath, ...]:
    after = keys[keys.index(trajectory) + 1 :]
    if after[:1] != ["reasoning"]:
        return ()
    return tuple((*prefix, key) for key in after[1:] if key not in OTHERS | INPUTS)


def usual_fields(
    fields: Mapping[str, Any], names: frozenset[str], prefix: FieldPath = ()
) -> tuple[FieldPath, ...]:
    """The fields that have one of the names, if they are no groups of fields themselves."""
    return tuple(
        (*prefix, key) for key, value in fields.items() if key in names and not isinstance(value, dict)
    )


def _before(record: Mapping[str, Any], trajectory: str) -> tuple[FieldPath, ...]:
    keys = list(record)
    before = keys[: keys.index(trajectory)]
    names = [key for key in before if key not in OTHERS | OUTPUTS and not key.startswith(EXAMPLE)]
    return tuple((key,) for key in names if not isinstance(record[key], (dict, list)))


def group_fields(
    record: Mapping[str, Any],
    names: tuple[str, ...],
    prefix: FieldPath,
    only: frozenset[str] | None = None,
) -> tuple[FieldPath, ...]:
    """The fields of the first nested object with one of the names; of an example only its likely inputs."""
    for name in names:
        group = record.get(name)
        if isinstance(group, dict) and (name,) != prefix:
            keys = [key for key in group if key not in OTHERS]
            if name == "example":  # it has the labels, too
                keys = [key for key in keys if only and key in only]
            if keys:
                return tuple((name, key) for key in keys)
    return ()
