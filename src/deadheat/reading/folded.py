"""The lines of a report that something has put into one: a reflow, a list, ends that nobody knows.

A dialect knows what its lines begin or end with, whatever stands between two of them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from deadheat.dialects import Dialect

# a line that holds others is longer
_LONG = 48
# and nobody fills wider ones
_WIDE = 200
# of so many of its lines, one may have room left: what follows was not filled
_LOOSE = 4


class Folded:
    """What ends lines in a stretch of text, once it has shown that its lines are not the detector's."""

    def __init__(self) -> None:
        self._between: re.Pattern[str] | None = None
        self.filled = False  # a line's end is a space like others

    def shows(self, text: str, dialect: Dialect) -> bool:
        """Does this line hold several of the dialect's? Then the others are taken apart as well."""
        if not may_be(text, dialect):
            return False
        self._between = dialect.folds.between if dialect.folds else None
        return True

    def fills(self, texts: Sequence[str], dialect: Dialect) -> bool:
        """Were these filled, since nothing else wraps them? Then their ends are no ends."""
        self.filled = self.shows(" ".join(texts), dialect)
        return self.filled

    def lines(self, text: str) -> list[str]:
        """The lines in this one."""
        return [text] if self._between is None else _apart(self._between, text)

    def paragraphs(self, texts: list[str], offsets: list[int]) -> tuple[list[str], list[int]]:
        """The lines and their offsets; where text was filled, all of a paragraph is one line."""
        if not self.filled:
            return texts, offsets
        joined: list[str] = []
        starts: list[int] = []
        for i, text in enumerate(texts):
            if joined and text.strip() and joined[-1].strip():
                joined[-1] += f" {text.strip()}"
            else:
                joined.append(text)
                starts.append(offsets[i])
        return joined, [*starts, offsets[-1]]


def may_be(text: str, dialect: Dialect) -> bool:
    """Are there several of the dialect's lines in this one, perhaps wrapped?"""
    return (
        dialect.folds is not None
        and len(text) >= _LONG
        and dialect.folds.shown.search(text) is not None
    )


def may_fill(texts: Sequence[str], dialect: Dialect) -> bool:
    """Do these lines, from a report's first one on, hold more of them than they are?"""
    if not _is_packed(texts):
        return False
    if any(may_be(text, dialect) for text in texts):
        return True
    written = [text for text in texts if text.strip()]
    if dialect.folds is None or not _LONG <= max(map(len, written), default=0) < _WIDE:
        return False
    return len(dialect.folds.between.findall(" ".join(written))) > len(written) + 1


def _is_packed(texts: Sequence[str]) -> bool:
    """Are lines as full as whoever fills a paragraph makes them: has the next word no room in them?"""
    pairs = [(a, b.split(None, 1)[0]) for a, b in pairwise(texts) if a.strip() and b.strip()]
    width = max(map(len, texts), default=0)
    loose = sum(len(a.rstrip()) + len(word) < width for a, word in pairs)
    return loose * _LOOSE <= len(pairs)


def _apart(between: re.Pattern[str], text: str) -> list[str]:
    lines = between.sub(r"\g<end>\n", text).split("\n")
    return [line for line in lines if line.strip()] or [text]
