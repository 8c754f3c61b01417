"""How each form of reading a trajectory is written with the shim."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from react_migrate.finding import Edit, Finding, Fix
from react_migrate.flow import Verdict
from react_migrate.flow.known import RLM
from react_migrate.rules.reading import Form, text_of
from react_migrate.rules.views import View

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


def finding(file: AnalysedFile, view: View, code: str) -> Finding:
    """The finding about one read, with its edit."""
    edits = () if view.fix is Fix.MANUAL else (_edit(file, view),)
    span = file.span(view.read.node)
    return Finding(code, span, _message(file, view), view.fix, edits, view.why, view.group)


def _message(file: AnalysedFile, view: View) -> str:
    text, receiver = text_of(file, view.read.node), text_of(file, view.read.receiver)
    whose = "an RLM" if view.kind is RLM else "a ReAct agent"
    verdict = view.judgement.verdict
    if verdict in {Verdict.UNKNOWN, Verdict.FOREIGN}:
        return f"`{text}` is gone on DSPy 3.5 if `{receiver}` is the prediction of {whose}"
    sure = "is" if verdict is Verdict.PROVEN else "may be"
    return f"`{text}` is gone on DSPy 3.5: `{receiver}` {sure} the prediction of {whose}"


def _edit(file: AnalysedFile, view: View) -> Edit:
    """The edit that writes the read with the shim's reader, or a guard with `has_trajectory`."""
    reader = "repl_trajectory_of" if view.kind is RLM else "trajectory_of"
    form = view.read.form

    def rewrite(node: cst.CSTNode, names: Names) -> cst.CSTNode:
        return _rewritten(form, reader, node, names)

    return Edit(file.span(view.read.node), _NODES.get(form, "Call"), rewrite)


def _rewritten(form: Form, reader: str, node: cst.CSTNode, names: Names) -> cst.CSTNode:
    import libcst as cst

    from react_migrate.rules import building

    expression = cast(cst.BaseExpression, node)
    if isinstance(node, (cst.Attribute, cst.Subscript)):
        made = building.call(names, reader, node.value, like=expression)
        return building.with_comments(made, node.dot) if isinstance(node, cst.Attribute) else made
    if isinstance(node, cst.Comparison):
        receiver = building.of_keys(node.comparisons[0].comparator)
        has = building.call(names, "has_trajectory", receiver, like=expression)
        if form is Form.IN:
            return has
        bare = has.with_changes(lpar=[], rpar=[])
        return cst.UnaryOperation(cst.Not(), bare, lpar=node.lpar, rpar=node.rpar)
    call = cst.ensure_type(node, cst.Call)
    if form in (Form.GET, Form.GET_OR):
        receiver = cst.ensure_type(call.func, cst.Attribute).value
        default = call.args[1].value if form is Form.GET_OR else cst.Name("None")
        return building.call(names, reader, receiver, default, like=expression)
    receiver = call.args[0].value
    if form is Form.HASATTR:
        return building.call(names, "has_trajectory", receiver, like=expression)
    extra = (call.args[2].value,) if form is Form.GETATTR_OR else ()
    return building.call(names, reader, receiver, *extra, like=expression)
