"""DSPy releases the tests run against: installed once, side by side, outside the test environment.

A release is two folders on `PYTHONPATH`: its own (the `dspy` package, its metadata and the few packages it
pins differently) and one with the third-party packages that all releases share. They live in the user's
cache, so only the first run on a machine installs anything. `REACT_MIGRATE_TEST_CACHE` names another folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import PathDistribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from preview import build_preview, preview_key

REPOSITORY = Path(__file__).resolve().parent.parent
SHIMS = REPOSITORY / "shims"

OPTIMISERS_NEED = ("numpy", "optuna")  # SIMBA and MIPROv2, which DSPy leaves to its users
NEWEST = "3.4.1"  # what the shared packages are resolved for, and what the previews are made of
PUBLISHED = ("3.2.1", "3.3.0", "3.3.1", "3.4.0", NEWEST)
PREVIEWS = ("3.5.0", "3.6.0")
RELEASES = PUBLISHED + PREVIEWS


def cache_folder() -> Path:
    """Where releases are kept for the running interpreter; wheels depend on its version."""
    chosen = os.environ.get("REACT_MIGRATE_TEST_CACHE")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    root = Path(chosen) if chosen else home / "react-migrate-tests"
    return root / str(sys.implementation.cache_tag)


def release_path(version: str) -> list[Path]:
    """Folders that make `import dspy` give this release, installing or building it first if needed.

    Raises `RuntimeError` with pip's own words when the release cannot be installed.
    """
    if version in PREVIEWS:
        published, shared = release_path(NEWEST)
        key = f"preview-{version}-{preview_key()}"
        return [_made_once(key, lambda folder: build_preview(published, folder, version)), shared]
    if version not in PUBLISHED:
        raise ValueError(f"no DSPy release {version!r} here; known are {', '.join(RELEASES)}")
    shared = _made_once("-".join(("shared", NEWEST, *OPTIMISERS_NEED)), _install_shared)
    return [_made_once(f"dspy-{version}", lambda folder: _install_release(version, shared, folder)), shared]


def release_environment(version: str, *extra: Path) -> dict[str, str]:
    """Environment of a process that imports this release, react-shims and the folders in `extra`.

    DSPy's disk cache goes to a folder of its own, and LiteLLM (up to 3.4) must not look for its cost map
    online.
    """
    path = [*release_path(version), SHIMS, *extra]
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
        "PYTHONPATH": os.pathsep.join(map(str, path)),
        "DSPY_CACHEDIR": str(cache_folder() / "dspy-cache" / version),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }


def _install_shared(folder: Path) -> None:
    """Everything that the newest release requires, without DSPy itself."""
    with tempfile.TemporaryDirectory() as scratch:
        _pip_install(Path(scratch), "--no-deps", f"dspy=={NEWEST}")
        _pip_install(folder, *map(str, _requirements(Path(scratch))), *OPTIMISERS_NEED)


def _install_release(version: str, shared: Path, folder: Path) -> None:
    """DSPy itself, and those of its requirements which the shared packages do not meet."""
    _pip_install(folder, "--no-deps", f"dspy=={version}")
    available = {canonicalize_name(found.name): found.version for found in distributions(path=[str(shared)])}
    unmet = [
        str(requirement)
        for requirement in _requirements(folder)
        if not requirement.specifier.contains(
            available.get(canonicalize_name(requirement.name), "0"), prereleases=True
        )
        or canonicalize_name(requirement.name) not in available
    ]
    if unmet:
        _pip_install(folder, "--no-deps", *unmet)


def _requirements(folder: Path) -> list[Requirement]:
    """What the DSPy in `folder` requires on the running interpreter, extras left out."""
    metadata = PathDistribution(next(folder.glob("dspy-*.dist-info")))
    found = [Requirement(line) for line in metadata.requires or []]
    return [each for each in found if each.marker is None or each.marker.evaluate({"extra": ""})]


def _pip_install(folder: Path, *arguments: str) -> None:
    # Not compiled: a release compiles what it imports on first import, a small part of what is installed.
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        "--disable-pip-version-check",
    ]
    done = subprocess.run(
        [*command, "--target", str(folder), *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(
            f"could not install {' '.join(arguments)} for the tests (the first run needs a package index):\n"
            f"{done.stdout}{done.stderr}"
        )


def _made_once(name: str, make: Callable[[Path], None]) -> Path:
    """The cached folder `name`, made by `make` unless it is there. Parallel test processes wait for each
    other.

    The folder appears under its name only when complete, so an interrupted run leaves nothing half-made
    behind.
    """
    folder = cache_folder() / name
    if folder.is_dir():
        return folder
    with _locked(folder.with_name(f"{name}.lock")):
        if not folder.is_dir():
            unfinished = folder.with_name(f"{name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            try:
                make(unfinished)
                unfinished.rename(folder)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
    return folder


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # released when the file is closed
        yield
