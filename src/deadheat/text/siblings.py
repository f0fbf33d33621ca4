"""Prefixes of writers that take turns: what they have in common. Knows nothing of lanes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.text.late import regex
from deadheat.text.records import mark

if TYPE_CHECKING:
    from collections.abc import Sequence

# what differs between `cart-7f9c-x1 app text` and `pay-5d6b-q9 app text`
_NAME = regex(r"[\w.-]+")
# so many writers take turns at most among as few lines as are looked at, and so many lines tell
_WRITERS, _LINES = 3, 4
_WORDS = 8


def siblings(prefix: str, following: Sequence[str]) -> re.Pattern[str] | None:
    """What the prefixes of all lines look like, if few writers take turns and each line has one.

    The text of `prefix` has to come again; what every line has in common stays as it is.
    """
    lines = [f"{text} " for text in following if text.strip()]
    words = prefix.split()
    if len(lines) < _LINES or not 0 < len(words) <= _WORDS or not prefix[-1:].isspace():
        return None
    split = [line.split(None, len(words))[: len(words)] for line in lines]
    if any(len(told) < len(words) for told in split):
        return None
    names = {mark(" ".join(told)) for told in split}
    own = mark(" ".join(words))
    if own not in names or not 1 < len(names) <= _WRITERS or not any(map(str.isalnum, own)):
        return None
    shapes = [_shape(word, [told[i] for told in split]) for i, word in enumerate(words)]
    shape = regex(r"\s+".join(shapes) + r"\s")
    return shape if all(map(shape.match, lines)) else None


def _shape(word: str, others: Sequence[str]) -> str:
    if all(other == word for other in others):
        return re.escape(word)
    parts, at = [], 0
    for name in _NAME.finditer(word):
        parts += [re.escape(word[at : name.start()]), r"[\w.-]+"]
        at = name.end()
    return "".join([*parts, re.escape(word[at:])])
