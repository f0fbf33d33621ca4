"""The write lock of a lake. The kernel releases it when the process dies."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.lake.place import Place

_LOCK = "_lock"
_EVERY = 0.1


@contextmanager
def writing(place: Place, patience: float = 10.0) -> Iterator[None]:
    """Hold the write lock of a local lake, or fail after `timeout` seconds.

    On remote storage there is no lock; the Delta transactions decide which writer is first.
    """
    if not place.is_local:
        yield
        return
    import fcntl

    place.make()
    descriptor = os.open(place.path(_LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        until = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > until:
                    raise DeadheatError(
                        "another process is writing to this lake", place.uri, "try again later"
                    ) from None
                time.sleep(_EVERY)
        yield
    finally:
        os.close(descriptor)
