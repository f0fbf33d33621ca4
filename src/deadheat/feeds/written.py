"""Reads files with bug reports, one or any number of them, without a size limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import documents
from deadheat.text.encoding import PLAIN
from deadheat.triage import front_to_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deadheat.documents.read import Read
    from deadheat.documents.series import Piece
    from deadheat.feeds.files import Wish
    from deadheat.model import Document, Sighting

    Told = Iterator[Sighting | Document]


def whole(head: bytes, read: Callable[[int], bytes]) -> bytes:
    """Reads a file up to a little more than `MAX_BUG_REPORT_SIZE`."""
    parts, size = [head], len(head)
    while size <= documents.LIMIT and (more := read(1 << 20)):
        parts.append(more)
        size += len(more)
    return b"".join(parts)


def bug_reports(data: bytes, read: Callable[[int], bytes], uri: str, wish: Wish) -> Told | None:
    from deadheat.documents import read as reader  # imports a dozen modules that a log does not need
    from deadheat.documents import series

    if len(data) <= documents.LIMIT:
        reads = reader.read(data, uri, wish.shy)
        return None if reads is None else _one_by_one(reads)
    how = series.cut(data)
    if how is None:
        return None
    read = after(data, read)
    return _many(series.pieces(how, read), read, uri, wish)


def _many(pieces: Iterator[Piece], read: Callable[[int], bytes], uri: str, wish: Wish) -> Told:
    """Yields the bug reports of a file that is too large to read at once; other pieces are logs."""
    from deadheat.documents.read import Moved
    from deadheat.documents.read import read as told_in

    before = 0
    for piece in pieces:
        moved = Moved(uri, piece.at, before)
        reads = told_in(piece.data, uri, wish.shy) if piece.whole else None
        if reads is None:
            rest = (lambda _: b"") if piece.whole else read
            log = front_to_back(after(piece.data, rest), uri, PLAIN, *wish)
            yield from map(moved.sighting, log)
        else:
            yield from _one_by_one([moved.read(told) for told in reads])
            before += len(reads)


def _one_by_one(reads: list[Read]) -> Told:
    for document, found in reads:
        yield document
        yield from found


def after(head: bytes, read: Callable[[int], bytes]) -> Callable[[int], bytes]:
    """Returns a reader that first returns `head`, then the rest."""
    pending = head

    def after(size: int) -> bytes:
        nonlocal pending
        if not pending:
            return read(size)
        first, pending = pending[:size], pending[size:]
        return first

    return after
