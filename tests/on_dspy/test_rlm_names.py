"""Names that an RLM with a history needs itself are refused when it is made."""

from __future__ import annotations

import pytest
from rlm_runs import QUESTION, SUBMIT, InProcess, rlm, run

from react_shims.transition import v2_class

if v2_class():
    from react_shims import RLM

pytestmark = pytest.mark.dspy(">=3.3")


SIGNATURE = "context, query -> answer: int"


@pytest.mark.parametrize("name", ["history", "history_processor", "interpreter_factory"])
@pytest.mark.parametrize("kind", ["input", "output"])
def test_names_of_the_runtime_are_refused(name: str, kind: str) -> None:
    signature = f"{name}, query -> answer" if kind == "input" else f"query -> answer, {name}"
    with pytest.raises(ValueError, match=rf"{name}.*(reserved|Rename)") as refused:
        RLM(signature, interpreter_factory=InProcess)
    assert name in str(refused.value)


@pytest.mark.parametrize("name", ["repl_entry", "variables_info", "iteration", "react_migrate"])
def test_names_of_an_events_keys_are_refused(name: str) -> None:
    for kind, signature in (("input", f"{name}, query -> answer"), ("output", f"query -> answer, {name}")):
        with pytest.raises(ValueError, match=rf"{kind} field name\(s\) `{name}` are reserved by RLM"):
            RLM(signature, interpreter_factory=InProcess)


@pytest.mark.parametrize("name", ["repl_trajectory", "trajectory", "final_reasoning"])
def test_names_of_the_predictions_fields_are_refused_as_outputs(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        RLM(f"query -> answer, {name}", interpreter_factory=InProcess)
    RLM(f"{name}, query -> answer", interpreter_factory=InProcess)


def test_a_history_in_the_signature_is_told_where_it_belongs() -> None:
    with pytest.raises(ValueError, match="Take them out of the signature"):
        RLM("history: dspy.History, query -> answer", interpreter_factory=InProcess)


def test_what_dspy_refuses_is_refused_as_ever() -> None:
    agent = rlm()
    with pytest.raises(ValueError, match="Missing required inputs"):
        run(agent, [SUBMIT], context="c")
    with pytest.raises(ValueError, match="Unexpected inputs"):
        run(agent, [SUBMIT], **QUESTION, other=1)
