"""`describe_outputs=True`: what the model is told about the outputs, and what it may leave out.

V2's `submit` tells the model the outputs' types only. Here it also gets their descriptions and constraints,
outputs that have a default or may be None are optional, and a value of a near type (`"42"` for an int) is
taken as V1's extractor took it. The function behind the tool stays DSPy's.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Annotated, Any, get_args

import pydantic  # type: ignore[import-not-found,unused-ignore]

from react_shims.run import dspy


class DescribedSubmit(dspy.Tool):  # type: ignore[misc]
    """The `submit` tool of an agent, with outputs described by its signature."""

    _types: dict[str, Any] = pydantic.PrivateAttr(default_factory=dict)
    _defaults: dict[str, Any] = pydantic.PrivateAttr(default_factory=dict)

    def __call__(self, **outputs: Any) -> Any:
        return super().__call__(**self._completed(outputs))

    async def acall(self, **outputs: Any) -> Any:
        return await super().acall(**self._completed(outputs))

    def forget_types(self) -> None:
        """Keep only what the model is shown: the types can be classes of a local scope."""
        self._types, self._defaults = {}, {}

    def _completed(self, outputs: Mapping[str, Any]) -> dict[str, Any]:
        given = {name: _near(value, self._types.get(name, Any)) for name, value in outputs.items()}
        return {**self._defaults, **given}


def described_submit(tool: Any, output_fields: Mapping[str, Any]) -> DescribedSubmit:
    """The installed V2's submit tool, described. `output_fields`: the signature's, by name."""
    described = DescribedSubmit(
        tool.func,
        name=tool.name,
        desc=tool.desc,
        args={name: _schema(name, field) for name, field in output_fields.items()},
        arg_types={name: field.annotation for name, field in output_fields.items()},
    )
    described._types = {name: _constrained(field) for name, field in output_fields.items()}
    described._defaults = {
        name: _default(field) for name, field in output_fields.items() if _is_optional(field)
    }
    return described


def _schema(name: str, field: Any) -> dict[str, Any]:
    try:
        schema = dict(pydantic.TypeAdapter(_constrained(field)).json_schema())
    except pydantic.errors.PydanticInvalidForJsonSchema:
        # As DSPy does for types without a schema. A default is not checked where the schema has no type.
        schema = {} if _is_optional(field) else {"type": "string"}
    extra = field.json_schema_extra or {}
    desc = extra.get("desc") or ""
    texts = [
        desc if desc != f"${{{name}}}" else "",
        extra.get("constraints") or "",
    ]  # `${name}`: none was given
    description = ". ".join(text.rstrip(".") for text in texts if text)
    if description:
        schema["description"] = description
    if _is_optional(field):
        schema["default"] = pydantic.TypeAdapter(Any).dump_python(_default(field), mode="json", fallback=str)
    return schema


def _constrained(field: Any) -> Any:
    """The field's type with its constraints (`ge`, `max_length`, ...), as pydantic reads them."""
    parts = (field.annotation, *field.metadata)
    return Annotated[parts] if field.metadata else field.annotation


def _is_optional(field: Any) -> bool:
    return not field.is_required() or type(None) in get_args(field.annotation)


def _default(field: Any) -> Any:
    return None if field.is_required() else field.get_default(call_default_factory=True)


def _near(value: Any, wanted: Any) -> Any:
    """The value in JSON form, read as the wanted type if it can be; else as it is, for DSPy to refuse."""
    if wanted is str and isinstance(value, (int, float)):
        return str(value)
    adapter = pydantic.TypeAdapter(wanted)
    for read in (adapter.validate_python, adapter.validate_json):
        with contextlib.suppress(ValueError, TypeError):  # TypeError: no JSON text
            return adapter.dump_python(read(value), mode="json")
    return value
