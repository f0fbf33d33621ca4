"""The structure of a bug report: headings, prose and code, without quotes and reports."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate
from typing import NamedTuple

# "```sql", "   ~~~", "> ```"; a closing fence has no info string
_FENCE_LINE = re.compile(r"[ \t]{0,60}(`{3,100}|~{3,100})[ \t]*([^`\n]{0,200})$")
# "### 4. What is your version? (Required)", "**Version**", "Version:" on its own line
_HEADING_LINE = re.compile(
    r"[ \t]{0,3}(?:#{1,6}[ \t]+(?P<hash>\S.{0,300}?)[ \t#]*"
    r"|(?:\*\*|__)(?P<bold>[^*_\n]{2,100}?):?(?:\*\*|__):?"
    r"|(?P<colon>[A-Z][\w' ()-]{1,60}\??):?)$"
)
_COLON_HEADING = re.compile(r"[A-Z][\w' ()-]{1,60}(?::|\?)$")
_LIST_MARKER = re.compile(r"[ \t]{0,12}(?:[-*+]|\d{1,3}[.)])[ \t]")
# the end of a sentence: punctuation, white space, and a possible beginning
_SENTENCE_END = re.compile(r"(?<!\.)[.!?][)*_\"'`]{0,3}\s+(?=[A-Z`*_\[(\"/0-9#])")
# "    	/src/shop/cart.go:31 +0x45", "  #0 add cart.c:12": a stack outside of reports
_PRINTED_LINE = re.compile(
    r"\s*(?:#\d{1,3} |at 0x|by 0x|\S{1,400}\.(?:go|s|c|cc|cpp|h|rs):\d{1,9}(?:[: ]|$)"
    r"|[\w./*()·-]{1,300}\((?:0x[0-9a-f]|\.\.\.)|goroutine \d"
    # "[2022/12/08 22:45:28.632 +08:00] [WARN]", "2024-05-01T12:00:00Z ...", "I0501 18:55:04.000024"
    r"|\[?\d{4}[-/]\d\d[-/]\d\d[T ]|[IWEF]\d{4} \d\d:|\[\s*\d{1,7}\.\d{6}\])"
)


class OutlineBlock(NamedTuple):
    """Consecutive lines of one kind, in character offsets."""

    kind: str  # "prose" or "code"
    start: int
    end: int
    section: str = ""  # the heading above
    info_string: str = ""  # the info string of a fence
    has_report: bool = False  # contains a detector's report


class OutlineLine(NamedTuple):
    start: int
    text: str  # without its line end


class BugReportOutline:
    """The blocks of a text. Text outside of blocks is not the author's."""

    def __init__(self, text: str, report_ranges: list[tuple[int, int]] | None = None) -> None:
        self.text = text
        self._report_ranges = _RangeSet(report_ranges or [])
        self._excluded_ranges = _RangeSet([*(report_ranges or []), *html_comments(text)])
        self.blocks: list[OutlineBlock] = []
        self._section = ""
        self._open_fence: tuple[str, str, int] | None = None  # its marker, info string and start
        self._open_block: tuple[str, int, int] | None = None  # kind, start and end of an open block
        self._after_blank = True
        self._in_list = False
        for line in split_lines(text, 0, len(text)):
            self._add_line(line)
        if self._open_fence is not None:
            self._add_code_block(self._open_fence[2], len(text), self._open_fence[1])
        self._close_block()

    def prose_blocks(self) -> list[OutlineBlock]:
        return [block for block in self.blocks if block.kind == "prose"]

    def code_blocks(self) -> list[OutlineBlock]:
        return [block for block in self.blocks if block.kind == "code"]

    def block_text(self, block: OutlineBlock) -> str:
        return self.text[block.start : block.end]

    def block_lines(self, block: OutlineBlock) -> list[OutlineLine]:
        return split_lines(self.text, block.start, block.end)

    def sentences(self) -> list[tuple[OutlineBlock, int, int]]:
        """The sentences of the prose: block, start and end of each."""
        found = []
        for block in self.prose_blocks():
            start = block.start
            for match in _SENTENCE_END.finditer(self.text, block.start, block.end):
                found.append((block, start, match.end()))
                start = match.end()
            found.append((block, start, block.end))
        return [
            (block, *_trim_list_marker(self.text, sentence_start, sentence_end))
            for block, sentence_start, sentence_end in found
        ]

    def is_in_report(self, offset: int) -> bool:
        """Whether a detector's report is here."""
        return self._report_ranges.overlaps_range(offset, offset + 1)

    def is_excluded_text(self, offset: int) -> bool:
        """Whether a report or a comment of the template is here."""
        return self._excluded_ranges.overlaps_range(offset, offset + 1)

    def _add_line(self, line: OutlineLine) -> None:
        text, end = line.text, line.start + len(line.text)
        fence = _FENCE_LINE.match(text)
        if self._open_fence is not None:
            marker, info_string, start = self._open_fence
            if fence and fence[1].startswith(marker) and not fence[2].strip():
                self._add_code_block(start, line.start, info_string)
                self._open_fence = None
            return
        if fence and not self.is_excluded_text(line.start):
            self._close_block()
            info_words = fence[2].split()
            self._open_fence = (fence[1], info_words[0].strip("{}.").lower() if info_words else "", end + 1)
        elif not text.strip():
            if self._open_block and self._open_block[0] == "prose":
                self._close_block()
            self._after_blank = True
        elif self.is_excluded_text(line.start) or text.lstrip().startswith(">") or _PRINTED_LINE.match(text):
            self._close_block()
            self._after_blank = False
        else:
            self._add_text_line(line, end)
            self._after_blank = False

    def _add_text_line(self, line: OutlineLine, end: int) -> None:
        """Adds a line of prose, a heading, or indented code."""
        is_indented = line.text.startswith(("    ", "\t"))
        in_code = self._open_block is not None and self._open_block[0] == "code"
        if is_indented and (in_code or (self._after_blank and not self._in_list)):
            self._extend_block("code", line.start, end)
            return
        self._in_list = _LIST_MARKER.match(line.text) is not None or (self._in_list and is_indented)
        heading = _HEADING_LINE.match(line.text)
        if heading and (heading["colon"] is None or (self._after_blank and _COLON_HEADING.match(line.text))):
            self._close_block()
            self._section = next(filter(None, heading.groups()), "")
            if heading["hash"]:
                return
        if _LIST_MARKER.match(line.text):
            self._close_block()
        self._extend_block("prose", line.start, end)

    def _extend_block(self, kind: str, start: int, end: int) -> None:
        if self._open_block and self._open_block[0] == kind:
            self._open_block = (kind, self._open_block[1], end)
            return
        self._close_block()
        self._open_block = (kind, start, end)

    def _close_block(self) -> None:
        if self._open_block is not None:
            kind, start, end = self._open_block
            self._open_block = None
            if kind == "code":
                self._add_code_block(start, end, "")
            else:
                self.blocks.append(OutlineBlock(kind, start, end, self._section))

    def _add_code_block(self, start: int, end: int, info_string: str) -> None:
        end = max(start, end)
        has_report = self._report_ranges.overlaps_range(start, end)
        self.blocks.append(OutlineBlock("code", start, end, self._section, info_string, has_report))


