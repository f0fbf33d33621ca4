"""The folders that a client may name: what is outside of them is refused, also behind `..` and symbolic links."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from deadheat.errors import DeadheatError
from deadheat.printable import shorten, visible_text

if TYPE_CHECKING:
    from collections.abc import Sequence

_URI_MARK: Final = "://"
_MAX_SHOWN: Final = 200
_MAX_POINTER_BYTES: Final = 4096


class AllowedFolders:
    """The folders of `--root`, and the lake and clones that are used if a client names none."""

    def __init__(self, roots: Sequence[str], lake: str | None = None, repos: Sequence[str] = ()) -> None:
        self.remote_roots = tuple(root.rstrip("/") for root in roots if _URI_MARK in root)
        self.roots = tuple(_root_folder(root) for root in roots if _URI_MARK not in root)
        self.lake, self.repos = lake, tuple(repos)

    def find_path(self, name: str) -> str:
        """The real path of an existing file or folder; a relative name is below the first root."""
        shown = _shown(name)
        if "\0" in name or not self.roots:
            raise DeadheatError("this path is not allowed", shown, "name one below a --root of the server")
        path = os.path.realpath(os.path.join(self.roots[0], name))
        # checked before it is looked at, so that the answer does not tell what exists elsewhere
        if not self._is_allowed(path):
            raise DeadheatError("this path is outside of the roots of the server", shown, self._remedy)
        if not Path(path).exists():
            raise DeadheatError("no such file or folder", shown, "paths are relative to the first root")
        return path

    def find_repository(self, name: str) -> str:
        """The real path of a clone; its git folder must be inside of the roots too."""
        path = self.find_path(name)
        for folder in _git_folders(Path(path)):
            if not self._is_allowed(os.path.realpath(folder)):
                raise DeadheatError("the git folder of this clone is outside of the roots", _shown(name), self._remedy)
        return path

    def find_lake(self, name: str | None) -> str:
        """The lake that a client names, or that of `--lake`."""
        if name is None:
            if self.lake is None:
                raise DeadheatError("no lake is named", do="give `lake`, or start the server with --lake DIR")
            return self.lake
        if _URI_MARK not in name:
            return self.find_path(name)
        is_below = any(name == root or name.startswith(f"{root}/") for root in self.remote_roots)
        if name != self.lake and (not is_below or ".." in name.split("/") or "%" in name):
            raise DeadheatError("this lake is outside of the roots of the server", _shown(name), self._remedy)
        return name

    def find_repositories(self, names: Sequence[str]) -> list[str]:
        """The clones that a client names, or those of `--repo`."""
        return [self.find_repository(name) for name in names] if names else list(self.repos)

    def _is_allowed(self, path: str) -> bool:
        return any(path == root or path.startswith(root.rstrip("/") + "/") for root in self.roots)

    @property
    def _remedy(self) -> str:
        return "the user can start the server with another --root"


def _root_folder(root: str) -> str:
    path = os.path.realpath(root)
    if not Path(path).is_dir():
        raise DeadheatError("the root is not a folder", root, "name a folder with --root")
    return path


def _git_folders(clone: Path) -> list[Path]:
    """The git folder of a clone, and the one that it shares with other work trees."""
    pointer = clone / ".git"
    if not pointer.is_file():
        return [pointer] if pointer.exists() else []
    folder = clone / _read_pointer(pointer).removeprefix("gitdir:").strip()
    shared = _read_pointer(folder / "commondir").strip()
    return [folder, folder / shared] if shared else [folder]


def _read_pointer(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MAX_POINTER_BYTES).partition("\n")[0].replace("\0", "")
    except OSError:
        return ""


def _shown(name: str) -> str:
    return shorten(visible_text(name), _MAX_SHOWN)
