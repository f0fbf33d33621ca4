"""Files on this machine or on any file system that fsspec supports."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from deadheat.errors import DeadheatError, UnreadableError
from deadheat.feeds import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# "s3://bucket/logs", "hdfs:///ci"; not a drive letter
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{1,30}://")
# Hadoop's schemes and their names in fsspec
_SAME = {"s3a": "s3", "s3n": "s3", "wasb": "abfs", "wasbs": "abfs"}


@dataclass(frozen=True, slots=True)
class Listed:
    """A file to read: `path` opens it, `uri` is its display name."""

    path: str
    uri: str
    size: int
    modified: float  # seconds since 1970
    named: bool = False


def is_remote(path: str) -> bool:
    return _SCHEME.match(path) is not None


def listed(paths: Sequence[str]) -> Iterator[Listed | UnreadableError]:
    """Yields every file below the paths once, and every error."""
    met: set[str] = set()
    for path in paths:
        for found in _remote(path) if is_remote(path) else _local(path):
            if isinstance(found, Listed):
                if found.path in met:
                    continue
                met.add(found.path)
            yield found


def _local(path: str) -> Iterator[Listed | UnreadableError]:
    for entry in walk.entries([path]):
        if isinstance(entry, UnreadableError):
            yield entry
            continue
        if entry.size is None:
            yield UnreadableError("is a pipe, which has no stable name", entry.uri)
            continue
        # the absolute path, so that a file has one name wherever it is ingested from
        whole = str(Path(entry.path).absolute())
        try:
            modified = os.stat(whole).st_mtime
        except OSError as error:
            yield walk.unreadable(entry.path, error)
            continue
        yield Listed(whole, walk.Entry(whole, None).uri, entry.size, modified, entry.named)


def _remote(path: str) -> Iterator[Listed | UnreadableError]:
    files, inside = _system(path)
    try:
        named = files.isfile(inside)
        found = [files.info(inside)] if named else files.find(inside, detail=True).values()
        if not found:
            yield UnreadableError("does not exist or is empty", path)
        for told in sorted(found, key=lambda told: str(told["name"])):
            uri = files.unstrip_protocol(told["name"])
            yield Listed(uri, uri, told["size"] or 0, modified(told), named)
    except Exception as error:  # noqa: BLE001, each file system raises its own
        yield UnreadableError(f"cannot be listed ({_said(error)})", path)


def modified(told: dict[str, Any]) -> float:
    """The modification time of a file; each file system has its own key for it."""
    for key in ("mtime", "LastModified", "last_modified", "updated", "modified"):
        at = told.get(key)
        if isinstance(at, (int, float)):
            return float(at)
        if hasattr(at, "timestamp"):
            return float(cast("Any", at).timestamp())
    return 0.0


def opened(path: str) -> IO[bytes]:
    """Opens a file for reading, or raises OSError."""
    if not is_remote(path):
        return open(path, "rb", buffering=0)
    files, inside = _system(path)
    try:
        return cast("IO[bytes]", files.open(inside, "rb"))
    except OSError:
        raise
    except Exception as error:  # each file system raises its own
        raise OSError(_said(error)) from error


def _said(error: Exception) -> str:
    return (str(error) or type(error).__name__).partition("\n")[0]


def _system(path: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ImportError:
        raise DeadheatError(
            "is on a remote file system", path, "pip install 'deadheat[spark]' to read it"
        ) from None
    scheme, _, rest = path.partition("://")
    try:
        files, inside = fsspec.core.url_to_fs(f"{_SAME.get(scheme, scheme)}://{rest}")
    except (ImportError, ValueError) as error:
        raise DeadheatError(f"unsupported file system ({_said(error)})", path) from error
    return files, inside
