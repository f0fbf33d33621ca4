"""Lists the files below the paths that a user names."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deadheat.errors import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Entry:
    """A file to read. `is_explicit` means that the user named the file; `-` is standard input."""

    path: str
    size: int | None
    named: bool = False
    title: str = ""  # display name, if not the path

    @property
    def uri(self) -> str:
        """The path as printable text; undecodable bytes are escaped."""
        return self.title or os.fsencode(self.path).decode("utf-8", "backslashreplace")


def entries(paths: Sequence[str]) -> Iterator[Entry | UnreadableError]:
    """Yields every file below the paths in a stable order, and every error."""
    for path in paths:
        if path == "-":
            yield Entry("-", None, named=True)
            continue
        try:
            status = os.stat(path)
        except OSError as error:
            yield unreadable(path, error)
            continue
        if stat.S_ISDIR(status.st_mode):
            yield from _below(path, frozenset([(status.st_dev, status.st_ino)]))
        else:
            yield _file(path, status, named=True)


def unreadable(path: str, error: OSError) -> UnreadableError:
    # an unset shell variable gives an empty name, which is shown as ''
    return UnreadableError((error.strerror or str(error)).lower(), Entry(path, None).uri or "''")


def _below(folder: str, above: frozenset[tuple[int, int]]) -> Iterator[Entry | UnreadableError]:
    """Walks depth-first without recursion, so that depth is not limited."""
    pending = [(folder, above)]
    while pending:
        folder, above = pending.pop()
        try:
            names = sorted(os.listdir(folder))
        except OSError as error:
            yield unreadable(folder, error)
            continue
        folders = []
        for name in names:
            path = os.path.join(folder, name)
            try:
                status = os.stat(path)
            except OSError as error:
                yield unreadable(path, error)
                continue
            if not stat.S_ISDIR(status.st_mode):
                yield _file(path, status, named=False)
            elif (mark := (status.st_dev, status.st_ino)) in above:
                yield UnreadableError(
                    "links back to a parent folder, skipped", Entry(path, None).uri
                )
            else:
                folders.append((path, above | {mark}))
        pending += reversed(folders)


def _file(path: str, status: os.stat_result, named: bool) -> Entry | UnreadableError:
    if stat.S_ISREG(status.st_mode):
        return Entry(path, status.st_size, named)
    # `deadheat scan <(command)` names a pipe; a pipe found in a folder may never end
    if stat.S_ISFIFO(status.st_mode) and named:
        return Entry(path, None, named)
    return UnreadableError("is a device, a pipe or a socket, skipped", Entry(path, None).uri)
