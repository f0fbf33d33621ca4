"""Lists local and remote files, and detects packed files by their signatures."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from deadheat.errors import DeadheatError, UnreadableError
from deadheat.object_store import RemoteFile, error_text, fsspec_options, normalized_uri
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


GZIP, XZ, ZSTD = b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
# "BZh" and a digit may begin a sentence; the rest may not
_BZIP2_SIGNATURE = lazy_compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# extensions of archives and compressed files
_ARCHIVE_EXTENSIONS = (".gz", ".tgz", ".bz2", ".tbz", ".tbz2", ".xz", ".txz", ".zst", ".tzst", ".zip", ".tar")
MISNAMED_MESSAGE = "has the extension of an archive but is not one, or is damaged; read as text"
# checksum field of a tar header
_TAR_CHECKSUM = slice(148, 156)
# number of bytes needed for detection
SIGNATURE_SIZE = 512


def is_bzip2(head: bytes) -> bool:
    return _BZIP2_SIGNATURE.match(head) is not None


def is_tar(head: bytes) -> bool:
    return head[257:262] == b"ustar" or _is_old_tar(head)


def _is_old_tar(head: bytes) -> bool:
    """Whether this is the first block of a tar without the "ustar" signature."""
    try:
        checksum = int(head[_TAR_CHECKSUM].strip(b"\0 "), 8)
    except ValueError:
        return False
    return checksum == sum(head[:SIGNATURE_SIZE]) - sum(head[_TAR_CHECKSUM]) + 8 * ord(" ")


def is_packed_file(head: bytes) -> bool:
    """Whether a file with this head is compressed or an archive."""
    return head.startswith((GZIP, XZ, ZSTD, *ZIP)) or is_bzip2(head) or is_tar(head)


def has_wrong_extension(head: bytes, uri: str) -> bool:
    """Whether a file has the extension of an archive but is not one.

    An empty file, or a tar of zeros only, does not count.
    """
    return bool(head.strip(b"\0")) and uri.lower().endswith(_ARCHIVE_EXTENSIONS) and not is_packed_file(head)


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file to read. `is_explicit` means that the user named the file; `-` is standard input."""

    path: str
    size: int | None
    is_explicit: bool = False
    title: str = ""  # display name, if not the path
    modified: float = 0.0  # seconds since 1970
    content: IO[bytes] | None = None  # read instead of the path

    @property
    def uri(self) -> str:
        """The path as printable text; undecodable bytes are escaped."""
        return self.title or os.fsencode(self.path).decode("utf-8", "backslashreplace")


# if it is set, links in a folder that lead out of these folders are not followed
allowed_folders: tuple[str, ...] | None = None


def list_entries(paths: Sequence[str]) -> Iterator[FileEntry | UnreadableError]:
    """Yields every file below the paths in a stable order, and every error."""
    for path in paths:
        if path == "-":
            yield FileEntry("-", None, is_explicit=True)
            continue
        try:
            status = os.stat(path)
        except OSError as error:
            yield remote_error(path) if is_remote(path) else unreadable_error(path, error)
            continue
        if stat.S_ISDIR(status.st_mode):
            yield from _walk_folder(path, frozenset([(status.st_dev, status.st_ino)]))
        else:
            yield _file_entry(path, status, is_explicit=True)


def unreadable_error(path: str, error: OSError) -> UnreadableError:
    # an unset shell variable gives an empty name, which is shown as ''
    return UnreadableError((error.strerror or str(error)).lower(), FileEntry(path, None).uri or "''")


def remote_error(path: str) -> UnreadableError:
    return UnreadableError("only `deadheat ingest` reads from a remote file system", path, "copy it here first")


def _walk_folder(folder: str, ancestors: frozenset[tuple[int, int]]) -> Iterator[FileEntry | UnreadableError]:
    """Walks depth-first without recursion, so that depth is not limited."""
    pending = [(folder, ancestors)]
    while pending:
        folder, ancestors = pending.pop()
        try:
            names = sorted(os.listdir(folder))
        except OSError as error:
            yield unreadable_error(folder, error)
            continue
        folders = []
        for name in names:
            path = os.path.join(folder, name)
            try:
                status = os.stat(path)
            except OSError as error:
                # a file that was renamed or removed since the folder was listed is not a fault; a broken link is
                if not isinstance(error, FileNotFoundError) or Path(path).is_symlink():
                    yield unreadable_error(path, error)
                continue
            if allowed_folders is not None and not _is_allowed(path):
                yield UnreadableError("is a link out of the allowed folders, skipped", FileEntry(path, None).uri)
            elif not stat.S_ISDIR(status.st_mode):
                yield _file_entry(path, status, is_explicit=False)
            elif (folder_id := (status.st_dev, status.st_ino)) in ancestors:
                yield UnreadableError("links back to a parent folder, skipped", FileEntry(path, None).uri)
            else:
                folders.append((path, ancestors | {folder_id}))
        pending += reversed(folders)


