"""Pipes that hold more than the system's 64 KiB, so that neither side waits for the other so often."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

# what an unprivileged process may ask for
SIZE: Final = 1 << 20


def widen(descriptor: int) -> None:
    """Makes room in a pipe, where the system lets us; anything else is left as it is."""
    with suppress(ImportError, OSError):  # another system, no pipe, or no leave
        from fcntl import F_GETPIPE_SZ, F_SETPIPE_SZ, fcntl

        if fcntl(descriptor, F_GETPIPE_SZ) < SIZE:
            fcntl(descriptor, F_SETPIPE_SZ, SIZE)
