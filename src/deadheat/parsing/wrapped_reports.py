"""Undamaged reports whose lines all have a prefix of one form, or are events of `go test -json`.

Removing the prefix from the bytes of the whole report is many times as fast as reading it line by line."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat.text import lazy_compile, prefixes

if TYPE_CHECKING:
    from deadheat.text.window import SlidingWindow


class UnwrappedReport(NamedTuple):
    """A report without its prefixes, from its opening to its closing."""

    raw: bytes
    size: int  # with the prefixes
    stream: str | None


_MAX_PREFIX: Final = 200
_MAX_EVENT: Final = 1 << 10
# `{"Time":"2024-05-01T12:00:00.1Z","Action":"output","Package":"example.com/p","Test":"TestX","Output":"text\n"}`
_OUTPUT_EVENT = lazy_compile(
    rb'\{"Time":"[\w:.+-]{1,40}","Action":"output","Package":"([^"\\\n]{1,300})"(?:,"Test":"[^"\\\n]{1,500}")?'
    rb',"Output":"([^"\\\n]{0,4000}(?:\\.[^"\\\n]{0,4000}){0,200})"\}\n'
)


def unwrap_report(
    window: SlidingWindow, line: int, opening: bytes, closing: bytes, max_size: int
) -> UnwrappedReport | None:
    """The report whose first line, with a prefix, begins at `line`; None if there is none."""
    head = window.peek(line, _MAX_EVENT)
    if head[:9] == b'{"Time":"':
        return _unwrap_events(window, line, head, opening, closing, max_size)
    size = head.find(opening, 0, _MAX_PREFIX + len(opening))
    if size <= 0 or b"\n" in head[:size]:
        return None
    pattern, stream = _prefix_pattern(head[:size])
    bar = closing.lstrip()
    inside = window.bytes_until(line + size, bar, max_size) if pattern else None
    if pattern is None or inside is None:
        return None
    wrapped = head[:size] + inside + bar
    raw, count = pattern.subn(b"", wrapped)
    if count != wrapped.count(b"\n") or not raw.endswith(closing):
        return None
    return UnwrappedReport(raw[: -len(closing)], len(wrapped), stream)


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


def _prefix_pattern(prefix: bytes) -> tuple[re.Pattern[bytes] | None, str | None]:
    """A pattern for prefixes that differ only in numbers, and the stream that they name."""
    # quotes and numbers of lines are left to the line readers
    if not prefix.isascii() or prefix[:1] in b">+#/*=-\"'" or b'"' in prefix:
        return None, None
    form = prefixes.prefix_form(prefix.decode())
    return (None, None) if form is None else (_compile_prefix(form[0]), form[1])


@lru_cache(maxsize=64)
def _compile_prefix(form: str) -> re.Pattern[bytes]:
    # some log stores remove the blank at the end of an otherwise empty line
    blank = form.endswith("\\ ")
    return re.compile(rb"(?m)^%s" % (form[:-2] + r"(?: |(?=\n))" if blank else form).encode())
