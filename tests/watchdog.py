"""A limit on processor time, for tests that text is read in linear time.

Linear work takes a second or two, quadratic work takes minutes; the limit leaves room for slow
machines and coverage.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS = 30  # of this process's own processor time


class TimeLimitExceeded(BaseException):
    """Derived from BaseException, so that no handler of errors catches it."""


def _raise_time_limit(number: int, frame: object) -> None:
    raise TimeLimitExceeded(f"still busy after {_SECONDS} s of processor time")


@contextmanager
def time_limit() -> Iterator[None]:
    """Raise if the block takes too much processor time."""
    before = signal.signal(signal.SIGVTALRM, _raise_time_limit)
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
