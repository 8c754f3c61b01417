"""What in an event of an RLM's history is an input, what an output, and what the model was asked with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from react_shims.rlm.installed import dspy, repl_types
from react_shims.wire.marker import EVENT_KEY
from react_shims.wire.repl import ITERATION, REPL_ENTRY, REPL_KEYS, VARIABLES_INFO

_NO_FIELDS = REPL_KEYS | {EVENT_KEY}


class Parts(NamedTuple):
    """An event, taken apart."""

    request: dict[str, Any]
    """What the action predictor was called with: `variables_info`, and `iteration` if that is known."""
    outputs: dict[str, Any]


class RunFields:
    """The fields of an RLM's signature, by which the events of its history are read."""

    def __init__(self, signature: Any) -> None:
        self._inputs: Mapping[str, Any] = signature.input_fields
        self._outputs: Mapping[str, Any] = signature.output_fields
        self._signatures: dict[tuple[str, ...], Any] = {}

    def parts_of(self, event: Mapping[str, Any]) -> Parts:
        """The event's parts. An event without `variables_info` gets what DSPy would say of its inputs now.

        Inputs can be of any size. The model sees them as variables of its REPL, of which `variables_info`
        shows the beginning and the end; it never sees them whole.
        """
        outputs = {name: event[name] for name in self._names(event) if self._is_output(name, event)}
        request = {name: event[name] for name in (VARIABLES_INFO, ITERATION) if name in event}
        inputs = [name for name in self._names(event) if name not in outputs]
        if inputs and VARIABLES_INFO not in event:
            request = {VARIABLES_INFO: [self._described(name, event[name]) for name in inputs], **request}
        return Parts(request, outputs)

    def has_one_of(self, event: Mapping[str, Any]) -> bool:
        """Whether the event has an input or an output of this RLM's."""
        return any(name in self._inputs or name in self._outputs for name in event)

    def without_inputs(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """The event as far as the model is shown it."""
        if VARIABLES_INFO not in event:
            return dict(event)
        return {name: value for name, value in event.items() if name not in self._inputs}

    def output_signature(self, names: Iterable[str]) -> Any:
        """A signature with these outputs only."""
        key = tuple(names)
        if key not in self._signatures:
            fields = {name: self._output_field(name) for name in key}
            self._signatures[key] = dspy.Signature(fields)
        return self._signatures[key]

    def _output_field(self, name: str) -> tuple[Any, Any]:
        field = self._outputs.get(name)
        return (field.annotation, field) if field is not None else (Any, dspy.OutputField())

    def _names(self, event: Mapping[str, Any]) -> list[str]:
        return [name for name in event if name not in _NO_FIELDS]

    def _is_output(self, name: str, event: Mapping[str, Any]) -> bool:
        """By the signature; what that does not know (another RLM's) by its place, behind the entry."""
        if name in self._outputs or name in self._inputs:
            return name in self._outputs
        names = list(event)
        return REPL_ENTRY in event and names.index(name) > names.index(REPL_ENTRY)

    def _described(self, name: str, value: Any) -> str:
        info = self._inputs.get(name)
        text: str = repl_types.REPLVariable.from_value(name, value, field_info=info).format()
        return text
