"""What IPython understands in a code cell beyond Python: found, so that it can be set aside.

The forms are those of IPython's `inputtransformer2`: cell magics (`%%time`), and at the start of a logical
line line magics (`%pip`), shell commands (`!ls`), help (`?name`, `name?`) and calls without parentheses
(`/f`, `,f`, `;f`), and `name = !ls` and `name = %magic`.
"""

from __future__ import annotations

import ast
import itertools
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from react_migrate.notebook.standin import Aside, set_aside
from react_migrate.source import LeftOut

# Cell magics that run the rest of the cell as Python, where the other cells run.
_PYTHON_BODY = frozenset(
    {"time", "timeit", "capture", "prun", "debug", "memit", "mprun", "lprun", "snakeviz", "pyinstrument"}
    | {"scalene", "heat", "ipytest", "wandb"}
)
# Cell magics for another language than Python; of others it is not known what they do with Python.
_OTHER_LANGUAGES = frozenset(
    {"!", "bash", "sh", "zsh", "script", "system", "sx", "cmd", "powershell", "html", "HTML", "svg", "SVG"}
    | {"javascript", "js", "latex", "markdown", "perl", "ruby", "R", "julia", "sql", "bigquery", "cython"}
)
# Databricks: the first line of a cell, with a single %, names the language of all of it.
_LANGUAGE_LINE = re.compile(r"\s*%(?:md|md-sandbox|sql|sh|scala|r|fs)\b")
# IPython takes these for magics without a % when they are all there is in a cell.
_AUTOMAGIC = re.compile(
    r"\s*(?:pip3?|conda|mamba|micromamba|uv|cd|ls|ll|cat|cp|mv|rm|mkdir|rmdir|man|run|load_ext|matplotlib|env)\s"
)

_CELL_MAGIC = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))*[ \t]*(?P<magic>%%(?P<name>\S*)[^\r\n]*)")
_ESCAPES = tuple("%!?,;/")  # no Python statement starts with these
_INDENT = re.compile(r"[ \t\f]*")
_COMMENT = re.compile(r"#[^\r\n]*")
_NEWLINE = re.compile(r"\r\n|\r|\n")
_JOINED_LINES = re.compile(r"(?:[^\r\n]*\\(?:\r\n|\r|\n))*[^\r\n]*")
_RUNS_STATEMENT = re.compile(r"%(?P<name>time|prun|memit|timeit)[ \t]+(?=[^\s-])")
_TAKES_CODE = re.compile(r"(%(?:time|timeit|prun|lprun|memit|mprun|debug|px))\b([\s\S]*)")
_IN_BRACES = re.compile(r"\{[^{}\r\n]*\}|[\r\n]")
_SHELL = re.compile(r"\s*(?:!|%%?(?:!|pip|conda|mamba|uv|bash|sh|script|sx|system|writefile|file)\b)")
_SHELL_NAME = re.compile(r"(?<=\$)\w+|\{[^{}\r\n]*\}")
_WORD = re.compile(r"\w+")
_IN_PYTHON = re.compile(
    r"""
    (?P<string>\"{3} | '{3} | \" | ')
  | (?P<opening>[(\[{])
  | (?P<closing>[)\]}])
  | (?P<joined>\\(?:\r\n|\r|\n))
  | (?P<end>\#|\r|\n)
  | (?P<assigned>=[ \t]*(?=!|%[A-Za-z_]))
    """,
    re.VERBOSE,
)
_STRING_REST = {
    "'": re.compile(r"(?:\\(?:\r\n|[\s\S])|[^\\\r\n'])*'?"),
    '"': re.compile(r'(?:\\(?:\r\n|[\s\S])|[^\\\r\n"])*"?'),
    "'''": re.compile(r"(?:\\[\s\S]|[^\\])*?(?:'''|\Z)"),
    '"""': re.compile(r'(?:\\[\s\S]|[^\\])*?(?:"""|\Z)'),
}


