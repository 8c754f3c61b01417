"""`# TODO(react-migrate): RM...` comments above the code that a human has to look at."""

from __future__ import annotations

import ast
import bisect
import itertools
from collections.abc import Iterator
from dataclasses import replace

from react_migrate.edit.scopes import parse
from react_migrate.edit.transform import EditError
from react_migrate.finding import Finding, Fix
from react_migrate.report.escape import printable
from react_migrate.source import split_lines

_MARK = "# TODO(react-migrate): "


def annotate(text: str, findings: list[Finding], encoding: str) -> tuple[str, list[Finding]]:
    """`text` with a comment above every statement that has a manual finding; where the findings are then.

    A statement gets one comment per rule; one that it has already stays. Raises `EditError` if that would
    change the code.
    """
    lines = split_lines(text)
    tree = parse(text)
    anchors = sorted(_first_lines(tree, lines))
    above: dict[int, dict[str, str]] = {}
    for finding in findings:
        if finding.fix is Fix.MANUAL and not finding.code.startswith("RM0"):
            anchor = anchors[max(bisect.bisect_right(anchors, finding.span.line) - 1, 0)]
            if not _is_told(finding.code, lines, anchor):
                above.setdefault(anchor, {}).setdefault(finding.code, finding.message)
    if not above:
        return text, findings
    result = "".join(
        piece
        for number, line in enumerate(lines, 1)
        for piece in (*_comments(above.get(number, {}), lines, number, encoding), line)
    )
    if not same_code(tree, parse(result)):
        raise EditError("comments changed the code")
    return result, [_moved(finding, sorted(above), above) for finding in findings]


def _first_lines(tree: ast.Module, lines: list[str]) -> Iterator[int]:
    """The lines above which a comment can stand: those that start with a statement or one of its clauses."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt | ast.ExceptHandler):
            continue
        decorators = getattr(node, "decorator_list", [])
        line = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        column = 0 if decorators else node.col_offset
        starts = not lines[line - 1].encode()[:column].strip()
        if starts and not (line > 1 and lines[line - 2].rstrip("\r\n").endswith("\\")):
            yield line


def _is_told(code: str, lines: list[str], anchor: int) -> bool:
    """Whether the comments right above a line speak about the rule already."""
    for line in reversed(lines[: anchor - 1]):
        comment = line.strip()
        if not comment.startswith("#"):
            return False
        if comment.startswith(f"{_MARK}{code} "):
            return True
    return False


def _comments(messages: dict[str, str], lines: list[str], number: int, encoding: str) -> Iterator[str]:
    line = lines[number - 1]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    ends = (one[len(one.rstrip("\r\n")) :] for one in (line, *lines))
    newline = next((end for end in ends if end), "\n")
    for code, message in sorted(messages.items()):
        comment = f"{_MARK}{code} {printable(message)}"
        yield indent + comment.encode(encoding, "backslashreplace").decode(encoding) + newline


def _moved(finding: Finding, anchors: list[int], above: dict[int, dict[str, str]]) -> Finding:
    def shift(line: int) -> int:
        return line + sum(len(above[anchor]) for anchor in anchors if anchor <= line)

    span = finding.span
    return replace(finding, span=span._replace(line=shift(span.line), end_line=shift(span.end_line)))


def same_code(one: ast.AST, other: ast.AST) -> bool:
    """Whether two trees differ in positions at most; without recursion, since code may nest deeply."""
    return all(_shape(a) == _shape(b) for a, b in itertools.zip_longest(ast.walk(one), ast.walk(other)))


def _shape(node: ast.AST | None) -> object:
    """What a node is without the nodes in it, which come later in `ast.walk`."""
    if node is None:
        return None
    return type(node), [(name, _outline(value)) for name, value in ast.iter_fields(node)]


def _outline(value: object) -> object:
    if isinstance(value, list):
        return [_outline(one) for one in value]
    return type(value) if isinstance(value, ast.AST) else repr(value)
