"""The storage of a lake: a local folder, or a folder of any fsspec file system."""

from __future__ import annotations

import errno
import json
import os
import time
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from deadheat import object_store
from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Result = TypeVar("Result")


# seconds between attempts
_PAUSES = (0.1, 1.0)
LOG_FOLDER = "_delta_log"


class LakeStorage:
    """A folder, and the file operations of a lake."""

    def __init__(self, root: str) -> None:
        self.is_local = "://" not in root or root.startswith("file://")
        self.delta_options: dict[str, str] = {}
        self._sizes: dict[str, int] = {}
        if self.is_local:
            self._path = str(Path(root.removeprefix("file://")).absolute())
            # for delta-rs and Spark
            self.uri = self._path
        else:
            import fsspec

            address = object_store.normalized_uri(root)
            try:
                self.filesystem, path = fsspec.core.url_to_fs(address, **object_store.fsspec_options(address))
            except (ImportError, ValueError) as error:
                raise DeadheatError(f"no such kind of file system ({error})", root) from error
            self._path = str(path).rstrip("/")
            self.uri = self.filesystem.unstrip_protocol(self._path)
            self.delta_options = object_store.delta_options(root)

    @cached_property
    def filesystem(self) -> Any:
        """The file system. It is needed only for changes."""
        from fsspec.implementations.local import LocalFileSystem  # takes 0.1 s to import

        return LocalFileSystem()

    @cached_property
    def arrow_filesystem(self) -> Any:
        from pyarrow import fs

        if self.is_local:
            return fs.LocalFileSystem()
        from deadheat.lake.remote_files import RemoteFileHandler  # imports pyarrow

        return fs.PyFileSystem(RemoteFileHandler(self.filesystem, self._sizes))

    def note_sizes(self, sizes: Iterable[tuple[str, int]]) -> None:
        """Remember the sizes of files, so that opening them takes no request."""
        if not self.is_local:
            self._sizes.update((self.path_of(name), size) for name, size in sizes)

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
        has_data = any(child.name != LOG_FOLDER for child in folder.iterdir())
        return "has data files, but no log" if has_data else ""

    def access_fault(self) -> str:
        """Why the store does not list the lake, or "". Its own message is clearer than that of delta-rs."""
        try:
            self.filesystem.ls(self._path, refresh=True)
        except FileNotFoundError as error:
            return "" if self._path in str(error) else str(error)  # the bucket is missing
        except Exception as error:  # noqa: BLE001, each file system raises its own
            return object_store.error_text(error)
        return ""

    def repeated(self, read: Callable[[], Result]) -> Result:
        """The result of a read, which is repeated if a connection to a store breaks.

        delta-rs repeats failed requests, but not one whose answer ends too early.
        """
        for pause in () if self.is_local else _PAUSES:
            try:
                return read()
            except OSError:
                time.sleep(pause)
        return read()

    def make_folder(self, name: str = "") -> None:
        if self.is_local:
            Path(self.path_of(name)).mkdir(parents=True, exist_ok=True)

    def make_parent(self, name: str) -> None:
        self.make_folder(name.rpartition("/")[0])

    def files_below(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every file below a folder: its relative name and its metadata."""
        folder = self.path_of(name)
        self.filesystem.invalidate_cache(folder)
        if self.filesystem.exists(folder):
            found = self.filesystem.find(folder, detail=True)
            yield from ((path.removeprefix(f"{folder}/"), info) for path, info in found.items())

    def entry_names(self, name: str) -> list[str]:
        folder = self.path_of(name)
        if self.is_local:
            try:
                return sorted(os.listdir(folder))
            except FileNotFoundError:
                return []
        self.filesystem.invalidate_cache(folder)
        try:
            return sorted(path.rsplit("/", 1)[-1] for path in self.filesystem.ls(folder, detail=False))
        except FileNotFoundError:
            return []

    def age_seconds(self, name: str) -> float:
        """Seconds since the last write to a folder."""
        paths = [self.path_of(name), *(self.path_of(f"{name}/{inside}") for inside, _ in self.files_below(name))]
        times = [self.filesystem.modified(path).timestamp() for path in paths if self.filesystem.isfile(path)]
        if self.is_local:
            times.append(os.stat(self.path_of(name)).st_mtime)
        return time.time() - max(times, default=time.time())

    def remove(self, name: str) -> None:
        """Remove a file or folder, if it exists."""
        with suppress(FileNotFoundError):
            self.filesystem.rm(self.path_of(name), recursive=True)

    def read_bytes(self, name: str) -> bytes:
        return object_store.read_bytes(self.filesystem, self.path_of(name))

    def write_json(self, name: str, content: Any) -> None:
        """Write a JSON file atomically."""
        data = json.dumps(content).encode()
        if not self.is_local:
            self.filesystem.pipe_file(self.path_of(name), data)  # atomic
            return
        path = Path(self.path_of(name))
        part = path.with_suffix(f".{os.getpid()}.part")
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)


def full_disk_error(error: OSError, uri: str) -> DeadheatError | None:
    """The error for a full disk, or None for another error."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return None
    return DeadheatError("no space left", uri, "free some space and run the same command again; nothing is lost")
