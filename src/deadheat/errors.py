"""The exceptions of deadheat. They report faults of the environment, never of the input text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_Item = TypeVar("_Item")
# faults in one file that are described one by one
_MAX_FAULTS_OF_FILE = 20


class DeadheatError(Exception):
    """A fault of the environment: what failed, where, and what to do."""

    def __init__(self, what: str, where: str = "", do: str = "") -> None:
        self.what, self.where, self.do = what, where, do
        super().__init__(": ".join(p for p in (where, what) if p) + (f"; {do}" if do else ""))


class UnreadableError(DeadheatError):
    """A document could not be read, or not completely."""


def limit_faults(items: Iterable[_Item], uri: str) -> Iterator[_Item | UnreadableError]:
    """Passes on what was read of a file and its first faults; the number of the others is the last fault."""
    count = 0
    for item in items:
        count += isinstance(item, UnreadableError)
        if count <= _MAX_FAULTS_OF_FILE or not isinstance(item, UnreadableError):
            yield item
    if count > _MAX_FAULTS_OF_FILE:
        yield UnreadableError(f"{count - _MAX_FAULTS_OF_FILE} more faults in this file", uri)


class DocumentFaults:
    """The faults in one document, so that reading goes on after a fault. Only the first one is described."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._first: UnreadableError | None = None
        self._count = 0

    def add_error(self, error: Exception, part: str = "") -> None:
        """Records an error. `part` is the part of the document that it concerns, and what was done instead."""
        self._count += 1
        if self._first is None:
            is_known = isinstance(error, UnreadableError) and not part
            self._first = error if is_known else unexpected_fault(error, self._uri, part)  # type: ignore[assignment]

    def guard_read(self, read: Callable[[int], bytes]) -> Callable[[int], bytes]:
        """Returns a reader for which an error is the end of the document, so that what was read before it is parsed."""
        has_failed = False

        def read_until_error(size: int) -> bytes:
            nonlocal has_failed
            try:
                return b"" if has_failed else read(size)
            except Exception as error:  # noqa: BLE001
                has_failed = True
                self.add_error(error)
                return b""

        return read_until_error

    def summary(self) -> UnreadableError | None:
        """The first fault and the number of others; None if there is none."""
        if self._first is None or self._count == 1:
            return self._first
        what = f"{self._first.what} (and {self._count - 1} more faults)"
        return UnreadableError(what, self._first.where, self._first.do)


def unexpected_fault(error: Exception, uri: str, part: str = "") -> UnreadableError:
    """An exception that no code expects, as a fault of the document that was read."""
    prefix = f"{part}: " if part else "the rest is not read: "
    if isinstance(error, RecursionError):
        return UnreadableError(f"{prefix}it is nested too deeply", uri)
    if isinstance(error, MemoryError):
        return UnreadableError(f"{prefix}there is not enough memory", uri)
    if isinstance(error, DeadheatError):
        return UnreadableError(f"{prefix}{error.what}", uri, error.do)
    trace, place = error.__traceback__, ""
    while trace is not None:
        place = f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    what = f"{prefix}internal error, {type(error).__name__}: {error}{place}"
    return UnreadableError(what, uri, "please report this with the document")
