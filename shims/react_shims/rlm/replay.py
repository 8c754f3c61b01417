"""The configured adapter, showing an RLM's history to the model.

DSPy's adapters make messages of a history with the fields of the predictor's signature. An RLM's events hold
other ones: the run's own inputs and outputs, which the model knows from `variables_info` and from what it
submitted, and the entry. Up to DSPy 3.4 they would be shown as an assistant that says None. `replaying` gives
a copy of an adapter whose `format_conversation_history` shows each event in turn; for everything in it that
is a field of the signature it asks the adapter's own, so a user-made adapter formats as it always does.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from react_shims.rlm.foreign import REACT_FIELDS, react_signatures
from react_shims.rlm.installed import JSON_RETRY, REPLAY, dspy
from react_shims.rlm.parts import Parts, RunFields
from react_shims.wire.events import is_agent_event
from react_shims.wire.repl import ITERATION, VARIABLES_INFO, entry_of, is_repl_event

Messages: TypeAlias = list[dict[str, Any]]

REPL_OUTPUT = "repl_output"
_OUTPUT_SIGNATURE = dspy.Signature({REPL_OUTPUT: (str, dspy.InputField())})


def replaying(adapter: Any, fields: RunFields) -> Any:
    """A copy of the adapter that shows RLM's events.

    So do the adapter that ChatAdapter asks again with after a reply it cannot parse, and adapters that a
    user's own one keeps as attributes. What is no `dspy.Adapter` is left alone: it reads events itself.
    """
    if not isinstance(adapter, dspy.Adapter):
        return adapter
    copied = copy.copy(adapter)
    attributes = vars(copied)
    for name, value in vars(adapter).items():
        if isinstance(value, dspy.Adapter):
            attributes[name] = replaying(value, fields)
    attributes[REPLAY] = Replay(copied, getattr(adapter, REPLAY), fields)
    if hasattr(adapter, JSON_RETRY):
        make_retry = getattr(adapter, JSON_RETRY)
        attributes[JSON_RETRY] = lambda: replaying(make_retry(), fields)
    return copied


class Replay:
    """`adapter.format_conversation_history` of a replaying adapter."""

    def __init__(self, adapter: Any, own: Callable[..., Messages], fields: RunFields) -> None:
        self._adapter = adapter
        self._own = own  # the adapter's own method
        self._fields = fields

    def __call__(self, signature: Any, history_field_name: str, inputs: dict[str, Any]) -> Messages:
        """Messages of the history in `inputs`, which it is taken out of: DSPy's method does that, too."""
        if history_field_name not in inputs:
            return self._own(signature, history_field_name, inputs)
        history = inputs.pop(history_field_name)
        messages: Messages = []
        for event in history.messages:
            messages += self._shown(event, signature, history_field_name)
        return messages

    def _shown(self, event: Mapping[str, Any], signature: Any, name: str) -> Messages:
        if is_repl_event(event):
            return self._of_rlm(event, signature, name)
        if is_agent_event(event):
            return self._of_react(event, name)
        if VARIABLES_INFO in event or ITERATION in event:
            return self._as_ever(event, signature, name)  # made for this predictor, by a processor
        if not self._fields.has_one_of(event) and any(field in event for field in signature.fields):
            return self._as_ever(event, signature, name)
        return self._of_chat(event, signature)

    def _as_ever(self, event: Mapping[str, Any], signature: Any, name: str) -> Messages:
        return self._own(signature, name, {name: dspy.History.model_construct(messages=[event])})

    def _of_rlm(self, event: Mapping[str, Any], signature: Any, name: str) -> Messages:
        parts = self._fields.parts_of(event)
        entry = entry_of(event)
        if entry is None:
            return self._of_chat(event, signature)
        action = {**parts.request, "reasoning": entry["reasoning"], "code": entry["code"]}
        output = {REPL_OUTPUT: entry["output"]}
        content = self._adapter.format_user_message_content(_OUTPUT_SIGNATURE, output)
        return [*self._as_ever(action, signature, name), {"role": "user", "content": content}]

    def _of_chat(self, event: Mapping[str, Any], signature: Any) -> Messages:
        """Inputs and outputs without an entry: extracted ones, or those of something else than an RLM."""
        parts = self._fields.parts_of(event)
        return [*self._inputs(parts, signature), *self._outputs(parts)]

    def _of_react(self, event: Mapping[str, Any], name: str) -> Messages:
        inputs, signature = react_signatures(event)
        turn = {field: event[field] for field in REACT_FIELDS if field in event}
        messages = self._as_ever(turn, signature, name)
        if not inputs:
            return messages
        content = self._adapter.format_user_message_content(inputs, dict(event))
        return [{"role": "user", "content": content}, *messages]

    def _inputs(self, parts: Parts, signature: Any) -> Messages:
        content = self._adapter.format_user_message_content(signature, parts.request)
        return [{"role": "user", "content": content}] if content else []

    def _outputs(self, parts: Parts) -> Messages:
        if not parts.outputs:
            return []
        signature = self._fields.output_signature(parts.outputs)
        content = self._adapter.format_assistant_message_content(signature, parts.outputs)
        return [{"role": "assistant", "content": content}] if content else []
