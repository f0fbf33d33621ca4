"""Finds the common form of the prefixes of alternating writers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.text.late import regex
from deadheat.text.records import mark
from deadheat.text.table import LEVELS

if TYPE_CHECKING:
    from collections.abc import Sequence

# varies between `cart-7f9c-x1 app text` and `pay-5d6b-q9 app text`
_NAME = regex(r"[\w.-]+")
# at most this many writers alternate in a sample of at least this many lines
_WRITERS, _LINES = 3, 4
_WORDS = 8


def siblings(prefix: str, following: Sequence[str]) -> tuple[re.Pattern[str], bool] | None:
    """Returns a pattern for the prefixes of all lines, and whether they name writers; or None.

    The text of `prefix` must be repeated. Text that all lines share is kept literally. If only the log
    level varies, there is one writer.
    """
    lines = [f"{text} " for text in following if text.strip()]
    words = prefix.split()
    if len(lines) < _LINES or not 0 < len(words) <= _WORDS or not prefix[-1:].isspace():
        return None
    split = [line.split(None, len(words))[: len(words)] for line in lines]
    if any(len(told) < len(words) for told in split):
        return None
    columns = list(zip(words, *split, strict=True))
    grave = [i for i, column in enumerate(columns) if len({*column}) > 1 and _are_levels(column)]
    own, *names = (_name(told, grave) for told in zip(*columns, strict=True))
    writers = len({own, *names})
    if own not in names or writers > _WRITERS or (writers > 1) is bool(grave):
        return None
    shape = regex(r"\s+".join(map(_shape, columns)) + r"\s")
    return (shape, writers > 1) if all(map(shape.match, lines)) else None


def _name(words: Sequence[str], grave: Sequence[int]) -> str:
    return mark(" ".join(word for i, word in enumerate(words) if i not in grave))


def _are_levels(column: Sequence[str]) -> bool:
    """Whether these words are log levels: "INFO", "[error]", "[12:00:01]W:"."""
    told = (mark(word).strip("[]():<>|-").lower() for word in column)
    return all(word in LEVELS or len(word) == 1 for word in told)


def _shape(column: Sequence[str]) -> str:
    word, *others = column
    if all(other == word for other in others):
        return re.escape(word)
    parts, at = [], 0
    for name in _NAME.finditer(word):
        parts += [re.escape(word[at : name.start()]), r"[\w.-]+"]
        at = name.end()
    return "".join([*parts, re.escape(word[at:])])