def _is_allowed(path: str) -> bool:
    target = os.path.realpath(path)
    return any(target == folder or target.startswith(folder.rstrip("/") + "/") for folder in allowed_folders or ())


def _file_entry(path: str, status: os.stat_result, is_explicit: bool) -> FileEntry | UnreadableError:
    if stat.S_ISREG(status.st_mode):
        return FileEntry(path, status.st_size, is_explicit, modified=status.st_mtime)
    # `deadheat scan <(command)` names a pipe; a pipe found in a folder may never end
    if stat.S_ISFIFO(status.st_mode) and is_explicit:
        return FileEntry(path, None, is_explicit)
    return UnreadableError("is a device, a pipe or a socket, skipped", FileEntry(path, None).uri)


# "s3://bucket/logs", "hdfs:///ci"; not a drive letter
_URL_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{1,30}://")


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file to read: `path` opens it, `uri` is its display name."""

    path: str
    uri: str
    size: int
    modified: float  # seconds since 1970
    is_explicit: bool = False
    etag: str = ""  # changes with the content; empty if the file system has none


def is_remote(path: str) -> bool:
    return _URL_SCHEME.match(path) is not None


def list_files(paths: Sequence[str]) -> Iterator[ListedFile | UnreadableError]:
    """Yields every file below the paths once, and every error."""
    known_paths: set[str] = set()
    for path in paths:
        for listed in _list_remote(path) if is_remote(path) else _list_local(path):
            if isinstance(listed, ListedFile):
                if listed.path in known_paths:
                    continue
                known_paths.add(listed.path)
            yield listed


def _list_local(path: str) -> Iterator[ListedFile | UnreadableError]:
    root, absolute_root = path.rstrip("/"), str(Path(path).absolute()).rstrip("/")
    for entry in list_entries([path]):
        if isinstance(entry, UnreadableError):
            yield entry
            continue
        if entry.size is None:
            yield UnreadableError("is a pipe, which has no stable name", entry.uri)
            continue
        # the absolute path, so that a file has one name wherever it is ingested from
        below = entry.path[len(root) :].lstrip("/")
        absolute = f"{absolute_root}/{below}" if below else absolute_root
        uri = FileEntry(absolute, None).uri
        # one string, as there may be millions
        yield ListedFile(absolute, absolute if uri == absolute else uri, entry.size, entry.modified, entry.is_explicit)


def _list_remote(path: str) -> Iterator[ListedFile | UnreadableError]:
    file_system, inner_path = _file_system(path)
    try:
        file_system.invalidate_cache()  # it hides files that are new since the last listing
        infos = file_system.find(inner_path, detail=True)
        if not infos:
            yield UnreadableError("does not exist or is empty", path)
        for name in sorted(infos):
            info = infos.pop(name)  # takes three times the memory of the result
            uri = file_system.unstrip_protocol(name)
            is_file = name == inner_path
            yield ListedFile(uri, uri, info["size"] or 0, modification_time(info), is_file, content_tag(info))
    except Exception as error:  # noqa: BLE001, each file system raises its own
        yield UnreadableError(f"cannot be listed ({error_text(error)})", path)


def modification_time(info: dict[str, Any]) -> float:
    """The modification time of a file; each file system has its own key for it."""
    for key in ("mtime", "LastModified", "last_modified", "updated", "modified"):
        timestamp = info.get(key)
        if isinstance(timestamp, (int, float)):
            return float(timestamp)
        if hasattr(timestamp, "timestamp"):
            return float(cast("Any", timestamp).timestamp())
    return 0.0


def content_tag(info: dict[str, Any]) -> str:
    """What the store calls the version of an object: S3 `ETag`, Google `etag` or `md5Hash`, Azure `etag`; or ""."""
    tag = next((info[key] for key in ("ETag", "etag", "md5Hash") if info.get(key)), "")
    return str(tag).removeprefix("W/").strip('"')


def open_file(path: str, size: int | None = None, end: int | None = None) -> IO[bytes]:
    """Opens a file for reading, or raises OSError.

    A remote file of known size is opened without a request; if it is missing, the first read raises. `end` is where
    the reader expects to stop.
    """
    if not is_remote(path):
        return open(path, "rb", buffering=0)
    file_system, inner_path = _file_system(path)
    try:
        # 0 may stand for an unknown size
        size = size or file_system.info(inner_path)["size"]
        if size is None:
            return cast("IO[bytes]", file_system.open(inner_path, "rb"))
    except OSError:
        raise
    except Exception as error:  # each file system raises its own
        raise OSError(error_text(error)) from error
    return cast("IO[bytes]", RemoteFile(file_system, inner_path, size, end))


def _file_system(path: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ImportError:
        raise DeadheatError("is on a remote file system", path, "pip install 'deadheat[spark]' to read it") from None
    try:
        file_system, inner_path = fsspec.core.url_to_fs(normalized_uri(path), **fsspec_options(path))
    except (ImportError, ValueError) as error:
        raise DeadheatError(f"unsupported file system ({error_text(error)})", path) from error
    return file_system, inner_path
