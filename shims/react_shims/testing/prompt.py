"""What a request asks of the model: read from the prompt alone, as a real model has to.

DSPy's Chat, JSON and XML adapters all name the input and output fields in the system message, in the same
words, and the instructions after "your objective is". Which adapter it is shows in the structure it
prescribes there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Format = Literal["chat", "json", "xml"]

V1_FIELDS = ("next_thought", "next_tool_name", "next_tool_args")
_FIELD = re.compile(r"^\d+\. `(\w+)`", re.MULTILINE)
_CHAT_OBSERVATION = re.compile(
    r"\[\[ ## observation_\d+ ## \]\]\n(.*?)(?=\n\n\[\[ ## |\n\nRespond with |\Z)", re.DOTALL
)
_XML_OBSERVATION = re.compile(r"<(observation_\d+)>\n(.*?)\n</\1>", re.DOTALL)
_CHAT_RESULTS = re.compile(r"\A\[\[ ## tool_call_results ## \]\]\n(.*)\Z", re.DOTALL)
_XML_RESULTS = re.compile(r"\A<tool_call_results>\n(.*)\n</tool_call_results>\Z", re.DOTALL)


class ScriptError(AssertionError):
    """The program under test did not follow the plan, or hid from the model what it must show."""


@dataclass(frozen=True)
class Message:
    """One message of a request: its text, and the texts of native tool results in it."""

    role: str
    text: str
    results: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prompt:
    """A recorded request: the messages, the tools offered natively by name, and the tool whose call is
    forced.

    `escaped_xml`: whether the DSPy that asks reads `&lt;` in an XML reply as `<` (3.3.1 and later).
    """

    messages: tuple[Message, ...]
    tools: tuple[str, ...] = ()
    forced_tool: str | None = None
    escaped_xml: bool = True

    @property
    def system(self) -> str:
        return "\n".join(message.text for message in self.messages if message.role == "system")

    @property
    def text(self) -> str:
        """Everything after the system message, as one text."""
        parts = [part for m in self.messages if m.role != "system" for part in (m.text, *m.results) if part]
        return "\n\n".join(parts)


@dataclass(frozen=True)
class Ask:
    """What a prompt asks for.

    `kind`: the next step of V1 or V2, or plain output fields (V1's extractor, or any other predictor).
    `agent`: the instructions, which are the same in every format and so tell one predictor from another.
    `observations`: texts of the earlier observations that the prompt shows, oldest first, without white
    space around them, as DSPy strips it from the last one. There is one per tool call, or (`by_turn`) one per
    turn of V2, whose results stand in one text unless the adapter shows them as tool messages. It does so
    with `use_native_function_calling`, also for a model that must be asked in text.
    """

    kind: Literal["v1", "v2", "outputs"]
    format: Format
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    native: bool
    forced_submit: bool
    escaped_xml: bool
    agent: str
    observations: tuple[str, ...]
    by_turn: bool

    def __str__(self) -> str:
        if self.kind == "outputs":
            return f"the output fields {', '.join(self.outputs)}"
        generation = {"v1": "V1 (trajectory)", "v2": "V2 (history)"}[self.kind]
        return f"a forced submit of {generation}" if self.forced_submit else f"the next step of {generation}"


def read_prompt(prompt: Prompt) -> Ask:
    """Recognise the protocol and the format of a request.

    Raises `ScriptError` for requests that no DSPy Chat, JSON or XML adapter writes.
    """
    system = prompt.system
    before, found, rest = system.partition("Your output fields are:\n")
    if not found:
        raise ScriptError(
            "a script answers requests that ChatAdapter, JSONAdapter or XMLAdapter wrote; "
            f"this one is something else: {(system or prompt.text)[:200]!r}"
        )
    fields, _, structure = rest.partition("All interactions will be structured in the following way")
    structure, _, objective = structure.partition("In adhering to this structure, your objective is:")
    outputs = tuple(_FIELD.findall(fields))
    native = bool(prompt.tools)
    kind: Literal["v1", "v2", "outputs"] = "outputs"
    if set(V1_FIELDS) <= set(outputs):
        kind = "v1"
    elif "next_thought" in outputs and (native or "tool_calls" in outputs):
        kind = "v2"
    return Ask(
        kind=kind,
        format=_format(structure),
        inputs=tuple(_FIELD.findall(before)),
        outputs=outputs,
        native=native,
        forced_submit=prompt.forced_tool == "submit",
        escaped_xml=prompt.escaped_xml,
        agent=" ".join(objective.split()),
        observations=_history_observations(prompt) if kind == "v2" else _trajectory_observations(prompt),
        by_turn=kind == "v2" and not any(message.results for message in prompt.messages),
    )


def _format(structure: str) -> Format:
    if "Outputs will be a JSON object" in structure:
        return "json"
    return "chat" if "[[ ## completed ## ]]" in structure else "xml"


def _trajectory_observations(prompt: Prompt) -> tuple[str, ...]:
    """V1 writes its whole trajectory into the last message, with the markers of the configured adapter."""
    current = prompt.messages[-1].text
    found = _CHAT_OBSERVATION.findall(current) or [text for _, text in _XML_OBSERVATION.findall(current)]
    return tuple(text.strip() for text in found)


def _history_observations(prompt: Prompt) -> tuple[str, ...]:
    """V2 shows results as tool messages, or, in text, as user messages of their own."""
    found: list[str] = []
    for message in prompt.messages:
        found.extend(message.results)
        if message.role == "user":
            in_text = _CHAT_RESULTS.match(message.text) or _XML_RESULTS.match(message.text)
            found.extend(in_text.groups() if in_text else ())
    return tuple(text.strip() for text in found)