class _RangeSet:
    """Ranges of a text, sorted for fast overlap queries."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._starts = [start for start, _ in sorted(spans)]
        self._ends = list(accumulate((end for _, end in sorted(spans)), max))

    def overlaps_range(self, start: int, end: int) -> bool:
        index = bisect_left(self._starts, end)
        return index > 0 and self._ends[index - 1] > start


def html_comments(text: str) -> list[tuple[int, int]]:
    """The ranges of HTML comments, which come from a template."""
    found = []
    start = text.find("<!--")
    while start >= 0 and (end := text.find("-->", start + 4)) >= 0:
        found.append((start, end + 3))
        start = text.find("<!--", end)
    return found


def split_lines(text: str, start: int, end: int) -> list[OutlineLine]:
    """The lines of a part of a text, without line ends."""
    found = []
    for line in text[start:end].split("\n"):
        found.append(OutlineLine(start, line.removesuffix("\r")))
        start += len(line) + 1
    return found


def _trim_list_marker(text: str, start: int, end: int) -> tuple[int, int]:
    """The same range without a list marker and surrounding white space."""
    list_marker = _LIST_MARKER.match(text, start, end)
    part = text[list_marker.end() if list_marker else start : end]
    start = end - len(part.lstrip())
    return start, start + len(part.strip())
