"""The structure of a bug report: headings, prose and code, without quotes and reports."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate
from typing import NamedTuple

# "```sql", "   ~~~", "> ```"; a closing fence has no info string
_FENCE = re.compile(r"[ \t]{0,60}(`{3,100}|~{3,100})[ \t]*([^`\n]{0,200})$")
# "### 4. What is your version? (Required)", "**Version**", "Version:" on its own line
_HEADING = re.compile(
    r"[ \t]{0,3}(?:#{1,6}[ \t]+(?P<hash>\S.{0,300}?)[ \t#]*"
    r"|(?:\*\*|__)(?P<bold>[^*_\n]{2,100}?):?(?:\*\*|__):?"
    r"|(?P<colon>[A-Z][\w' ()-]{1,60}\??):?)$"
)
_COLON = re.compile(r"[A-Z][\w' ()-]{1,60}(?::|\?)$")
_LIST = re.compile(r"[ \t]{0,12}(?:[-*+]|\d{1,3}[.)])[ \t]")
# the end of a sentence: punctuation, white space, and a possible beginning
_SENTENCE = re.compile(r"(?<!\.)[.!?][)*_\"'`]{0,3}\s+(?=[A-Z`*_\[(\"/0-9#])")
# "    	/src/shop/cart.go:31 +0x45", "  #0 add cart.c:12": a stack outside of reports
_FRAME = re.compile(
    r"\s*(?:#\d{1,3} |at 0x|by 0x|\S{1,400}\.(?:go|s|c|cc|cpp|h|rs):\d{1,9}(?:[: ]|$)"
    r"|[\w./*()·-]{1,300}\((?:0x[0-9a-f]|\.\.\.)|goroutine \d)"
)
# "[2022/12/08 22:45:28.632 +08:00] [WARN]", "2024-05-01T12:00:00Z ...", "I0501 18:55:04.000024"
_LOGGED = re.compile(r"\s*(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]|[IWEF]\d{4} \d\d:|\[\s*\d{1,7}\.\d{6}\])")


class Block(NamedTuple):
    """Consecutive lines of one kind, in character offsets."""

    kind: str  # "prose" or "code"
    start: int
    end: int
    section: str = ""  # the heading above
    info: str = ""  # the info string of a fence
    fenced: bool = False
    printed: bool = False  # contains a detector's report


class Line(NamedTuple):
    start: int
    text: str  # without its line end


class Outline:
    """The blocks of a text. Text outside of blocks is not the author's."""

    def __init__(self, text: str, masks: list[tuple[int, int]] | None = None) -> None:
        self.text = text
        self._reports = _Spans(masks or [])
        self._masks = _Spans([*(masks or []), *remarks(text)])
        self.blocks: list[Block] = []
        self._section = ""
        self._fence: tuple[str, str, int] | None = None  # its marker, info string and start
        self._run: tuple[str, int, int] | None = None  # kind, start and end of an open block
        self._blank = True
        self._listed = False
        for line in lines(text, 0, len(text)):
            self._line(line)
        if self._fence is not None:
            self._code(self._fence[2], len(text), self._fence[1], fenced=True)
        self._close()

    # -- queries ----------------------------------------------------------------------------------

    def prose(self) -> list[Block]:
        return [block for block in self.blocks if block.kind == "prose"]

    def code(self) -> list[Block]:
        return [block for block in self.blocks if block.kind == "code"]

    def said(self, block: Block) -> str:
        return self.text[block.start : block.end]

    def lines(self, block: Block) -> list[Line]:
        return lines(self.text, block.start, block.end)

    def sentences(self) -> list[tuple[Block, int, int]]:
        """The sentences of the prose: block, start and end of each."""
        found = []
        for block in self.prose():
            start = block.start
            for match in _SENTENCE.finditer(self.text, block.start, block.end):
                found.append((block, start, match.end()))
                start = match.end()
            found.append((block, start, block.end))
        return [(block, *_unlisted(self.text, a, b)) for block, a, b in found]

    def is_printed(self, at: int) -> bool:
        """Whether a detector's report is here."""
        return self._reports.meet(at, at + 1)

    def is_aside(self, at: int) -> bool:
        """Whether a report or a comment of the template is here."""
        return self._masks.meet(at, at + 1)

    # -- construction -----------------------------------------------------------------------------

    def _line(self, line: Line) -> None:
        text, end = line.text, line.start + len(line.text)
        fence = _FENCE.match(text)
        if self._fence is not None:
            marks, info, start = self._fence
            if fence and fence[1].startswith(marks) and not fence[2].strip():
                self._code(start, line.start, info, fenced=True)
                self._fence = None
            return
        if fence and not self.is_aside(line.start):
            self._close()
            words = fence[2].split()
            self._fence = (fence[1], words[0].strip("{}.").lower() if words else "", end + 1)
        elif not text.strip():
            if self._run and self._run[0] == "prose":
                self._close()
            self._blank = True
        elif self.is_aside(line.start) or text.lstrip().startswith(">") or _is_printed(text):
            self._close()
            self._blank = False
        else:
            self._ordinary(line, end)
            self._blank = False

    def _ordinary(self, line: Line, end: int) -> None:
        """Adds a line of prose, a heading, or indented code."""
        deep = line.text.startswith(("    ", "\t"))
        code = self._run is not None and self._run[0] == "code"
        if deep and (code or (self._blank and not self._listed)):
            self._extend("code", line.start, end)
            return
        self._listed = _LIST.match(line.text) is not None or (self._listed and deep)
        heading = _HEADING.match(line.text)
        if heading and (heading["colon"] is None or (self._blank and _COLON.match(line.text))):
            self._close()
            self._section = next(filter(None, heading.groups()), "")
            if heading["hash"]:
                return
        if _LIST.match(line.text):
            self._close()
        self._extend("prose", line.start, end)

    def _extend(self, kind: str, start: int, end: int) -> None:
        if self._run and self._run[0] == kind:
            self._run = (kind, self._run[1], end)
            return
        self._close()
        self._run = (kind, start, end)

    def _close(self) -> None:
        if self._run is not None:
            kind, start, end = self._run
            self._run = None
            if kind == "code":
                self._code(start, end, "", fenced=False)
            else:
                self.blocks.append(Block(kind, start, end, self._section))

    def _code(self, start: int, end: int, info: str, fenced: bool) -> None:
        end = max(start, end)
        printed = self._reports.meet(start, end)
        self.blocks.append(Block("code", start, end, self._section, info, fenced, printed))


