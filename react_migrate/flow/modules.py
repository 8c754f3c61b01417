"""Which file of the project does an import mean?"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path


class Modules:
    """Import names resolved among the project's own files.

    Python looks for `a.b` on `sys.path`, which is not known here. What is known is that a project's own
    modules lie beside the importing file (scripts), above its package (packages), or under a `src` folder
    on the way up. The nearest match wins, as it would for a script started where it lies.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        # Names from the root: of a relative path the folders above are not seen, and the last one is its own.
        self._names = {path: os.path.abspath(path) for path in paths}  # noqa: PTH100  # links stay links
        self._files = {name: path for path, name in self._names.items()}
        self._folders: set[str] = set()
        for name in self._files:
            folder = os.path.dirname(name)  # noqa: PTH120  # strings: pathlib would dominate the run
            while folder not in self._folders:
                self._folders.add(folder)
                folder = os.path.dirname(folder)  # noqa: PTH120
        self._tops = {os.path.basename(name).removesuffix(".py") for name in (*self._files, *self._folders)}  # noqa: PTH119
        self._found: dict[tuple[str, str], Path | None] = {}

    def may_have(self, name: str) -> bool:
        """Whether anything in the project is called as the first part of `name`: of most libraries not."""
        return name.partition(".")[0] in self._tops

    def absolute(self, importer: Path, name: str) -> Path | None:
        """The file of module `name` as `importer` would import it, or None when it is not the project's."""
        if not self.may_have(name):
            return None
        folder = self._folder(importer)
        key = (folder, name)
        if key not in self._found:
            self._found[key] = self._search(folder, name.split("."))
        return self._found[key]

    def relative(self, importer: Path, level: int, name: str) -> Path | None:
        """The file that `from {'.' * level}{name} import ...` means."""
        folder = self._folder(importer)
        for _ in range(level - 1):
            folder = os.path.dirname(folder)  # noqa: PTH120
        return self._at(folder, name.split(".") if name else [])

    def child(self, package: Path, name: str) -> Path | None:
        """The submodule `name` of the package whose `__init__.py` is `package`."""
        if package.name != "__init__.py":
            return None
        return self._at(self._folder(package), [name])

    def beside(self, path: Path) -> Callable[[Path], bool]:
        """Whether a file lies below the folder that holds the outermost package which `path` is part of."""
        folder = self._folder(path)
        while self._at(folder, []) is not None and os.path.dirname(folder) != folder:  # noqa: PTH120
            folder = os.path.dirname(folder)  # noqa: PTH120
        top = os.path.join(folder, "")  # noqa: PTH118  # with a separator at its end
        return lambda other: self._names[other].startswith(top)

    def _folder(self, path: Path) -> str:
        return os.path.dirname(self._names[path])  # noqa: PTH120

    def _search(self, folder: str, parts: list[str]) -> Path | None:
        while True:
            for base in (folder, os.path.join(folder, "src")):  # noqa: PTH118
                found = self._at(base, parts)
                if found is not None:
                    return found
            above = os.path.dirname(folder)  # noqa: PTH120
            if above == folder or above not in self._folders:
                return None
            folder = above

    def _at(self, base: str, parts: list[str]) -> Path | None:
        stem = os.path.join(base, *parts)  # noqa: PTH118
        package = self._files.get(stem + os.sep + "__init__.py")
        if package is not None:
            return package
        return self._files.get(stem + ".py") if parts else None
