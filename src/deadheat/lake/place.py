"""Where a lake lies: a folder of this machine, or of any file system that fsspec knows."""

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

# the folder of a Delta table's log
LOG = "_delta_log"


def _remote(root: str) -> tuple[Any, str]:
    import fsspec

    try:
        files, path = fsspec.core.url_to_fs(root)
    except (ImportError, ValueError) as error:
        raise DeadheatError(f"no such kind of file system ({error})", root) from error
    return files, str(path)


class Place:
    """A folder, and the few things that a lake does with files in it."""

    def __init__(self, root: str) -> None:
        self.is_local = "://" not in root or root.startswith("file://")
        if self.is_local:
            self._path = str(Path(root.removeprefix("file://")).absolute())
            # as other programs are to be told: delta-rs, Spark
            self.uri = self._path
        else:
            self.files, path = _remote(root)
            self._path = path.rstrip("/")
            self.uri = self.files.unstrip_protocol(self._path)

    @cached_property
    def files(self) -> Any:
        """The file system for whoever changes something; to look things up does not need it."""
        from fsspec.implementations.local import LocalFileSystem  # a tenth of a second

        return LocalFileSystem()

    @property
    def arrow(self) -> Any:
        """The file system for Arrow, which knows that of this machine best."""
        from pyarrow import fs

        return (
            fs.LocalFileSystem() if self.is_local else fs.PyFileSystem(fs.FSSpecHandler(self.files))
        )

    def path(self, name: str) -> str:
        return f"{self._path}/{name}"

    def at(self, name: str) -> str:
        """The address of a file or folder, for programs that open it themselves."""
        return f"{self.uri}/{name}"

    def exists(self, name: str) -> bool:
        return bool(self.files.exists(self.path(name)))

    def fault(self, table: str) -> str:
        """Why a table that may well be there cannot be opened; "" where nothing hinders.

        Programs that read tables say of a folder that they may not look into that it is not there.
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
        """Every file below a folder: its name from there on, and what is known of it."""
        folder = self.path(name)
        if self.files.exists(folder):
            found = self.files.find(folder, detail=True)
            yield from ((path.removeprefix(f"{folder}/"), told) for path, told in found.items())

    def names(self, name: str) -> list[str]:
        """What lies right in a folder."""
        folder = self.path(name)
        if not self.files.exists(folder):
            return []
        return sorted(path.rsplit("/", 1)[-1] for path in self.files.ls(folder, detail=False))

    def age(self, name: str) -> float:
        """Seconds since anything in a folder was last written."""
        paths = [
            self.path(name),
            *(self.path(f"{name}/{inside}") for inside, _ in self.below(name)),
        ]
        times = [self.files.modified(path).timestamp() for path in paths if self.files.isfile(path)]
        if self.is_local:
            times.append(os.stat(self.path(name)).st_mtime)
        return time.time() - max(times, default=time.time())

    def move(self, name: str, to: str) -> None:
        """Gives a file another name."""
        self.make(to.rpartition("/")[0])
        self.files.mv(self.path(name), self.path(to))

    def remove(self, name: str) -> None:
        """Removes a file or a whole folder, if it is there."""
        path = self.path(name)
        if self.files.exists(path):
            self.files.rm(path, recursive=True)

    def read(self, name: str) -> Any:
        return json.loads(self.files.cat_file(self.path(name)))

    def write(self, name: str, plain: Any) -> None:
        """All of it or nothing, whenever the process is killed."""
        data = json.dumps(plain).encode()
        if not self.is_local:
            self.files.pipe_file(self.path(name), data)  # an object is put at once
            return
        path = Path(self.path(name))
        part = path.with_suffix(".part")
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
