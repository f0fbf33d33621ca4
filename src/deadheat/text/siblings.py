"""Prefixes of writers that take turns: what they have in common. Knows nothing of lanes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.text.late import regex
from deadheat.text.records import mark
from deadheat.text.table import LEVELS

if TYPE_CHECKING:
    from collections.abc import Sequence

# what differs between `cart-7f9c-x1 app text` and `pay-5d6b-q9 app text`
_NAME = regex(r"[\w.-]+")
# so many writers take turns at most among as few lines as are looked at, and so many lines tell
_WRITERS, _LINES = 3, 4
_WORDS = 8


def siblings(prefix: str, following: Sequence[str]) -> tuple[re.Pattern[str], bool] | None:
    """What the prefixes of all lines look like, and whether they name writers, if few take turns.

    The text of `prefix` has to come again; what every line has in common stays as it is. Where nothing
    but how grave a line is differs, it is one writer's.
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
    """Do these words say how grave a line is? "INFO", "[error]", "[12:00:01]W:"."""
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
