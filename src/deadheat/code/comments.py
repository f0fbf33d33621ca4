"""Whether the comment above a function requires a lock; by keywords, for every language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.code import syntax

if TYPE_CHECKING:
    from collections.abc import Iterator

# "// Lock should be held.", "/* Called with q->mu held */", " * The caller must hold the mutex."
_MARKS = ("//", "/*", "*")
_SENTENCE = re.compile(r"[.;](?:\s|$)")
_LOCK = re.compile(
    r"(?i)\b(?:\w{0,80}(?:lock|mutex|mtx)(?:s|es)?|(?:\w{1,80}(?:\.|->))?\w{0,80}mu)\b"
)
_HOLDS = re.compile(r"(?i)\b(?:held|hold(?:s|ing)?)\b")
_MUST = re.compile(
    r"(?i)\b(?:must|should|needs?|ha(?:s|ve) to|assum\w{1,9}|expect\w{0,9}|requir\w{1,9}|callers?"
    r"|called with|on entry|already)\b"
)
_NOT = re.compile(r"(?i)\b(?:not|never|without|no|nor|cannot)\b|n't\b")
_MOST, _LONG = 40, 400  # lines read from a comment, and their length


def wants_lock(source: bytes, first: int) -> bool:
    """Whether the comment above a function's first line says that the caller holds the lock."""
    told = " ".join(reversed(list(_above(source, first))))
    return any(
        _HOLDS.search(one) and _LOCK.search(one) and _MUST.search(one) and not _NOT.search(one)
        for one in _SENTENCE.split(told)
    )


def _above(source: bytes, first: int) -> Iterator[str]:
    """The text of the comment above a line, last line first."""
    begins = syntax.starts(source)
    for line in range(first - 1, max(0, first - 1 - _MOST), -1):
        row = source[begins[line - 1] : begins[line] - 1].decode("utf-8", "replace").strip()
        if not row.startswith(_MARKS) or len(row) > _LONG:
            return
        yield row.strip("/* \t")