@dataclass(frozen=True)
class Reading:
    """What is set aside of a cell, in order, and what of that is code, at its place in the cell.

    `error` says why a cell does not parse; all of it is set aside then.
    """

    asides: tuple[Aside, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def error(self) -> LeftOut | None:
        return next((one for one in self.left_out if one.error), None)


def read_cell(text: str) -> Reading:
    """What of a code cell's text is not Python, or that none of it can be taken for Python."""
    if _error(text) is None:
        return Reading()
    everything = (Aside(0, len(text)),)
    magic = _CELL_MAGIC.match(text)
    if magic and magic["name"] in _PYTHON_BODY:
        return _with_body(text, magic)
    if magic:
        is_python = magic["name"] not in _OTHER_LANGUAGES and not read_cell(text[magic.end() :]).error
        return Reading(everything, (LeftOut(1, 1, text, magic=f"%%{magic['name']}"),) if is_python else ())
    asides = tuple(_asides(text))
    error = _error(set_aside(text, asides, itertools.repeat("0"))[0])
    if error is None:
        return Reading(asides, tuple(_code_in(text, asides)))
    is_one_line = _NEWLINE.search(text.strip()) is None
    if _LANGUAGE_LINE.match(text) or (is_one_line and _AUTOMAGIC.match(text)):
        return Reading(everything)
    return Reading(everything, (replace(error, code=text),))


def names_in(aside: str) -> Iterator[str]:
    """The words of what was set aside that may be Python names."""
    parts = _SHELL_NAME.findall(aside) if _SHELL.match(aside) else [aside]
    return (word for part in parts for word in _WORD.findall(part))


def _with_body(text: str, magic: re.Match[str]) -> Reading:
    """The reading of a cell whose magic runs the Python below it."""
    end = magic.end()
    body = read_cell(text[end:])
    above = len(_NEWLINE.findall(text, 0, end))
    left_out = tuple(replace(one, line=one.line + above) for one in body.left_out)
    if body.error:
        return Reading((Aside(0, len(text)),), left_out)
    below = (Aside(end + one.start, end + one.end, one.is_prefix) for one in body.asides)
    return Reading((Aside(magic.start("magic"), end), *below), left_out)


def _code_in(text: str, asides: Iterable[Aside]) -> Iterator[LeftOut]:
    """The Python that is an argument of magics, and what shell commands have in braces."""
    for start, end, is_prefix in asides:
        magic = text[start:end]
        takes_code = _TAKES_CODE.match(magic)
        if is_prefix or not (takes_code or magic.startswith("!")):
            continue
        name, code = ("!", "".join(_IN_BRACES.findall(magic))) if not takes_code else takes_code.groups()
        line = len(_NEWLINE.findall(text, 0, start)) + 1
        yield LeftOut(line, 1, code, magic=name)


def _error(text: str) -> LeftOut | None:
    """Why the text is not Python, if it is not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return LeftOut(max(error.lineno or 1, 1), max(error.offset or 1, 1), text, error.msg)
    except (RecursionError, MemoryError):
        return LeftOut(1, 1, text, "it is nested too deeply")
    except ValueError as error:  # NUL characters, halves of surrogate pairs
        return LeftOut(1, 1, text, str(error))
    return None


def _asides(text: str) -> Iterator[Aside]:
    """Magics that take a line or the rest of one, in text that need not be Python otherwise."""
    at = 0
    while at < len(text):
        start = _end(_INDENT, text, at)
        if text.startswith(_ESCAPES, start):
            at = _end(_JOINED_LINES, text, start)
            yield _before_statement(text, start, at) or Aside(start, at)
        else:
            aside, at = _in_logical_line(text, start)
            if aside:
                yield aside
        at = _end(_NEWLINE, text, at)


def _before_statement(text: str, start: int, end: int) -> Aside | None:
    """The magic in front of a statement that it runs, as `%time` does; None where that cannot be told."""
    magic = _RUNS_STATEMENT.match(text, start, end)
    if magic is None:
        return None
    statement = text[magic.end() : end]
    if _error(f"0;{statement}") is not None:
        return None
    if magic["name"] == "timeit" and _binds(ast.parse(statement)):
        return None  # it keeps its names to itself: no other line may see them
    return Aside(start, magic.end(), is_prefix=True)


def _binds(tree: ast.Module) -> bool:
    return not all(isinstance(statement, ast.Expr) for statement in tree.body) or any(
        isinstance(node, ast.NamedExpr) for node in ast.walk(tree)
    )


def _in_logical_line(text: str, start: int) -> tuple[Aside | None, int]:
    """What is set aside of a line that starts as Python, and where the line ends."""
    depth, at = 0, start
    while token := _IN_PYTHON.search(text, at):
        at = token.end()
        if token.lastgroup == "string":
            at = _end(_STRING_REST[token[0]], text, at)
        elif token.lastgroup == "opening":
            depth += 1
        elif token.lastgroup == "closing":
            depth -= 1
        elif token.lastgroup == "assigned":
            end = _end(_JOINED_LINES, text, at)
            return Aside(at, end), end
        elif token[0] == "#" and depth > 0:
            at = _end(_COMMENT, text, token.start())
        elif token.lastgroup == "end" and depth <= 0:
            break
    stop = token.start() if token else len(text)
    code = text[start:stop].rstrip()
    return (
        Aside(start, start + len(code)) if code.endswith("?") else None,
        _end(_COMMENT, text, stop),
    )


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
