"""Joins and splits lines that were folded, wrapped, or spread over records of several lines."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from deadheat.text import decoding, lazy_compile, log_records

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from deadheat.detectors import Detector
    from deadheat.text.window import SlidingWindow


# a line that contains others is at least this long
_MIN_FOLDED_LENGTH = 48
# filled paragraphs are never wider
_MAX_FILLED_WIDTH = 200
# one in this many filled lines may have space for the next word
_LINES_PER_LOOSE_LINE = 4


class FoldedLines:
    """How lines are separated in a region whose lines are not the detector's."""

    def __init__(self) -> None:
        self._boundary: re.Pattern[str] | None = None
        self.is_filled = False  # whether a line end counts as a space

    def detect_folding(self, text: str, detector: Detector) -> bool:
        """Whether this line contains several of the detector's; if so, later lines are split too."""
        if not may_hold_folded_lines(text, detector):
            return False
        self._boundary = detector.joined_lines.boundary if detector.joined_lines else None
        return True

    def detect_filling(self, texts: Sequence[str], detector: Detector) -> bool:
        """Whether these lines are a filled paragraph; if so, their line ends are ignored."""
        self.is_filled = self.detect_folding(" ".join(texts), detector)
        return self.is_filled

    def unfold_line(self, text: str) -> list[str]:
        """Returns the report lines in this line."""
        return [text] if self._boundary is None else _unfold_text(self._boundary, text)

    def join_paragraphs(self, texts: list[str], offsets: list[int]) -> tuple[list[str], list[int]]:
        """Returns the lines and their offsets, with each filled paragraph as one line."""
        if not self.is_filled:
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


def may_hold_folded_lines(text: str, detector: Detector) -> bool:
    """Whether the line may contain several of the detector's lines."""
    return (
        detector.joined_lines is not None
        and len(text) >= _MIN_FOLDED_LENGTH
        and detector.joined_lines.evidence.search(text) is not None
    )


def may_be_paragraph(texts: Sequence[str], detector: Detector) -> bool:
    """Whether these lines, from a report's first one on, contain more report lines than they are."""
    if not _are_lines_full(texts):
        return False
    if any(may_hold_folded_lines(text, detector) for text in texts):
        return True
    non_blank = [text for text in texts if text.strip()]
    if (
        detector.joined_lines is None
        or not _MIN_FOLDED_LENGTH <= max(map(len, non_blank), default=0) < _MAX_FILLED_WIDTH
    ):
        return False
    return len(detector.joined_lines.boundary.findall(" ".join(non_blank))) > len(non_blank) + 1


def _are_lines_full(texts: Sequence[str]) -> bool:
    """Whether lines are as full as a filled paragraph: the next word does not fit."""
    pairs = [
        (line, next_line.split(None, 1)[0]) for line, next_line in pairwise(texts) if line.strip() and next_line.strip()
    ]
    width = max(map(len, texts), default=0)
    loose_lines = sum(len(line.rstrip()) + len(next_word) < width for line, next_word in pairs)
    return loose_lines * _LINES_PER_LOOSE_LINE <= len(pairs)


def _unfold_text(boundary: re.Pattern[str], text: str) -> list[str]:
    lines = boundary.sub(r"\g<end>\n", text).split("\n")
    return [line for line in lines if line.strip()] or [text]


# first and last line of a record: `    {`, `    },`; nested objects have keys: `"labels": {`
_RECORD_OPEN = lazy_compile(r"(\s{0,100})\[?\{\s{0,9}$")
_RECORD_CLOSE = lazy_compile(r"(\s{0,100})\}[,\]]{0,2}\s{0,9}$")
# limits of a record that contains one line of text
_MAX_RECORD_SIZE: Final = 1 << 12
_MAX_RECORD_LINES: Final = 100


def find_enclosing_record(
    window: SlidingWindow, line: int, raw: bytes, floor: int, encoding: str
) -> tuple[int, int] | None:
    """The start and end of the record around the line at `line`, if it names a writer."""
    if not raw.lstrip().startswith(b'"'):
        return None
    start = window.line_start_before(line, _MAX_RECORD_SIZE, floor)
    lines_above = window.peek(start, line - start)
    record_start = _open_record_start(lines_above.decode("latin-1"))
    if record_start < 0:
        return None
    text, _ = decoding.decode_lines(window.peek(start + record_start, _MAX_RECORD_SIZE), encoding)
    size = _record_line_count(text)
    pieces = _parse_joined_record(text[:size]) if size else None
    if pieces is None or not any(piece.stream for piece in pieces):
        return None
    end = start + record_start
    for _ in range(size):
        end = window.line_end(end)
    return start + record_start, end


