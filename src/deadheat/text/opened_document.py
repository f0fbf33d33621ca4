"""Documents as the sources yield them: a name and bytes, read from the beginning or in a range."""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003, mypyc needs it at run time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deadheat.text.window import ByteSource

    ReadBytes = Callable[[int], bytes]


class OpenedDocument(NamedTuple):
    """A document that is read sequentially. `read` raises UnreadableError."""

    uri: str
    head: bytes  # the first bytes, at most `HEAD_SIZE`
    read: Callable[[int], bytes]  # the bytes after the head


class DocumentRange(NamedTuple):
    """A range of a plain log with random access. Both functions raise UnreadableError."""

    uri: str
    start: int
    end: int | None
    open_at: Callable[[int], ByteSource]  # the bytes from an offset on
    read_between: Callable[[int, int], bytes]  # independent of the position of the source


def prepend_bytes(head: bytes, read: ReadBytes) -> ReadBytes:
    """Returns a reader that first returns `head`, then the rest."""
    pending = head

    def read_prepended(size: int) -> bytes:
        nonlocal pending
        if not pending:
            return read(size)
        first, pending = pending[:size], pending[size:]
        return first

    return read_prepended
