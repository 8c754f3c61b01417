"""How each form of reading a trajectory is written with the shim."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from react_migrate.finding import Edit, Finding, Fix
from react_migrate.flow import Verdict
from react_migrate.rules.reading import Form, Opinion, Read, group_of, prints_its_own_text, text_of

if TYPE_CHECKING:
    import libcst as cst

    from react_migrate.edit import Names
    from react_migrate.flow import AnalysedFile

_NODES = {
    Form.ATTRIBUTE: "Attribute",
    Form.ITEM: "Subscript",
    Form.IN: "Comparison",
    Form.NOT_IN: "Comparison",
}


def finding(file: AnalysedFile, read: Read, view: Opinion, code: str, among: list[Read]) -> Finding:
    """The finding about one read, with its edit."""
    span, message = file.span(read.node), _message(file, read, view)
    group = group_of(file, read, among)
    if prints_its_own_text(file, read.node):
        why = ("the f-string prints the expression itself, so its output would change",)
        return Finding(code, span, message, Fix.MANUAL, why=why, group=group)
    return Finding(code, span, message, view.fix, (edit(file, read),), view.judgement.why, group)


def _message(file: AnalysedFile, read: Read, view: Opinion) -> str:
    text, receiver = text_of(file, read.node), text_of(file, read.receiver)
    if view.judgement.verdict is Verdict.UNKNOWN:
        return f"`{text}` is gone on DSPy 3.5 if `{receiver}` is the prediction of a ReAct agent"
    sure = "is" if view.judgement.verdict is Verdict.PROVEN else "may be"
    return f"`{text}` is gone on DSPy 3.5: `{receiver}` {sure} the prediction of a ReAct agent"


def edit(file: AnalysedFile, read: Read) -> Edit:
    """The edit that writes the read with `trajectory_of` or `has_trajectory`."""

    def rewrite(node: cst.CSTNode, names: Names) -> cst.CSTNode:
        return _rewritten(read.form, node, names)

    return Edit(file.span(read.node), _NODES.get(read.form, "Call"), rewrite)


def _rewritten(form: Form, node: cst.CSTNode, names: Names) -> cst.CSTNode:
    import libcst as cst

    from react_migrate.rules import building

    expression = cast(cst.BaseExpression, node)
    if isinstance(node, (cst.Attribute, cst.Subscript)):
        return building.call(names, "trajectory_of", node.value, like=expression)
    if isinstance(node, cst.Comparison):
        has = building.call(names, "has_trajectory", node.comparisons[0].comparator, like=expression)
        if form is Form.IN:
            return has
        bare = has.with_changes(lpar=[], rpar=[])
        return cst.UnaryOperation(cst.Not(), bare, lpar=node.lpar, rpar=node.rpar)
    call = cst.ensure_type(node, cst.Call)
    if form in (Form.GET, Form.GET_OR):
        receiver = cst.ensure_type(call.func, cst.Attribute).value
        default = call.args[1].value if form is Form.GET_OR else cst.Name("None")
        return building.call(names, "trajectory_of", receiver, default, like=expression)
    receiver = call.args[0].value
    if form is Form.HASATTR:
        return building.call(names, "has_trajectory", receiver, like=expression)
    extra = (call.args[2].value,) if form is Form.GETATTR_OR else ()
    return building.call(names, "trajectory_of", receiver, *extra, like=expression)