class _Spans:
    """Ranges of a text, sorted for fast overlap queries."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._starts = [start for start, _ in sorted(spans)]
        self._ends = list(accumulate((end for _, end in sorted(spans)), max))

    def meet(self, start: int, end: int) -> bool:
        before = bisect_left(self._starts, end)
        return before > 0 and self._ends[before - 1] > start


def remarks(text: str) -> list[tuple[int, int]]:
    """The ranges of HTML comments, which come from a template."""
    found = []
    start = text.find("<!--")
    while start >= 0 and (end := text.find("-->", start + 4)) >= 0:
        found.append((start, end + 3))
        start = text.find("<!--", end)
    return found


def _is_printed(text: str) -> bool:
    return (_FRAME.match(text) or _LOGGED.match(text)) is not None


def lines(text: str, start: int, end: int) -> list[Line]:
    """The lines of a part of a text, without line ends."""
    found = []
    for line in text[start:end].split("\n"):
        found.append(Line(start, line.removesuffix("\r")))
        start += len(line) + 1
    return found


def _unlisted(text: str, start: int, end: int) -> tuple[int, int]:
    """The same range without a list marker and surrounding white space."""
    mark = _LIST.match(text, start, end)
    part = text[mark.end() if mark else start : end]
    start = end - len(part.lstrip())
    return start, start + len(part.strip())
