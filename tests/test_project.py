"""Which files are looked at: the project's, not what git ignores, nor environments or others' code."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from react_migrate.project import declares_shims, discover


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one; it is no repository, nor in one."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def make(folder: Path, *files: str, **texts: str) -> None:
    for name in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts.get(name, ""))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def found(*paths: str, exclude: tuple[str, ...] = ()) -> list[str]:
    return [path.as_posix() for path in discover([Path(path) for path in paths or ["."]], exclude).files]


def test_python_files_at_every_depth_in_a_stable_order(tree: Path) -> None:
    make(tree, "b.py", "a.pyi", "c/z.pyw", "c/d/e/f.py", "c/notes.txt", "c/data.pyc", "README", "n.ipynb")
    assert found() == ["a.pyi", "b.py", "c/d/e/f.py", "c/z.pyw", "n.ipynb"]


def test_names_stay_as_the_user_gave_them(tree: Path) -> None:
    make(tree, "src/a.py", "b.py")
    assert found("src", "b.py") == ["b.py", "src/a.py"]
    assert found(str(tree / "src")) == [(tree / "src/a.py").as_posix()]
    assert found("src/../src") == ["src/../src/a.py"]


def test_a_file_is_looked_at_once_however_often_it_is_named(tree: Path) -> None:
    make(tree, "src/a.py")
    assert found("src", "src/a.py", ".", str(tree)) == ["src/a.py"]


def test_a_named_file_is_taken_whatever_it_is_called_and_wherever_it_is(tree: Path) -> None:
    make(tree, "script", ".venv/x.py", "ignored.py", "missing/../tool.txt")
    write(tree / ".gitignore", "ignored.py\n")
    assert found("script", ".venv/x.py", "ignored.py", "gone.py") == [
        ".venv/x.py",
        "gone.py",
        "ignored.py",
        "script",
    ]


@pytest.mark.parametrize(
    "junk",
    [
        ".git",
        ".hg",
        "__pycache__",
        "node_modules",
        ".venv",
        ".tox",
        ".nox",
        ".eggs",
        ".mypy_cache",
        ".ipynb_checkpoints",
    ],
)
def test_folders_that_hold_no_code_of_the_project(tree: Path, junk: str) -> None:
    make(tree, f"{junk}/a.py", f"deep/down/{junk}/b.py", "ours.py")
    assert found() == ["ours.py"]


@pytest.mark.parametrize("name", ["build", "dist", "lib", "env", "vendor", "site-packages"])
def test_folders_that_may_hold_code_of_the_project(tree: Path, name: str) -> None:
    make(tree, f"{name}/a.py")
    assert found() == [f"{name}/a.py"]


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "conda-meta/history"])
def test_virtual_environments_at_any_depth_under_any_name(tree: Path, mark: str) -> None:
    make(tree, f"tools/my env/{mark}", "tools/my env/lib/python3.12/site-packages/dspy/a.py", "tools/b.py")
    assert found() == ["tools/b.py"]


def test_an_environment_that_is_named_is_looked_at(tree: Path) -> None:
    make(tree, "env/pyvenv.cfg", "env/lib/a.py", ".venv/lib/b.py")
    assert found("env", ".venv") == [".venv/lib/b.py", "env/lib/a.py"]
    assert found("env/lib") == ["env/lib/a.py"]


# --- what git ignores ---


def test_gitignore_at_any_depth_with_or_without_a_repository(tree: Path) -> None:
    make(
        tree,
        "a.py",
        "old_a.py",
        "pkg/b.py",
        "pkg/old_b.py",
        "pkg/sub/c.py",
        "pkg/sub/gen/d.py",
        "keep/old_k.py",
    )
    write(tree / ".gitignore", "# comment\nold_*.py\n/gen\n")
    write(tree / "pkg/sub/.gitignore", "gen/\n")
    write(tree / "keep/.gitignore", "!old_k.py\n")
    assert found() == ["a.py", "keep/old_k.py", "pkg/b.py", "pkg/sub/c.py"]


def test_gitignore_above_the_named_folder(tree: Path) -> None:
    make(tree, "src/a.py", "src/gen/b.py")
    write(tree / ".gitignore", "gen/\n")
    assert found("src") == ["src/a.py"]
    (tree / ".git").mkdir()
    os.chdir(tree / "src")
    assert found() == ["a.py"]


def test_nothing_above_the_repository_counts(tree: Path) -> None:
    make(tree, "repo/.git/HEAD", "repo/a.py")
    write(tree / ".gitignore", "*.py\n")
    os.chdir(tree / "repo")
    assert found() == ["a.py"]
    os.chdir(tree)
    assert found() == ["repo/a.py"]


def test_an_ignored_folder_that_is_named_is_looked_at(tree: Path) -> None:
    make(tree, "build/lib/a.py", "build/lib/b.py")
    write(tree / ".gitignore", "build/\n")
    write(tree / "build/.gitignore", "b.py\n")
    assert found() == []
    assert found("build") == ["build/lib/a.py"]
    assert found("build/lib") == ["build/lib/a.py"]


def test_who_names_a_folder_wants_it_looked_at_even_if_all_is_ignored(tree: Path) -> None:
    make(tree, "tools/a.py", "tools/gen/b.py")
    write(tree / ".gitignore", "*\n")
    assert found() == []
    assert found("tools") == ["tools/a.py", "tools/gen/b.py"]
    assert found("tools/gen") == ["tools/gen/b.py"]


@pytest.mark.parametrize(
    ("patterns", "files"),
    [
        ("*.py\n!b\n", []),  # the folder comes back, not what is in it
        ("b/*\n!b/c\n", ["a.py", "b/c/x.py"]),
        ("c/**\n!*.py\n", ["a.py", "b/c/x.py", "b/x.py"]),
        ("b\n!b/x.py\n", ["a.py"]),  # nothing comes back in a folder that is ignored
        ("*/\n", ["a.py"]),
        ("b/**/\n", ["a.py", "b/x.py"]),
    ],
)
def test_a_pattern_speaks_about_what_it_names(tree: Path, patterns: str, files: list[str]) -> None:
    make(tree, "a.py", "b/x.py", "b/c/x.py")
    write(tree / ".gitignore", patterns)
    assert found() == files


def test_info_exclude_also_of_a_linked_worktree(tree: Path) -> None:
    make(tree, "a.py", "mine.py", "work/mine.py", "work/b.py", ".git/HEAD")
    write(tree / ".git/info/exclude", "mine.py\n/work\n")
    assert found() == ["a.py"]
    write(tree / "work/.git", "gitdir: ../.git/worktrees/work\n")
    write(tree / ".git/worktrees/work/commondir", "../..\n")
    assert found("work") == ["work/b.py"]


def test_patterns_that_git_could_not_read_either_ignore_nothing(tree: Path) -> None:
    make(tree, "a.py", "b.py")
    (tree / ".gitignore").write_bytes(b"!\n[\n\xff\xfe\n\\\n/\nb.py\n")
    assert found() == ["a.py"]


PATTERNS = [
    *(
        "a.py",
        "/a.py",
        "b/",
        "b",
        "/b/c",
        "b/c/",
        "**/c",
        "c/**",
        "*.py",
        "x.*",
        "b/*",
        "[ab].py",
        "?.py",
        "*",
        "ä",
    ),
    *("/e/**/x.py", "a.py/", "#a", "\\#", "a.py ", "b/**/a.py", "*/", "**/", "/*", "/**", "**", "a.py/**"),
    *("!a.py", "!b/", "!*.py", "!b/c", "!/e/", "!*/", "!c/**", "!/b/**/", "!*", "!e/c/x.py"),
]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is the judge")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_git_itself_agrees(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("repo")
    names = ["a.py", "b/a.py", "b/c/a.py", "b/c/d.py", "b/x.py", "e/c/x.py", "e/a.py/f.py", "ä/a.py"]
    for name in names:
        write(folder / name, "")
    pattern = st.sampled_from(PATTERNS)
    patterns = st.lists(pattern, max_size=4)
    for where in (".", "b", "e", ".git/info"):
        lines = data.draw(patterns, label=where)
        write(folder / where / ("exclude" if "info" in where else ".gitignore"), "\n".join(lines))
    shutil.rmtree(folder / ".git")
    subprocess.run(["git", "init", "-q", folder], check=True)
    write(folder / ".git/info/exclude", "\n".join(data.draw(patterns, label="exclude")))
    listing = ["git", "-C", folder, "ls-files", "-z", "--others", "--exclude-standard"]
    judged = subprocess.run(
        listing, capture_output=True, check=True, env={**os.environ, "HOME": "/nowhere"}
    ).stdout
    expected = sorted(os.fsdecode(name) for name in judged.split(b"\0") if name.endswith(b".py"))
    ours = discover([folder]).files
    assert sorted(path.relative_to(folder).as_posix() for path in ours) == expected


def test_exclude_patterns_are_relative_to_the_current_folder(tree: Path) -> None:
    make(tree, "a.py", "src/a.py", "src/gen/b.py", "src/c_pb2.py", "gen/d.py")
    assert found(exclude=("src/gen", "*_pb2.py")) == ["a.py", "gen/d.py", "src/a.py"]
    assert found("src", exclude=("/src/a.py",)) == ["src/c_pb2.py", "src/gen/b.py"]
    assert found("src/a.py", exclude=("a.py",)) == ["src/a.py"]


# --- what file systems hold ---


def test_loops_and_links_to_folders_are_not_followed(tree: Path) -> None:
    make(tree, "pkg/a.py", "other/b.py")
    (tree / "pkg/up").symlink_to("..")
    (tree / "pkg/me").symlink_to("me")
    (tree / "pkg/other.py").symlink_to(tree / "other")
    (tree / "gone.py").symlink_to("nowhere.py")
    assert found() == ["other/b.py", "pkg/a.py"]
    assert discover([Path()]).skipped == 2


def test_a_named_link_to_a_folder_is_followed(tree: Path) -> None:
    make(tree, "real/a.py")
    (tree / "link").symlink_to("real")
    assert found("link") == ["link/a.py"]


def test_a_linked_file_is_taken_once_by_its_own_name(tree: Path, tmp_path: Path) -> None:
    make(tree, "b.py")
    make(tmp_path, "elsewhere.py")
    (tree / "a.py").symlink_to("b.py")
    (tree / "c.py").symlink_to(tmp_path / "elsewhere.py")
    assert found() == ["b.py", "c.py"]
    assert found("a.py", ".") == ["a.py", "c.py"]


def test_sockets_and_pipes_are_skipped(tree: Path) -> None:
    os.mkfifo(tree / "pipe.py")
    with socket.socket(socket.AF_UNIX) as plug:
        plug.bind("plug.py")
        result = discover([Path()])
    assert (result.files, result.skipped, result.problems) == ([], 2, [])


def test_names_that_are_not_utf8(tree: Path) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    (tree / name).write_text("")
    assert discover([Path()]).files == [Path(name)]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read(tree: Path) -> None:
    make(tree, "a.py", "closed/b.py")
    (tree / "closed").chmod(0)
    result = discover([Path()])
    (tree / "closed").chmod(stat.S_IRWXU)
    assert result.files == [Path("a.py")]
    assert result.problems == [(Path("closed"), "may not be read or written by you; check its permissions")]


def test_a_folder_that_cannot_be_listed_does_not_stop_the_others(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tree, "a.py", "closed/b.py", "z/c.py")
    scandir = os.scandir

    def listing(folder: Path) -> object:
        if Path(folder).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", listing)
    result = discover([Path()])
    assert result.files == [Path("a.py"), Path("z/c.py")]
    assert result.problems == [(Path("closed"), "may not be read or written by you; check its permissions")]


def test_a_gitignore_that_cannot_be_read_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tree, "a.py")
    write(tree / ".gitignore", "a.py\n")
    original = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        if path.name == ".gitignore":
            raise PermissionError(13, "Permission denied")
        return original(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    ((path, why),) = discover([Path()]).problems
    assert (path.name, why) == (".gitignore", "may not be read or written by you; check its permissions")


# --- what the project asks for ---


@pytest.mark.parametrize(
    ("name", "text", "declares"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["dspy", "react-shims>=0.1"]\n', True),
        (
            "pyproject.toml",
            "[project]\ndependencies = [\n  \"React_Shims [x] ; python_version > '3'\",\n]\n",
            True,
        ),
        ("pyproject.toml", '[tool.poetry.dependencies]\nreact-shims = "^0.1"\n', True),
        ("pyproject.toml", '[project]\nname = "react-shims"\n', False),
        ("pyproject.toml", '[project]\ndependencies = ["dspy"]  # react-shims\n', False),
        ("pyproject.toml", '[project]\ndependencies = ["my-react-shims-fork", "react-shims-extra"]\n', False),
        ("requirements.txt", "dspy\nreact.shims==0.1.0  # new\n", True),
        ("requirements-dev.txt", "# react-shims\n", False),
        ("requirements/base.txt", "react-shims @ file:///x\n", True),
        ("setup.cfg", "[options]\ninstall_requires =\n    dspy\n    react-shims\n", True),
        ("setup.py", "setup(install_requires=['dspy', 'react-shims'])\n", True),
        ("environment.yml", "dependencies:\n  - pip:\n    - react-shims>=0.1\n", True),
        ("README.md", "react-shims\n", None),
    ],
)
def test_whether_the_project_requires_the_shim_already(
    tree: Path, name: str, text: str, declares: bool | None
) -> None:
    (tree / ".git").mkdir()
    make(tree, "src/pkg/a.py")
    write(tree / name, text)
    assert declares_shims(Path("src/pkg/a.py")) is declares


def test_the_nearest_project_counts(tree: Path) -> None:
    write(tree / "pyproject.toml", '[project]\ndependencies = ["react-shims"]\n')
    make(tree, "a.py", "inner/b.py")
    write(tree / "inner/requirements.txt", "dspy\n")
    assert declares_shims(Path("a.py")) is True
    assert declares_shims(Path("inner/b.py")) is False
