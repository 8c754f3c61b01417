"""The commands as a user runs them: what they print where, and the exit code."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from react_migrate import __version__
from react_migrate.cli import main
from react_migrate.rules import all_rules

SAFE = """\
import dspy

agent = dspy.ReAct("question -> answer", tools=[])
print(agent(question="?").trajectory["thought_0"])
"""
FIXED = """\
import dspy
from react_shims import trajectory_of

agent = dspy.ReAct("question -> answer", tools=[])
print(trajectory_of(agent(question="?"))["thought_0"])
"""
RISKY = "import dspy\n\n\ndef metric(example, pred, trace=None):\n    return len(pred.trajectory)\n"
MANUAL = "import dspy\nfrom unittest import mock\n\nmock.patch('dspy.ReActV2')\nprint(dspy)\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(**files: str) -> None:
    for name, text in files.items():
        Path(f"{name}.py").write_text(text)


def call(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=stdin)


# --- check ---


def test_check_reports_and_changes_nothing(tree: Path) -> None:
    write(a=SAFE, b=MANUAL, c="x = 1\n", d="y = 2\n")
    result = call("check")
    assert result.exit_code == 1
    *findings, summary = result.stdout.splitlines()
    assert [re.match(r"[\w.]+:\d+:\d+: RM\d+ \S", line) is not None for line in findings] == [True] * 2
    assert findings[0].startswith("a.py:4:7: RM201 ")
    assert findings[0].endswith(" [fix]")
    assert findings[1].startswith("b.py:4:12: RM102 ")
    assert not findings[1].endswith("]")
    assert summary == "1 for `rewrite` to fix, 1 needs you, 2 files unaffected"
    assert Path("a.py").read_text() == SAFE


def test_check_of_what_is_fine(tree: Path) -> None:
    write(a=FIXED, b="x = 1\n")
    result = call("check", ".")
    assert (result.exit_code, result.output) == (0, "2 files unaffected\n")


def test_quiet_prints_findings_only(tree: Path) -> None:
    write(a=SAFE)
    assert len(call("check", "-q").output.splitlines()) == 1
    assert call("check", "-q", "--select", "RM1").output == ""


def test_exit_zero(tree: Path) -> None:
    write(a=SAFE)
    assert call("check", "--exit-zero").exit_code == 0
    assert call("check", "--exit-zero", "gone.py").exit_code == 2


# --- rewrite ---


def test_rewrite_fixes_and_names_what_the_project_has_to_install(tree: Path) -> None:
    write(a=SAFE, b=MANUAL, c="x = 1\n")
    result = call("rewrite")
    assert Path("a.py").read_text() == FIXED
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == "a.py: 1 finding fixed"
    assert result.stdout.splitlines()[-2:] == [
        "1 fixed, 1 needs you, 1 file unaffected",
        f"Add react-shims>={__version__} to the project's dependencies: the code imports react_shims.",
    ]
    again = call("rewrite", "--ignore", "RM102")
    assert (again.exit_code, again.output) == (0, "3 files unaffected\n")


def test_rewrite_sees_that_the_project_has_it(tree: Path) -> None:
    write(a=SAFE)
    Path("requirements.txt").write_text("dspy\nreact-shims\n")
    result = call("rewrite")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1].startswith("The project requires react-shims already")


def test_verbose_says_what_was_fixed(tree: Path) -> None:
    write(a=SAFE)
    assert "a.py:4:7: RM201 " in call("rewrite", "-v").stdout


def test_unsafe_fixes_only_when_asked(tree: Path) -> None:
    write(a=RISKY)
    result = call("rewrite")
    assert (result.exit_code, Path("a.py").read_text()) == (1, RISKY)
    assert "[unsafe fix]" in result.stdout
    assert "1 for `rewrite --unsafe` to fix" in result.stdout
    assert call("rewrite", "--unsafe").exit_code == 0
    assert "trajectory_of(pred)" in Path("a.py").read_text()


def test_annotate(tree: Path) -> None:
    write(b=MANUAL)
    result = call("rewrite", "--annotate")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == "b.py: 1 comment added"
    once = Path("b.py").read_text()
    assert "\n# TODO(react-migrate): RM102 " in once
    call("rewrite", "--annotate")
    assert Path("b.py").read_text() == once


# --- diff ---


def test_diff_writes_nothing_and_is_what_patch_needs(tree: Path) -> None:
    Path("pkg").mkdir()
    write(a=SAFE, **{"pkg/b c": SAFE.replace("\n", "\r\n"), "pkg/ü": SAFE.rstrip("\n")})
    Path("pkg/latin.py").write_bytes(b"# coding: latin-1\ns = '\xe9'\n" + SAFE.encode() + b"t = '\xe8'\n")
    before = {path: path.read_bytes() for path in tree.rglob("*.py")}
    result = call("rewrite", "--diff")
    assert result.exit_code == 1
    assert {path: path.read_bytes() for path in tree.rglob("*.py")} == before
    assert "4 would be fixed, 0 files unaffected" in result.stderr
    patch = tree / "changes.patch"
    patch.write_bytes(result.stdout_bytes)
    if shutil.which("patch"):
        subprocess.run(["patch", "-p1", "-i", patch], check=True, capture_output=True)
    elif shutil.which("git"):
        subprocess.run(["git", "apply", patch], check=True)
    else:
        pytest.skip("neither patch nor git is here")
    assert (tree / "a.py").read_text() == FIXED
    assert (tree / "pkg/b c.py").read_bytes() == FIXED.replace("\n", "\r\n").encode()
    assert (tree / "pkg/ü.py").read_text() == FIXED.rstrip("\n")
    assert (
        (tree / "pkg/latin.py")
        .read_bytes()
        .startswith(b"# coding: latin-1\ns = '\xe9'\nimport dspy\nfrom react")
    )
    assert call("rewrite").exit_code == 0


@pytest.mark.skipif(shutil.which("git") is None, reason="git is the judge")
def test_diff_names_files_so_that_git_finds_them(tree: Path) -> None:
    names = ['q"uo\\te', "new\nline", "tab\tbed", "sp ace", "ünïcode", "--- a"]
    write(**dict.fromkeys(names, SAFE))
    diff = call("rewrite", "--diff", str(tree)).stdout_bytes
    subprocess.run(["git", "apply", "-"], input=diff, check=True, cwd=tree)
    assert [Path(f"{name}.py").read_text() for name in names] == [FIXED] * len(names)


def test_diff_of_nothing(tree: Path) -> None:
    write(a=FIXED)
    result = call("rewrite", "--diff")
    assert (result.exit_code, result.stdout_bytes) == (0, b"")


# --- standard input ---


def test_standard_input_is_rewritten_to_standard_output(tree: Path) -> None:
    result = call("rewrite", "-", "--stdin-filename", "src/a.py", stdin=SAFE.replace("\n", "\r\n").encode())
    assert result.stdout_bytes == FIXED.replace("\n", "\r\n").encode()
    assert result.stderr.startswith("src/a.py: 1 finding fixed\n")
    assert result.exit_code == 0
    assert not list(tree.iterdir())


@pytest.mark.parametrize(
    "source", [b"x = 1", b"def (\r\n", b"\xff", FIXED.encode(), b"", b"\xef\xbb\xbfx = '\xc3\xa9'"]
)
def test_what_is_not_rewritten_passes_through(tree: Path, source: bytes) -> None:
    assert call("rewrite", "-", stdin=source).stdout_bytes == source


def test_standard_input_is_checked(tree: Path) -> None:
    result = call("check", "-", "--stdin-filename", "src/a.py", stdin=SAFE.encode())
    assert result.stdout.startswith("src/a.py:4:7: RM201 ")
    assert call("check", "-", stdin=b"def (").stdout.startswith("-:1:5: RM001 does not parse with Python")


def test_diff_of_standard_input(tree: Path) -> None:
    result = call("rewrite", "--diff", "-", "--stdin-filename", "a.py", stdin=SAFE.encode())
    assert result.stdout.startswith("--- a/a.py\n+++ b/a.py\n@@ ")
    assert result.exit_code == 1


# --- JSON ---


def test_json(tree: Path) -> None:
    write(a="é = 1\n" + SAFE, b=MANUAL, c="x = 1\n", d="ReActV2 = (\n")
    Path("d.py").write_text("import dspy\nx = dspy.ReActV2(\n")
    result = call("rewrite", "--output-format", "json")
    report = json.loads(result.stdout)
    assert list(report) == ["version", "findings", "files"]
    assert report["files"] == {"checked": 4, "changed": 1, "skipped": 0, "failed": 1}
    fixed, manual, broken = report["findings"]
    message = fixed.pop("message")
    assert message.startswith("`agent(question=")
    assert fixed == {
        "code": "RM201",
        "path": "a.py",
        "cell": None,
        "line": 5,
        "column": 7,
        "end_line": 5,
        "end_column": 37,
        "fix": "safe",
        "fixed": True,
    }
    assert (manual["code"], manual["fix"], manual["fixed"]) == ("RM102", "manual", False)
    assert (broken["code"], broken["line"]) == ("RM001", 2)
    assert result.exit_code == 1


def test_json_of_a_diff_says_that_nothing_is_fixed(tree: Path) -> None:
    write(a=SAFE)
    result = call("rewrite", "--diff", "--output-format", "json")
    report = json.loads(result.stdout)
    assert (report["files"]["changed"], report["findings"][0]["fixed"]) == (1, False)
    assert result.exit_code == 1


def test_json_is_json_whatever_happens(tree: Path) -> None:
    assert json.loads(call("check", "--output-format", "json").stdout)["files"]["checked"] == 0
    report = json.loads(call("check", "--output-format", "json", "gone.py").stdout)
    assert (report["findings"][0]["code"], report["files"]["failed"]) == ("RM002", 1)


# --- bad input: what, where, what to do ---


def test_a_path_that_does_not_exist_does_not_stop_the_others(tree: Path) -> None:
    write(a=SAFE)
    result = call("rewrite", "gone", "a.py")
    assert result.exit_code == 2
    assert (
        "gone:1:1: RM002 does not exist; check the spelling and the folder you run this in" in result.stdout
    )
    assert Path("a.py").read_text() == FIXED


def test_an_empty_folder(tree: Path) -> None:
    result = call("check", ".")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "no Python file or notebook was found" in result.stderr
    assert "Name the folder" in result.stderr


def test_a_syntax_error(tree: Path) -> None:
    write(a="def f(:\n")
    result = call("check", "a.py")
    assert result.exit_code == 1
    assert result.stdout.startswith("a.py:1:7: RM001 does not parse with Python ")
    assert "correct it, or run react-migrate with the Python it is written for" in result.stdout
    assert "1 failed, 0 files unaffected" in result.stdout


def test_a_binary_file(tree: Path) -> None:
    Path("a.py").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00")
    result = call("rewrite", "a.py")
    assert result.exit_code == 2
    assert result.stdout.startswith("a.py:1:1: RM002 is not Python text (")
    assert Path("a.py").read_bytes() == b"\x89PNG\r\n\x1a\n\x00\x00\x00"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "--select", "RM2O1"], "no rule has the code 'RM2O1'; did you mean RM201?"),
        (["rewrite", "--ignore", "RM2,E501"], "no rule has the code 'E501'"),
        (["check", "--select", "rm"], None),
        (["check", "--select", ""], None),
        (["explain", "RM999"], "no rule has the code 'RM999'; did you mean RM"),
        (["explain", "RM2"], "RM2 stands for RM201, RM202"),
        (["check", "-", "a.py"], "`-` (standard input) cannot be combined with other paths"),
        (["check", "--stdin-filename", "a.py"], "--stdin-filename goes with `-`"),
        (["rewrite", "-", "--output-format", "json"], "`rewrite -` prints the new source"),
        (["check", "--output-format", "yaml"], "is not one of 'text', 'json'"),
        (["rewrite", "--target", "3.4"], "is not one of 'auto', 'window'"),
        (["chekc"], "No such command"),
    ],
)
def test_wrong_usage(tree: Path, arguments: list[str], message: str | None) -> None:
    result = call(*arguments, stdin=b"")
    if message is None:
        assert result.exit_code == 0
    else:
        assert (result.exit_code, message in result.stderr) == (2, True), result.output
        assert result.stdout == ""


def test_hostile_names_and_code_cannot_act_on_the_terminal(tree: Path) -> None:
    bad = "\x1b[2J\u202e[bold]"
    Path(f"{bad}.py").write_text(SAFE.replace("?", bad))
    Path(os.fsdecode(b"caf\xe9\n.py")).write_text(SAFE)
    result = call("check")
    assert "\\x1b[2J\\u202e[bold].py:4:7: RM201 " in result.stdout
    assert "caf\\udce9\\n.py:4:7: RM201 " in result.stdout
    assert not set(result.stdout) & set("\x1b\u202e\udce9")
    assert json.loads(call("check", "--output-format", "json").stdout)["findings"][0]["path"]


# --- rules and their pages ---


def test_rules_lists_them_all(tree: Path) -> None:
    result = call("rules")
    assert [line.split()[0] for line in result.stdout.splitlines()] == list(all_rules())


@pytest.mark.parametrize("code", all_rules())
def test_explain(code: str) -> None:
    result = call("explain", code.lower())
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{code} ")


def test_explain_shows_before_and_after() -> None:
    page = call("explain", "RM201").stdout
    assert "`rewrite` turns\n\n    " in page
    assert "\ninto\n\n    " in page


# --- as a process ---


def process(*arguments: str, **settings: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "react_migrate", *arguments]
    return subprocess.run(command, capture_output=True, check=False, **settings)  # type: ignore[call-overload,no-any-return]


def test_neither_dspy_nor_the_checked_code_is_imported(tree: Path) -> None:
    Path("code").mkdir()
    write(dspy="raise SystemExit('dspy was imported')\n", **{"code/a": SAFE, "code/b": f"1/0\n{SAFE}"})
    result = process(
        "rewrite", "code", env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tree), *sys.path])}
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert Path("code/a.py").read_text() == FIXED


def test_help_loads_nothing_that_it_does_not_need() -> None:
    code = (
        "import sys\nfrom react_migrate.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)\n"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stderr.split()
    assert "click" in loaded
    assert not {"libcst", "rich", "orjson", "pathspec", "packaging", "react_shims"} & set(loaded)


def test_a_reader_that_goes_away_is_no_error(tree: Path) -> None:
    write(**{f"a{number}": SAFE for number in range(30)})
    read, write_end = os.pipe()
    os.close(read)
    with os.fdopen(write_end) as out:
        command = [sys.executable, "-m", "react_migrate", "rewrite"]
        result = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=False)
    assert b"Traceback" not in result.stderr
    assert Path("a29.py").read_text() == FIXED


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_report_that_cannot_be_written(tree: Path) -> None:
    write(a=SAFE)
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "react_migrate", "check"]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert result.returncode == 2
    assert result.stderr == b"Error: the report could not be written: No space left on device.\n"


def test_a_terminal_that_knows_ascii_only(tree: Path) -> None:
    write(ü=SAFE)
    result = process("check", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert b".py:4:7: RM201 " in result.stdout
    assert b"Traceback" not in result.stderr


def test_ctrl_c(tree: Path) -> None:
    code = (
        "import react_migrate.engine as engine\n"
        "def discover(*_):\n    raise KeyboardInterrupt\n"
        "engine.discover = discover\nfrom react_migrate.cli import main\nmain(['rewrite'])\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (result.returncode, b"Traceback" in result.stderr) == (130, False)
    assert result.stdout == b"Interrupted; until then: 0 files unaffected\n"


def terminal(*arguments: str) -> str:
    """What a person sees who runs the command."""
    child, fd = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS="100")
        os.execv(sys.executable, [sys.executable, "-m", "react_migrate", *arguments])
    seen = b""
    while select.select([fd], [], [], 20)[0]:
        try:
            part = os.read(fd, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        seen += part
    os.waitpid(child, 0)
    os.close(fd)
    return seen.decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_person_gets_code_frames(tree: Path) -> None:
    write(a=SAFE)
    seen = terminal("check")
    assert "\x1b[" in seen
    head, bar, code, under, summary = plain(seen).splitlines()
    assert head.startswith("a.py:4:7: RM201 ")
    assert code == '4 | print(agent(question="?").trajectory["thought_0"])'
    assert under == "  |       " + "^" * len('agent(question="?").trajectory')
    assert bar == "  |"
    assert summary == "1 for `rewrite` to fix, 0 files unaffected"


def test_a_person_gets_a_coloured_diff_that_cannot_act(tree: Path) -> None:
    write(a=SAFE.replace("?", "\x1b[2J[red]"))
    seen = terminal("rewrite", "--diff")
    assert "\x1b[32m+from react_shims import trajectory_of" in seen
    assert "\x1b[2J" not in seen
    assert "\\x1b[2J[red]" in seen
