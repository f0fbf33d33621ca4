"""Ends what goes on without end: text that takes more than a time in proportion to its size.

No clock decides whether a test passes. What is linear takes a second or two of the processor, what
is not takes minutes; between the two there is room for the slowest machine and for coverage.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS = 30  # of this process's own processor time


class Endless(BaseException):
    """Nothing that catches errors may swallow it."""


def _bark(number: int, frame: object) -> None:
    raise Endless(f"still busy after {_SECONDS} s of processor time")


@contextmanager
def ends() -> Iterator[None]:
    """What is within comes to its end by itself."""
    before = signal.signal(signal.SIGVTALRM, _bark)
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
