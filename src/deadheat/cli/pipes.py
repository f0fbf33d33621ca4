"""Larger pipe buffers than the default of 64 KiB, for fewer context switches."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

# maximum for an unprivileged process
SIZE: Final = 1 << 20


def widen(descriptor: int) -> None:
    """Enlarges the buffer of a pipe, if the system allows it."""
    with suppress(ImportError, OSError):  # not Linux, not a pipe, or not permitted
        from fcntl import F_GETPIPE_SZ, F_SETPIPE_SZ, fcntl

        if fcntl(descriptor, F_GETPIPE_SZ) < SIZE:
            fcntl(descriptor, F_SETPIPE_SZ, SIZE)
