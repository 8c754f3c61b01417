"""A scripted language model for testing agents on both generations of `dspy.ReAct`, without a network.

Write down once what the model does, and run the same program on DSPy 3.2 to 3.6:

    from react_shims.testing import Act, Call, Finish, Script

    script = Script([
        Act("Look it up.", Call("search", {"query": "capital of France"}, returns="Paris")),
        Finish("Found it.", {"answer": "Paris"}),
    ])
    with script:
        prediction = agent(question="What is the capital of France?")

The script recognises from each request what is asked, as a model would: V1's `next_tool_name` and its
extractor or V2's tool calls and `submit`, in the format of ChatAdapter, JSONAdapter or XMLAdapter, in text or
as native tool calls. It fails the run (`ScriptError`) when a prompt lacks an observation that the model has
already seen, when the program asks for something else than the plan's next step, when the plan is used up,
and when steps are left at the end.

On DSPy 3.4 and later `Script.lm` is a plain `dspy.LM` with a scripted engine, which 3.5 accepts too; before
3.4 it is a `dspy.BaseLM`. Importing this module imports no DSPy.
"""

from react_shims.testing.plan import (
    Act,
    Answer,
    Call,
    Finish,
    Garbled,
    NewRun,
    OutOfTurns,
    Overflow,
    Step,
)
from react_shims.testing.prompt import Message, Prompt, ScriptError
from react_shims.testing.script import Script

__all__ = [
    "Act",
    "Answer",
    "Call",
    "Finish",
    "Garbled",
    "Message",
    "NewRun",
    "OutOfTurns",
    "Overflow",
    "Prompt",
    "Script",
    "ScriptError",
    "Step",
]
