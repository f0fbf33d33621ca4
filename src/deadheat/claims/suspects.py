"""Finds the change that the author suspects of introducing the defect."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.claims import Said, names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.claims.names import Name
    from deadheat.claims.outline import Outline

# words that express blame anywhere before the reference, within this distance
_BETWEEN = r"[^.#\n]{0,60}$"
_BLAME = re.compile(
    rf"\b(?:introduced|brought|caused|broken? (?:by|in|since|with|it|this)|regress(?:ed|es)"
    rf"|regression(?! tests?\b)|bisect(?:ed|s|ing)?|culprit"
    rf"|first bad commit|revert(?:ing|s|ed)?|due to|because of|stems from)\b{_BETWEEN}",
    re.IGNORECASE,
)
# words that express blame only directly before the reference: "removed in #203", "since commit 1a2b3c4"
_CLOSE = re.compile(
    r"\b(?:(?:removed|dropped|changed|refactored|rewritten|reworked|started)\b[ \w]{0,12}"
    r"\b(?:in|by|with|from)|since|after(?: merging)?|as of)"
    r"[: ]{1,3}(?:the )?(?:commit|change|pr|pull request|merge of)?[: ]{0,3}$",
    re.IGNORECASE,
)
# negations: "fixed by", "not caused by"
_PRAISE = re.compile(
    r"\bfix(?:ed|es)? (?:by|in|with)|\bnot\b|n't\b|\bno\b|\bunrelated\b", re.IGNORECASE
)
# words before a bare hash: "commit 1a2b3c4", "bisected to 1a2b3c4"
_COMMIT = re.compile(
    r"\b(?:commit|change|revision|rev|to|by|in|since|at)[: `\[(*]{1,4}$", re.IGNORECASE
)
# output of git bisect: `1a2b3c4d5e is the first bad commit`
_BISECTED = re.compile(r"\b([0-9a-f]{7,40}) is the first bad commit")
# trailer of kernel commits: `Fixes: 1a2b3c4d5e6f ("outbox: send without waiting")`
_TRAILER = re.compile(r"^[ \t]{0,8}Fixes: ([0-9a-f]{8,40}) \(", re.MULTILINE)
# "#regzbot introduced: 1a2b3c4d5e6f"
_REGZBOT = re.compile(r"#regzbot \^?introduced:? ([0-9a-f]{7,40})\b")


# the maximum distance of these words, in characters
_CLAUSE = 160


class Suspects:
    kind = "suspect"

    def find(self, outline: Outline) -> Iterator[Said]:
        for _, start, end in outline.sentences():
            yield from self._in_sentence(outline.text, start, end)
        for pattern, role in ((_BISECTED, "bisected"), (_TRAILER, "trailer"), (_REGZBOT, "stated")):
            for match in pattern.finditer(outline.text):
                if not outline.is_aside(match.start()):
                    details = (("type", "commit"),)
                    yield Said(self.kind, match[1], *match.span(1), role, details)

    def _in_sentence(self, text: str, start: int, end: int) -> Iterator[Said]:
        hashes = names.commits(text, start, end)
        told = [name for name in hashes if _COMMIT.search(_before(text, start, name))]
        found = sorted([*names.named(text, start, end), *told], key=lambda name: name.start)
        for name in found:
            if (role := blame(_before(text, start, name))) is not None:
                yield Said(self.kind, name.value, start, end, role, _details(name))


def _before(text: str, start: int, name: Name) -> str:
    return text[max(start, name.start - _CLAUSE) : name.start]


def blame(before: str) -> str | None:
    """The role that the text before a reference expresses; None if it is not blame."""
    before = re.sub(r"[*_`\[\](<]", "", before)
    if match := _BLAME.search(before):
        clause = before[max(0, match.start() - 16) :]
        if _PRAISE.search(clause):
            return None
        word = match[0].lower()
        return (
            "revert" if word.startswith("revert") else "bisected" if "bisect" in word else "stated"
        )
    if _CLOSE.search(before) and not _PRAISE.search(before[-60:]):
        return "stated"
    return None


def _details(name: Name) -> tuple[tuple[str, str], ...]:
    return (("type", name.type),) if name.type else ()


FINDER = Suspects()
