"""The storage of a lake: a local folder, or a folder of any fsspec file system."""

from __future__ import annotations

import json
import os
import time
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Iterator

LOG = "_delta_log"


def _remote(root: str) -> tuple[Any, str]:
    import fsspec

    try:
        files, path = fsspec.core.url_to_fs(root)
    except (ImportError, ValueError) as error:
        raise DeadheatError(f"no such kind of file system ({error})", root) from error
    return files, str(path)


class Place:
    """A folder, and the file operations of a lake."""

    def __init__(self, root: str) -> None:
        self.is_local = "://" not in root or root.startswith("file://")
        if self.is_local:
            self._path = str(Path(root.removeprefix("file://")).absolute())
            # for delta-rs and Spark
            self.uri = self._path
        else:
            self.files, path = _remote(root)
            self._path = path.rstrip("/")
            self.uri = self.files.unstrip_protocol(self._path)

    @cached_property
    def files(self) -> Any:
        """The file system. It is needed only for changes."""
        from fsspec.implementations.local import LocalFileSystem  # takes 0.1 s to import

        return LocalFileSystem()

    @property
    def arrow(self) -> Any:
        """The file system for Arrow."""
        from pyarrow import fs

        return (
            fs.LocalFileSystem() if self.is_local else fs.PyFileSystem(fs.FSSpecHandler(self.files))
        )

    def path(self, name: str) -> str:
        return f"{self._path}/{name}"

    def at(self, name: str) -> str:
        """The URI of a file or folder."""
        return f"{self.uri}/{name}"

    def exists(self, name: str) -> bool:
        return bool(self.files.exists(self.path(name)))

    def fault(self, table: str) -> str:
        """Why an existing table cannot be opened, or "".

        delta-rs reports a folder without read permission as missing.
        """
        if not self.is_local:
            return ""
        folder = Path(self.path(table))
        try:
            log = [*(folder / LOG).iterdir()]
            for entry in log:
                entry.open("rb").close()
        except FileNotFoundError:
            log = []
        except OSError as error:
            return error.strerror or str(error)
        if log or not folder.is_dir():
            return ""
        has_data = any(one.is_dir() and one.name != LOG for one in folder.iterdir())
        return "has data files, but no log" if has_data else ""

    def make(self, name: str = "") -> None:
        self.files.makedirs(self.path(name), exist_ok=True)

    def below(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every file below a folder: its relative name and its metadata."""
        folder = self.path(name)
        if self.files.exists(folder):
            found = self.files.find(folder, detail=True)
            yield from ((path.removeprefix(f"{folder}/"), told) for path, told in found.items())

    def names(self, name: str) -> list[str]:
        """The names of the entries of a folder."""
        folder = self.path(name)
        if not self.files.exists(folder):
            return []
        return sorted(path.rsplit("/", 1)[-1] for path in self.files.ls(folder, detail=False))

    def age(self, name: str) -> float:
        """Seconds since the last write to a folder."""
        paths = [
            self.path(name),
            *(self.path(f"{name}/{inside}") for inside, _ in self.below(name)),
        ]
        times = [self.files.modified(path).timestamp() for path in paths if self.files.isfile(path)]
        if self.is_local:
            times.append(os.stat(self.path(name)).st_mtime)
        return time.time() - max(times, default=time.time())

    def move(self, name: str, to: str) -> None:
        """Rename a file."""
        self.make(to.rpartition("/")[0])
        self.files.mv(self.path(name), self.path(to))

    def remove(self, name: str) -> None:
        """Remove a file or folder, if it exists."""
        path = self.path(name)
        if self.files.exists(path):
            self.files.rm(path, recursive=True)

    def read(self, name: str) -> Any:
        return json.loads(self.files.cat_file(self.path(name)))

    def write(self, name: str, plain: Any) -> None:
        """Write a JSON file atomically."""
        data = json.dumps(plain).encode()
        if not self.is_local:
            self.files.pipe_file(self.path(name), data)  # atomic
            return
        path = Path(self.path(name))
        part = path.with_suffix(".part")
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
