"""Finds workarounds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.claims import Said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.claims.outline import Block, Outline

# "As a workaround, ...", "To work around this, ...", "it can be avoided by ..."
_WORDS = re.compile(
    r"\bwork[- ]?arounds?\b|\bwork(?:s|ed|ing)? around (?:this|it|the|that)\b"
    r"|\b(?:can|could|may) be (?:avoided|mitigated|worked around) (?:by|with|if|when)\b"
    r"|\b(?:to|you can|we can|I) (?:avoid|mitigate|bypass|circumvent) (?:this|the) "
    r"(?:problem|issue|race|bug|crash|error|panic)\b|\bmitigation:",
    re.IGNORECASE,
)
# "There is no known workaround", "Workaround: none", "a workaround that does not help"
_NONE = re.compile(
    r"\b(?:no|any|without|not|isn't|don't know|unknown|looking for|need)\b[^.]{0,24}\bwork[- ]?around"
    r"|\bwork[- ]?arounds?\b[?: ]{1,3}(?:none|no|n/a|unknown|-)?\s*$"
    r"|\bwork[- ]?arounds?\b\?|\bwork[- ]?arounds?\b[^.]{0,24}\b(?:known|not|doesn't|didn't)\b",
    re.IGNORECASE,
)
_SECTION = re.compile(r"\bwork[- ]?arounds?\b", re.IGNORECASE)
_NOTHING = re.compile(r"\W*(?:none|no|n/?a|unknown|no response|tbd|-)?\W*$", re.IGNORECASE)
# "/*+ INL_HASH_JOIN(...) */"
_HINT = re.compile(r"/\*\+[^*\n]{1,400}\*/")
# "`GOMAXPROCS=1`"; not a commit hash
_CODE = re.compile(r"`(?![0-9a-f]{7,40}`)([^`\n]{2,400})`")


class Workarounds:
    kind = "workaround"

    def find(self, outline: Outline) -> Iterator[Said]:
        for block, start, end in outline.sentences():
            said = outline.text[start:end]
            if _SECTION.search(block.section) and not _NOTHING.match(said):
                if not _is_heading(said):
                    yield self._said(said, start, end)
            elif _WORDS.search(said) and not _NONE.search(said):
                yield self._said(said, start, end)
        for block in outline.code():
            if _SECTION.search(block.section) and not block.printed and outline.said(block).strip():
                yield self._code(outline, block)

    def _said(self, said: str, start: int, end: int) -> Said:
        """The hint or code in the sentence, if there is exactly one; otherwise the sentence."""
        if hint := _HINT.search(said):
            return Said(self.kind, hint[0], start, end, "hint")
        if len(codes := _CODE.findall(said)) == 1:
            return Said(self.kind, codes[0], start, end, "code")
        return Said(self.kind, said, start, end, "advice")

    def _code(self, outline: Outline, block: Block) -> Said:
        said = outline.said(block)
        hint = _HINT.search(said)
        value, role = (hint[0], "hint") if hint else (said.strip(), "code")
        start = block.start + len(said) - len(said.lstrip())
        return Said(self.kind, value, start, start + len(said.strip()), role)


def _is_heading(said: str) -> bool:
    return _SECTION.search(said) is not None and len(said) < 24


FINDER = Workarounds()
