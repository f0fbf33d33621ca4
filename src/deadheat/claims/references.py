"""Finds issues and pull requests that the author refers to, and their role."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.claims import Said, names
from deadheat.claims.suspects import blame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.claims.outline import Outline

# the text before a reference determines its role; the first match is used
_ROLES = (
    # "fixed by #7", "the fix is in acme/outbox#7"
    (
        "fixed-by",
        re.compile(
            r"\b(?:fix(?:ed|es|ing)?|closed)\b[^.#]{0,24}\b(?:by|in|with|via)\b[^.#]{0,12}$"
        ),
    ),
    # "closes #7", "Issue Number: close #7"
    ("closes", re.compile(r"\b(?:clos(?:es?|ed|ing)|fix(?:es|ed)?|resolv(?:es?|ed))[: ]{1,3}$")),
    # "duplicate of #7"
    ("duplicate-of", re.compile(r"\bdup(?:licates?|e)?(?: of)?[: ]{1,3}$")),
    # "see also #7", "related: #7", "similar to #7"
    ("related", re.compile(r"\b(?:see|related|similar|like|cf|refs?|follow[- ]?up)\b[^.#]{0,12}$")),
)


# the maximum distance of that text, in characters
_CLAUSE = 160


class References:
    kind = "reference"

    def find(self, outline: Outline) -> Iterator[Said]:
        for _, start, end in outline.sentences():
            for name in names.named(outline.text, start, end):
                type_ = (("type", name.type),) if name.type else ()
                role = _role(outline.text[max(start, name.start - _CLAUSE) : name.start])
                yield Said(self.kind, name.value, name.start, name.end, role, type_)


def _role(before: str) -> str:
    if blame(before) is not None:
        return "suspected"
    # ignore link brackets and emphasis
    before = re.sub(r"[*_`\[\](<]", "", before[-60:].lower())
    return next((role for role, words in _ROLES if words.search(before)), "mentioned")


FINDER = References()
