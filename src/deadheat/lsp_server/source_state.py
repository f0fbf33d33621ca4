"""Tells whether logs, lake, baseline or decisions have changed, without reading them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.lsp_server.settings import ServerSettings

_MAX_FILES = 10_000


def source_state(settings: ServerSettings) -> tuple[object, ...]:
    """Equal as long as nothing has changed. What is not on this machine is not followed."""
    return tuple((path, *_file_state(path)) for path in _source_files(settings))


def _source_files(settings: ServerSettings) -> Iterator[str]:
    for log in settings.logs:
        yield from _files_below(log)
    if settings.lake:
        yield os.path.join(settings.lake, "races", "_delta_log")
    if settings.baseline:
        yield settings.baseline
    if address := settings.decisions_address:
        yield from (address, f"{address}-wal")


def _files_below(path: str) -> Iterator[str]:
    yield path
    count = 0
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            count += 1
            if count > _MAX_FILES:
                return
            yield os.path.join(folder, name)


def _file_state(path: str) -> tuple[int, int, int]:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return 0, 0, 0
    return status.st_mtime_ns, status.st_size, status.st_ino
