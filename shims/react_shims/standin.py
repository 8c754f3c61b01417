"""What a reloaded history holds in place of a tool's result that was no JSON: it reads the same to the model.

DSPy renders a result in three ways: in native calling the value itself if it is a str, else the JSON of
`serialize_for_json(value)`; in text mode the JSON that pydantic makes of it inside the results; and where
pydantic cannot, the results' repr. A plain str would be shown without the quotes that, say, a date has in
native calling.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic_core import (  # type: ignore[import-not-found,unused-ignore]
    SchemaSerializer,
    core_schema,
)


class _Shown:
    """Both kinds: `shown` is the JSON-ready value that stands for the original, of type `type_name`."""

    is_stand_in = True
    __pydantic_serializer__: ClassVar[Any]

    def __init__(self, type_name: str, shown: Any) -> None:
        self.type_name = type_name
        self.shown = shown

    def __str__(self) -> str:
        return str(self.shown)

    def __repr__(self) -> str:
        return f"<{self.type_name}: {self.shown!r}>"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]  # as the values it stands for may be unhashable


class StandIn(_Shown):
    """For a value that pydantic can serialize, such as a date: to `shown`, or on its own to `native`."""

    def __init__(self, type_name: str, shown: Any, native: Any) -> None:
        super().__init__(type_name, shown)
        self.native = native

    def note(self) -> dict[str, Any]:
        """What `of_note` needs beside `shown`."""
        same = type(self.native) is type(self.shown) and self.native == self.shown
        return {"type": self.type_name, **({} if same else {"native": self.native})}

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> core_schema.CoreSchema:
        return _serialized_by(lambda value: value.native)


class OpaqueStandIn(_Shown):
    """For a value of a type that pydantic does not know: `shown` is its str, `original_repr` its repr."""

    def __init__(self, type_name: str, shown: str, original_repr: str) -> None:
        super().__init__(type_name, shown)
        self.original_repr = original_repr

    def __repr__(self) -> str:
        return self.original_repr

    def note(self) -> dict[str, Any]:
        """What `of_note` needs beside `shown`."""
        return {"type": self.type_name, "repr": self.original_repr}


class FailingStandIn(OpaqueStandIn):
    """For a value of a type that pydantic knows and yet cannot serialize: bytes that are no UTF-8, a loop.

    The difference: `fallback=str`, which DSPy 3.4 asks for, helps with unknown types only.
    """

    def note(self) -> dict[str, Any]:
        """What `of_note` needs beside `shown`."""
        return {**super().note(), "fails": True}


def of_note(note: dict[str, Any], shown: Any) -> StandIn | OpaqueStandIn:
    """The stand-in that `note()` was taken of."""
    if "repr" in note:
        kind = FailingStandIn if note.get("fails") else OpaqueStandIn
        return kind(str(note["type"]), str(shown), str(note["repr"]))
    return StandIn(str(note["type"]), shown, note.get("native", shown))


def _refuse(value: FailingStandIn) -> Any:
    raise ValueError(f"the original of {value!r} could not be serialized")


def _serialized_by(function: Any) -> core_schema.CoreSchema:
    return core_schema.any_schema(serialization=core_schema.plain_serializer_function_ser_schema(function))


# pydantic asks this of a value inside another one, and `__get_pydantic_core_schema__` of a value on its own.
for kind, function in ((StandIn, lambda value: value.shown), (FailingStandIn, _refuse)):
    kind.__pydantic_serializer__ = SchemaSerializer(_serialized_by(function))
