"""Undamaged reports whose lines all have a prefix of one form, or are events of `go test -json`.

Removing the prefix from the bytes of the whole report is many times as fast as reading it line by line."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat.text import lazy_compile, prefixes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.detectors import Detector
    from deadheat.text.window import SlidingWindow


class UnwrappedReport(NamedTuple):
    """A report without its prefixes, from its opening to its closing."""

    raw: bytes
    size: int  # with the prefixes
    stream: str | None
    start: int = 0  # after the line where the search began


_MAX_PREFIX: Final = 200
_MAX_EVENT: Final = 1 << 10
# the line before a report, also after announcements of its threads: "---Thread-Announcement---"
_RULE: Final = b"-----"
# more lines than any report waits for its next one, and where to look for them
_FOLLOWING_SIZE: Final = 1 << 13
_FOREIGN_LINES = lazy_compile(rb"(?:\s*\S[^\n]*\n){24}")
# `{"Time":"2024-05-01T12:00:00.1Z","Action":"output","Package":"example.com/p","Test":"TestX","Output":"text\n"}`
_OUTPUT_EVENT = lazy_compile(
    rb'\{"Time":"[\w:.+-]{1,40}","Action":"output","Package":"([^"\\\n]{1,300})"(?:,"Test":"[^"\\\n]{1,500}")?'
    rb',"Output":"([^"\\\n]{0,4000}(?:\\.[^"\\\n]{0,4000}){0,200})"\}\n'
)


def unwrap_report(
    window: SlidingWindow, line: int, opening: bytes, closing: bytes, closing_size: int, max_size: int
) -> UnwrappedReport | None:
    """The report whose first line, with a prefix, begins at `line`; None if there is none.

    Of the closing, which ends with a whole line, `closing_size` bytes are in the report.
    """
    head = window.peek(line, _MAX_EVENT)
    if head[:9] == b'{"Time":"':
        return _unwrap_events(window, line, head, opening, closing, max_size)
    size = head.find(opening, 0, _MAX_PREFIX + len(opening))
    if size <= 0 or b"\n" in head[:size]:
        return None
    # quotes and numbers of lines are left to the line readers
    form = _prefix_form(head[:size]) if head[:1] not in b">+#/*=-\"'" else None
    bar = closing.lstrip()
    inside = window.bytes_until(line + size, bar, max_size) if form else None
    # several openings before a closing would make this quadratic
    if form is None or inside is None or inside.find(opening, 1) >= 0:
        return None
    pattern, stream = form
    wrapped = head[:size] + inside + bar
    raw, count = _compile_prefix(pattern).subn(b"", wrapped)
    if count != wrapped.count(b"\n") or not raw.endswith(closing):
        return None
    size = len(wrapped) if closing_size == len(closing) else wrapped.rindex(b"\n", 0, -1) + 1
    return UnwrappedReport(raw[: -len(closing)], size, stream)


def unwrap_blocks(
    window: SlidingWindow, line: int, detector: Detector, max_size: int
) -> tuple[list[UnwrappedReport], int]:
    """The reports of a process from `line` on, whose prefix contains its number, which alone names the writer.

    After the last one come enough lines of others that cannot belong to it. Empty if it may continue, or any line
    between them is not of this process. Also returns the end of the examined lines.
    """
    head = window.peek(line, _MAX_EVENT).partition(b"\n")[0]
    size = max(head.find(start, 0, _MAX_PREFIX + len(start)) for start in detector.block_starts)
    pattern, process = (_prefix_form(head[:size]) if size > 0 else None) or ("", None)
    if process is None or not process.isdigit():
        return [], line
    # compiled once for all processes
    before, _, after = pattern.rpartition(process)
    pattern = f"{before}([0-9]+){after}"
    text = window.peek(line, max_size)
    run = _compile_lines(pattern).match(text)
    if run is None:
        return [], line
    run_end = line + run.end()
    if {*_compile_prefix(pattern).findall(run[0])} != {process.encode()}:
        return [], run_end
    following = text[run.end() : run.end() + _FOLLOWING_SIZE]
    is_rest = len(text) < min(max_size, run.end() + _FOLLOWING_SIZE) and text.endswith(b"\n")
    outer = _prefix_form(head[: head.rfind(process.encode(), 0, size) - 2])
    if outer is not None:
        following = _compile_prefix(outer[0]).sub(b"", following)
    if not _is_over(following, is_rest, process.encode(), detector):
        return [], run_end
    ends = [0, *accumulate(len(wrapped_line) for wrapped_line in run[0].splitlines(keepends=True))]
    blocks = []
    lines = _compile_prefix(pattern).sub(b"", run[0]).split(b"\n")[:-1]
    for begin, end in pairwise([*_block_starts(lines), len(lines)]):
        last = end
        while last > begin and not lines[last - 1]:
            last -= 1
        if last in (begin, end):  # a blank line ends a report
            return [], run_end
        raw = b"\n".join(lines[begin:last])
        blocks.append(UnwrappedReport(raw, ends[last] - ends[begin], process, ends[begin]))
    return blocks, run_end


def _block_starts(lines: list[bytes]) -> Iterator[int]:
    """The indexes of the lines with which reports begin: the first announcement of a thread, or a rule."""
    has_body = False
    yield 0
    for i, text in enumerate(lines):
        is_rule = text.startswith(_RULE)
        if has_body and text.startswith(_RULE[:3]):
            yield i
        has_body = is_rule or (has_body and not text.startswith(_RULE[:3])) or (not i and text[:1] != b"-")


def _is_over(following: bytes, is_rest: bool, process: bytes, detector: Detector) -> bool:
    """Whether no line of these continues a report that is complete, and there are enough of them, or no others."""
    lines = _FOREIGN_LINES.match(following)
    nearby = following if lines is None else lines[0]
    if (lines is None and not is_rest) or process in nearby:
        return False
    return detector.block_continuation is not None and detector.block_continuation.search(nearby) is None


def _unwrap_events(
    window: SlidingWindow, line: int, head: bytes, opening: bytes, closing: bytes, max_size: int
) -> UnwrappedReport | None:
    """A report in the events of one package."""
    first = _OUTPUT_EVENT.match(head)
    last = b'"%s\\n"}\n' % closing.strip()
    inside = window.bytes_until(line, last, 2 * max_size) if first else None
    if first is None or inside is None:
        return None
    wrapped = inside + last
    events = _OUTPUT_EVENT.findall(wrapped)
    if len(events) != wrapped.count(b"\n") or any(package != first[1] for package, _ in events):
        return None
    try:
        raw = json.loads(b'"%s"' % b"".join([output for _, output in events])).encode()
    except ValueError:
        return None
    if raw.count(b"\n") != len(events) or not raw.startswith(opening) or not raw.endswith(closing):
        return None
    return UnwrappedReport(raw[: -len(closing)], len(wrapped), first[1].decode("utf-8", "replace"))


def _prefix_form(prefix: bytes) -> tuple[str, str | None] | None:
    """A pattern for prefixes that differ only in numbers, and the stream that they name."""
    return prefixes.prefix_form(prefix.decode()) if prefix.isascii() and b'"' not in prefix else None


@lru_cache(maxsize=64)
def _compile_prefix(form: str) -> re.Pattern[bytes]:
    return re.compile(b"(?m)^%s" % _pattern_source(form))


@lru_cache(maxsize=64)
def _compile_lines(form: str) -> re.Pattern[bytes]:
    """All lines from a place on that have this prefix."""
    return re.compile(rb"(?:%s[^\n]*\n)+" % _pattern_source(form))


def _pattern_source(form: str) -> bytes:
    # some log stores remove the blank at the end of an otherwise empty line
    return (form[:-2] + r"(?: |(?=\n))" if form.endswith("\\ ") else form).encode()
