"""The storage of a lake: a local folder, or a folder of any fsspec file system; and its write lock."""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Iterator


LOG_FOLDER = "_delta_log"


class LakeStorage:
    """A folder, and the file operations of a lake."""

    def __init__(self, root: str) -> None:
        self.is_local = "://" not in root or root.startswith("file://")
        if self.is_local:
            self._path = str(Path(root.removeprefix("file://")).absolute())
            # for delta-rs and Spark
            self.uri = self._path
        else:
            import fsspec

            try:
                self.filesystem, path = fsspec.core.url_to_fs(root)
            except (ImportError, ValueError) as error:
                raise DeadheatError(f"no such kind of file system ({error})", root) from error
            self._path = str(path).rstrip("/")
            self.uri = self.filesystem.unstrip_protocol(self._path)

    @cached_property
    def filesystem(self) -> Any:
        """The file system. It is needed only for changes."""
        from fsspec.implementations.local import LocalFileSystem  # takes 0.1 s to import

        return LocalFileSystem()

    @property
    def arrow_filesystem(self) -> Any:
        from pyarrow import fs

        return fs.LocalFileSystem() if self.is_local else fs.PyFileSystem(fs.FSSpecHandler(self.filesystem))

    def path_of(self, name: str) -> str:
        return f"{self._path}/{name}"

    def uri_of(self, name: str) -> str:
        return f"{self.uri}/{name}"

    def exists(self, name: str) -> bool:
        return bool(self.filesystem.exists(self.path_of(name)))

    def table_fault(self, table: str) -> str:
        """Why an existing table cannot be opened, or "".

        delta-rs reports a folder without read permission as missing.
        """
        if not self.is_local:
            return ""
        folder = Path(self.path_of(table))
        try:
            log = [*(folder / LOG_FOLDER).iterdir()]
            for entry in log:
                entry.open("rb").close()
        except FileNotFoundError:
            log = []
        except OSError as error:
            return error.strerror or str(error)
        if log or not folder.is_dir():
            return ""
        has_data = any(child.is_dir() and child.name != LOG_FOLDER for child in folder.iterdir())
        return "has data files, but no log" if has_data else ""

    def make_folder(self, name: str = "") -> None:
        self.filesystem.makedirs(self.path_of(name), exist_ok=True)

    def files_below(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every file below a folder: its relative name and its metadata."""
        folder = self.path_of(name)
        if self.filesystem.exists(folder):
            found = self.filesystem.find(folder, detail=True)
            yield from ((path.removeprefix(f"{folder}/"), info) for path, info in found.items())

    def entry_names(self, name: str) -> list[str]:
        folder = self.path_of(name)
        if not self.filesystem.exists(folder):
            return []
        return sorted(path.rsplit("/", 1)[-1] for path in self.filesystem.ls(folder, detail=False))

    def age_seconds(self, name: str) -> float:
        """Seconds since the last write to a folder."""
        paths = [self.path_of(name), *(self.path_of(f"{name}/{inside}") for inside, _ in self.files_below(name))]
        times = [self.filesystem.modified(path).timestamp() for path in paths if self.filesystem.isfile(path)]
        if self.is_local:
            times.append(os.stat(self.path_of(name)).st_mtime)
        return time.time() - max(times, default=time.time())

    def move_file(self, name: str, new_name: str) -> None:
        self.make_folder(new_name.rpartition("/")[0])
        self.filesystem.mv(self.path_of(name), self.path_of(new_name))

    def remove(self, name: str) -> None:
        """Remove a file or folder, if it exists."""
        path = self.path_of(name)
        if self.filesystem.exists(path):
            self.filesystem.rm(path, recursive=True)

    def read_json(self, name: str) -> Any:
        return json.loads(self.filesystem.cat_file(self.path_of(name)))

    def write_json(self, name: str, content: Any) -> None:
        """Write a JSON file atomically."""
        data = json.dumps(content).encode()
        if not self.is_local:
            self.filesystem.pipe_file(self.path_of(name), data)  # atomic
            return
        path = Path(self.path_of(name))
        part = path.with_suffix(".part")
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)


_LOCK_FILE = "_lock"
_POLL_SECONDS = 0.1


@contextmanager
def write_lock(storage: LakeStorage, timeout: float = 10.0) -> Iterator[None]:
    """Hold the write lock of a local lake, or fail after `timeout` seconds.

    On remote storage there is no lock; the Delta transactions decide which writer is first.
    """
    if not storage.is_local:
        yield
        return
    import fcntl

    storage.make_folder()
    descriptor = os.open(storage.path_of(_LOCK_FILE), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        deadline = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise DeadheatError(
                        "another process is writing to this lake", storage.uri, "try again later"
                    ) from None
                time.sleep(_POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)
