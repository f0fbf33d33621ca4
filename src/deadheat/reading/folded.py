"""Detects lines of a report that were joined into one, by a reflow, a list or unknown line ends."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from deadheat.dialects import Dialect

# a line that contains others is at least this long
_LONG = 48
# filled paragraphs are never wider
_WIDE = 200
# one in this many filled lines may have space for the next word
_LOOSE = 4


class Folded:
    """How lines are separated in a region whose lines are not the detector's."""

    def __init__(self) -> None:
        self._between: re.Pattern[str] | None = None
        self.filled = False  # whether a line end counts as a space

    def shows(self, text: str, dialect: Dialect) -> bool:
        """Whether this line contains several of the detector's; if so, later lines are split too."""
        if not may_be(text, dialect):
            return False
        self._between = dialect.folds.between if dialect.folds else None
        return True

    def fills(self, texts: Sequence[str], dialect: Dialect) -> bool:
        """Whether these lines are a filled paragraph; if so, their line ends are ignored."""
        self.filled = self.shows(" ".join(texts), dialect)
        return self.filled

    def lines(self, text: str) -> list[str]:
        """Returns the report lines in this line."""
        return [text] if self._between is None else _apart(self._between, text)

    def paragraphs(self, texts: list[str], offsets: list[int]) -> tuple[list[str], list[int]]:
        """Returns the lines and their offsets, with each filled paragraph as one line."""
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
    """Whether the line may contain several of the detector's lines."""
    return (
        dialect.folds is not None
        and len(text) >= _LONG
        and dialect.folds.shown.search(text) is not None
    )


def may_fill(texts: Sequence[str], dialect: Dialect) -> bool:
    """Whether these lines, from a report's first one on, contain more report lines than they are."""
    if not _is_packed(texts):
        return False
    if any(may_be(text, dialect) for text in texts):
        return True
    written = [text for text in texts if text.strip()]
    if dialect.folds is None or not _LONG <= max(map(len, written), default=0) < _WIDE:
        return False
    return len(dialect.folds.between.findall(" ".join(written))) > len(written) + 1


def _is_packed(texts: Sequence[str]) -> bool:
    """Whether lines are as full as a filled paragraph: the next word does not fit."""
    pairs = [(a, b.split(None, 1)[0]) for a, b in pairwise(texts) if a.strip() and b.strip()]
    width = max(map(len, texts), default=0)
    loose = sum(len(a.rstrip()) + len(word) < width for a, word in pairs)
    return loose * _LOOSE <= len(pairs)


def _apart(between: re.Pattern[str], text: str) -> list[str]:
    lines = between.sub(r"\g<end>\n", text).split("\n")
    return [line for line in lines if line.strip()] or [text]