def join_records(
    texts: Sequence[str], offsets: Sequence[int], ended: bool
) -> tuple[list[str], list[int], tuple[list[str], list[int]]]:
    """Returns the lines and offsets with each record joined, and the rest of an incomplete record."""
    joined_lines: list[str] = []
    starts: list[int] = []
    at = 0
    while at < len(texts):
        size = _record_line_count(texts[at : at + _MAX_RECORD_LINES])
        if size:
            joined_record = "".join(map(str.strip, texts[at : at + size]))
            record_lines = [joined_record] if log_records.parse_record(joined_record, []) else texts[at : at + size]
        elif _RECORD_OPEN.match(texts[at]) and not ended and len(texts) - at < _MAX_RECORD_LINES:
            break
        else:
            size, record_lines = 1, texts[at : at + 1]
        joined_lines += record_lines
        starts += offsets[at : at + len(record_lines)]
        at += size
    rest = list(texts[at:]), list(offsets[at : len(texts)])
    return joined_lines, [*starts, offsets[at]], rest


def _open_record_start(lines_above: str) -> int:
    """The start of the record that is open at the end of these lines, or -1."""
    at = len(lines_above)
    closed_indents: set[str] = set()
    while at > 0:
        record_start = lines_above.rfind("\n", 0, at - 1) + 1
        text = lines_above[record_start:at]
        if close := _RECORD_CLOSE.match(text):
            closed_indents.add(close[1])
        elif (opened := _RECORD_OPEN.match(text)) and opened[1] not in closed_indents:
            return record_start
        at = record_start
    return -1


def _record_line_count(texts: Sequence[str]) -> int:
    """The number of lines of the record that begins with the first line; 0 if it does not end."""
    opened = _RECORD_OPEN.match(texts[0]) if texts else None
    if opened is None:
        return 0
    for i, text in enumerate(texts[:_MAX_RECORD_LINES]):
        if (close := _RECORD_CLOSE.match(text)) and close[1] == opened[1]:
            return i + 1
    return 0


def _parse_joined_record(texts: Sequence[str]) -> list[log_records.LinePiece] | None:
    return log_records.parse_record("".join(map(str.strip, texts)), [])


# where C++, Rust and Swift have a space: "f(int,"/"long)", "f()"/"const", "Map<int>"/"all()",
# "void"/"add()", "(anonymous"/"namespace)"; and where every detector has one: "add()"/"(cart.cc:13)"
_WORD_BREAK = lazy_compile(
    r",\0|0x[0-9A-Fa-f]{1,16}:\0|[>*&]\0[A-Za-z_>]|\)\0[A-Za-z/]|\bconst\0/|::type\0[A-Za-z_]"
    r"|\(anonymous\0namespace"
    r"|\b(?:void|unsigned|signed|long|int|char|bool|short|float|double|const|operator)\0[A-Za-z_(]"
    r"|\0\((?:in /|[^():]{1,200}:\d)"
)
# a viewer's line number, copied onto a line of its own
_LINE_NUMBER = lazy_compile(r"\d{1,7}\s*")
_COLUMN_SEPARATORS = ("", " ")
_WORD_SEPARATORS = (" ", "")
_SPACE_SEPARATORS = (" ",)


class LineJoiner:
    """Determines how to join each line of a text to the previous one.

    If lines were broken at a column, all broken lines have the same width, none is wider, and spaces are
    kept. Otherwise they were broken between words.
    """

    def __init__(self) -> None:
        self._previous_line = ""
        self._previous_width = 0  # of the previous line; 0 if a space shows how it was broken
        self._max_width = 0
        self._broken_widths: set[int] = set()
        self._last_number = -1  # of the last line that was only a number

    def join_separators(self, text: str) -> tuple[str, ...]:
        """The separators to try between the previous line and this one, most likely first."""
        previous, self._previous_line = self._previous_line, text
        self._previous_width = len(previous.rstrip())
        self._max_width = max(self._max_width, self._previous_width)
        has_space = text[:1].isspace() or previous[-1:].isspace()
        if previous.endswith("="):  # quoted-printable
            return _SPACE_SEPARATORS if has_space else _COLUMN_SEPARATORS
        if has_space:
            self._previous_width = 0
            return _SPACE_SEPARATORS
        if _LINE_NUMBER.fullmatch(text) and self._is_line_number(int(text)):
            return _SPACE_SEPARATORS
        if self._previous_width < self._max_width or self._broken_widths - {self._previous_width}:
            return _WORD_SEPARATORS
        if not self._broken_widths and _WORD_BREAK.search(f"{previous[-40:]}\0{text[:240]}"):
            return _WORD_SEPARATORS
        return _COLUMN_SEPARATORS

    def _is_line_number(self, number: int) -> bool:
        """Whether this is a line number, not the end of a broken line."""
        previous_number, self._last_number = self._last_number, number
        return number == previous_number + 1 or self._previous_width < self._max_width

    def record_broken_line(self) -> None:
        """Records that the previous line was broken."""
        if self._previous_width:
            self._broken_widths.add(self._previous_width)
