"""The storage of a lake: a local folder, or a folder of any fsspec file system."""

from __future__ import annotations

import errno
import json
import os
import re
import time
import uuid
from contextlib import contextmanager, suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from deadheat import object_store
from deadheat.errors import DeadheatError
from deadheat.lake.documents import DIGEST_SIZE, bytes_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

Result = TypeVar("Result")


# seconds between attempts
_PAUSES = (0.1, 1.0)
_BLOCK_SIZE = 1 << 20
LOG_FOLDER = "_delta_log"
# of files that are being written
PART_SUFFIX = ".part"
# what delta-rs and Arrow say: "… Unable to open file /lake/files/x.parquet: No space left on device (os error 28)"
_PATH_IN_MESSAGE = re.compile(r"file '?(?P<path>/[^\n:']+)")
FULL_DISK_REMEDY = "free some space and run the same command again; nothing is lost"
_FULL_DISK_NUMBERS = (errno.ENOSPC, errno.EDQUOT)
_FULL_DISK_TEXTS = tuple(os.strerror(number) for number in _FULL_DISK_NUMBERS)


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

    def move(self, name: str, target: str) -> None:
        """Move a file or folder."""
        self.make_parent(target)
        self.filesystem.mv(self.path_of(name), self.path_of(target), recursive=True)

    def read_bytes(self, name: str) -> bytes:
        return object_store.read_bytes(self.filesystem, self.path_of(name))

    def digest(self, name: str) -> str:
        """The digest of a file of any size."""
        digest = blake2b(digest_size=DIGEST_SIZE)
        with self.filesystem.open(self.path_of(name), "rb") as file:
            while block := file.read(_BLOCK_SIZE):
                digest.update(block)
        return digest.hexdigest()

    def write_json(self, name: str, content: Any) -> None:
        """Write a JSON file atomically: a line with the content, and one with the digest of that line."""
        line = json.dumps(content).encode()
        data = line + _digest_line(line)
        if not self.is_local:
            self.filesystem.pipe_file(self.path_of(name), data)  # atomic
            return
        path = Path(self.path_of(name))
        part = path.with_suffix(f".{uuid.uuid4().hex}{PART_SUFFIX}")
        with self.disk_errors(name):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                with part.open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                part.replace(path)
            except OSError:
                part.unlink(missing_ok=True)
                raise

    def read_json(self, name: str) -> Any:
        """The content of a JSON file. Raises ValueError if it is damaged. Earlier versions wrote no digest."""
        line, newline, digest = self.read_bytes(name).partition(b"\n")
        if newline and newline + digest != _digest_line(line):
            raise ValueError(f"the checksum of {name} does not match")
        return parse_json(line)

    def write_data(self, name: str, data: pa.Buffer) -> None:
        """Write a data file, which nobody reads before a change has added it to its table."""
        with self.disk_errors(name):
            self.make_parent(name)
            with self.arrow_filesystem.open_output_stream(self.path_of(name)) as sink:
                sink.write(data)

    @contextmanager
    def disk_errors(self, name: str = "") -> Iterator[None]:
        """Report a full or read-only disk in one line with the path, whichever library met it."""
        try:
            yield
        except Exception as error:
            path = self.path_of(name) if name else self._path
            if is_full_disk(error):
                raise full_disk_error(error, path) from error
            if getattr(error, "errno", None) == errno.EROFS or os.strerror(errno.EROFS) in str(error):
                raise DeadheatError("cannot be written (read-only file system)", path) from error
            raise


def parse_json(text: str | bytes) -> Any:
    """The value of JSON from a lake. Raises ValueError if it is invalid or nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def _digest_line(line: bytes) -> bytes:
    return b'\n"%s"\n' % bytes_digest(line).encode()


def is_full_disk(error: BaseException) -> bool:
    """Whether a disk or a quota is full. Arrow and delta-rs keep the number or the message of the system."""
    return getattr(error, "errno", None) in _FULL_DISK_NUMBERS or any(text in str(error) for text in _FULL_DISK_TEXTS)


def full_disk_error(error: BaseException, path: str) -> DeadheatError:
    """`error` is that of a library; the path in its message is more precise."""
    quoted = _PATH_IN_MESSAGE.search(str(error))
    where = getattr(error, "filename", None) or (quoted["path"] if quoted else path)
    return DeadheatError("no space left", str(where), FULL_DISK_REMEDY)
