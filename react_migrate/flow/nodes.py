"""What hangs below a node, without looking at what is none: names, positions, contexts, operators."""

from __future__ import annotations

_NEVER_NODES = frozenset(
    (
        *("ctx", "op", "ops", "id", "attr", "arg", "name", "asname", "level", "module", "kind", "rest"),
        *("kwd_attrs", "type_comment", "type_ignores", "simple", "is_async", "conversion", "str"),
    )
)
_NO_NODES_HERE: dict[str, frozenset[str]] = {  # in fields that hold nodes elsewhere
    **dict.fromkeys(("Constant", "MatchSingleton"), frozenset(("value",))),
    **dict.fromkeys(("Global", "Nonlocal"), frozenset(("names",))),
}


class _Fields(dict[type, tuple[str, ...]]):
    """Filled as kinds of nodes are met; what is no node at all has no fields."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        skipped = _NEVER_NODES | _NO_NODES_HERE.get(kind.__name__, frozenset())
        if kind.__name__ == "TypeAlias":
            skipped -= {"name"}
        found = self[kind] = tuple(name for name in getattr(kind, "_fields", ()) if name not in skipped)
        return found


FIELDS = _Fields()
"""By kind of node, the fields that hold a node, a list of nodes or None, in the grammar's order."""
