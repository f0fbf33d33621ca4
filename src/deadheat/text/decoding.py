"""Detects the encoding of a document and decodes its lines, without colours and markup."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from deadheat.model import Span
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    ReadBytes = Callable[[int], bytes]


UTF8, LATIN1 = "utf-8", "latin-1"
# byte order marks; the one of UTF-32 begins with the one of UTF-16
_BYTE_ORDER_MARKS = ((b"\xff\xfe\0\0", 4, 0), (b"\0\0\xfe\xff", 4, 3), (b"\xff\xfe", 2, 0), (b"\xfe\xff", 2, 1))
# number of bytes needed for detection
HEAD_SIZE = 4096


@dataclass(frozen=True, slots=True)
class ByteLayout:
    """The encoding of a document, used to map offsets to raw bytes."""

    encoding: str = UTF8
    mark_size: int = 0  # size of the byte order mark in bytes
    unit_size: int = 1  # size of a code unit in bytes
    low_byte: int = 0  # index of the low byte within a unit

    def narrow_reader(self, read: ReadBytes) -> ReadBytes:
        """Returns a reader that yields one byte per code unit, so that offsets stay proportional.

        Detectors print Latin-1; other characters become `?`.
        """
        if self.unit_size == 1:
            return read
        _read_exactly(read, self.mark_size)

        def read_narrow(size: int) -> bytes:
            raw = read(size & -self.unit_size)
            raw += _read_exactly(read, -len(raw) % self.unit_size)
            # a unit that is cut off at the end of the file is no character
            return _narrow_units(raw[: len(raw) // self.unit_size * self.unit_size], self.low_byte, self.unit_size)

        return read_narrow

    def raw_span(self, span: Span) -> Span:
        """Converts a span in the narrowed text to a span in the document."""
        if self.unit_size == 1:
            return span
        return Span(self.mark_size + span.offset * self.unit_size, span.length * self.unit_size, span.stream)


SINGLE_BYTE = ByteLayout()


def detect_layout(head: bytes) -> ByteLayout:
    """Detects the layout of a document from its first bytes."""
    for byte_order_mark, unit_size, low_byte in _BYTE_ORDER_MARKS:
        if head.startswith(byte_order_mark):
            return ByteLayout(LATIN1, len(byte_order_mark), unit_size, low_byte)
    for low_byte in (0, 1):
        if len(head) >= 16 and _is_two_byte_text(head[low_byte::2], head[1 - low_byte :: 2]):
            return ByteLayout(LATIN1, 0, 2, low_byte)
    return SINGLE_BYTE  # UTF-32 without a mark is not distinguishable from numbers


def _read_exactly(read: ReadBytes, size: int) -> bytes:
    """Reads `size` bytes from a reader that may return less; fewer only at the end."""
    received = b""
    while len(received) < size and (block := read(size - len(received))):
        received += block
    return received


def _is_two_byte_text(low_bytes: bytes, high_bytes: bytes) -> bool:
    return high_bytes.count(0) > 0.7 * len(high_bytes) and low_bytes.count(0) < 0.1 * len(low_bytes)


def _high_bytes(raw: bytes, unit_size: int, low_byte: int) -> bytes:
    return b"".join(raw[at::unit_size] for at in range(unit_size) if at != low_byte)


def _narrow_units(raw: bytes, low_byte: int, unit_size: int) -> bytes:
    low_bytes = raw[low_byte::unit_size]
    if not _high_bytes(raw, unit_size, low_byte).strip(b"\0"):
        return low_bytes
    other_bytes = zip(*(raw[at::unit_size] for at in range(unit_size) if at != low_byte), strict=False)
    return bytes(63 if any(upper) else char for char, upper in zip(low_bytes, other_bytes, strict=False))


# signatures of ELF, Mach-O, PE, PNG, JPEG, GIF, PDF, class files, SQLite, Parquet, wasm
_BINARY_SIGNATURES = (
    b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ\x90", b"\x89PNG", b"\xff\xd8\xff",
    b"GIF8", b"%PDF-", b"SQLite format 3\0", b"PAR1", b"\0asm",
)  # fmt: skip


def is_binary(head: bytes) -> bool:
    """Whether this is not text. Stray NULs, or a run of leading ones, are still text."""
    if head.startswith(_BINARY_SIGNATURES):
        return True
    body = head.lstrip(b"\0")
    return body.count(0) * 20 > len(body) > 0 and detect_layout(head) is SINGLE_BYTE


# a line break inside a line, from "&#10;" or "<br>"; `split_prefixes` splits the line there
LINE_BREAK = "\u2028"
# the forms that a line break inside a line may have
LINE_BREAK_FORMS = (LINE_BREAK, "\\n", "\\012", "\\x0a", "%0A", "^J")
# Valgrind: "==4711== text"
VALGRIND_PREFIX = lazy_compile(
    rb"^(?:==|--|\*\*|(?:=3D){2})(?:[\d:.]{15} )?\d{1,9}(?:==|--|\*\*|(?:=3D){2})", re.MULTILINE
)
# colours, erasures, titles, times: "\x1b[31m", "\x1b[0K", "\x1b]0;title\x07", "\x1b_bk;t=1\x07"
_ANSI_ESCAPE = lazy_compile(r"\x1b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|[\]_][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)|[@-Z\\^_])")
# the same without the escape character or with a visible one: "[31mtext[0m",
# "^[[1;31mtext^[[0m", "ESC[0m", "=1B[0m" of mail, "#033[0m" of rsyslog;
# not "rate(x[5m])", and only in text that resets a colour somewhere
_COLOUR_RESETS = ("[0m", "[m\ufffd[K", "[m^[[K", "[m[K")
_BARE_ANSI_ESCAPE = lazy_compile(
    r"(?:\^\[|ESC|=1B|#033|\\{1,8}(?:u001[bB]|x1[bB]|033|e)|[\ufffd\u241b\u2190])?"
    r"\[(?:\d{1,3}(?:;\d{1,3}){0,4}m(?!\])|m(?=\W{0,2}\[K)|K(?=\s|$|[\"\\]))"
)
_CONTROL_BYTES = bytes(c for c in range(32) if c not in b"\t\n\r\x1b") + b"\x7f"
_CONTROL_CHARACTER = lazy_compile("[" + re.escape(_CONTROL_BYTES.decode()) + "]")
_CONTROL_REMOVAL = dict.fromkeys(_CONTROL_BYTES)
# "&lt;autogenerated&gt;:1", "&#39;"
_HTML_ENTITY = lazy_compile(r"&(?:#\d{1,6}|#x[0-9a-fA-F]{1,5}|[a-z]{2,6});")
# "<pre>", "<br/>", "<system-out><![CDATA[", "]]></system-out>"; not Go's "<autogenerated>" and not
# C++ templates, whose arguments may be capital: "Box<A>"
_HTML_TAG = lazy_compile(
    r"</?(?:pre|code|br|span|div|p|t[dhr]|table|tbody|li|ul|ol|b|i|em|strong|a|font|details|summary"
    r"|samp|tt|blockquote|h[1-6]|system-out|system-err|failure|error|wbr|mark|kbd"
    r"|BR|PRE|SPAN|FONT|TT|BODY|HTML)(?:[ \t][^<>\n]{0,300})?/?>"
    r"|<!\[CDATA\[|\]\]>"
)
# "<br>", "</p>" before the end of a line
_LINE_BREAK_TAG = lazy_compile(r"<(?:(?:br|BR) ?/?|/(?:p|div|li|tr|h[1-6]|summary|P|DIV|LI|TR))>(?=[^\n])")
# between a line number and its line: `<td>12</td><td>text</td>`
_CELL_TAG = lazy_compile(r"</t[dh]>(?=\s{0,20}<t[dh]\b)")
# line number and time in the HTML of a log viewer:
# `<div class="line"><a href="#L12">12</a><span class="time">12:00:01</span><span>text</span></div>`
_LINE_NUMBER_GUTTER = lazy_compile(
    r"((?:^|<(?:div|p|li|tr|td)\b[^<>\n]{0,300}>)\s{0,20}<(?:span|a|div|button)\b[^<>\n]{0,300}>\s{0,9}"
    r"\d{1,7}\s{0,9}|>[\d-]{0,10}[T ]?\d\d:\d\d:\d\d[\d.,]{0,10}Z?\s{0,9})"
    r"</(?:span|a|div|button|time)>(?=\s{0,20}<)",
    re.MULTILINE,
)
# escapes of Markdown and wiki editors: "main.(\\*Cart).Add", "cart\\_test.go:31"
MARKDOWN_ESCAPE = lazy_compile(r"\\([*_\[\]()<>{}#+`|~])")
# the part of a progress display that changes: "12% [===>   ]"
_PROGRESS_PART = lazy_compile(r"[\d\W]+")
# zero-width characters and byte order marks are removed; other Unicode spaces become a space
_CHARACTER_REPLACEMENTS = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff")) | dict.fromkeys(
    map(ord, "\u00a0\u2002\u2003\u2007\u2009\u202f"), " "
)
# ligatures and full-width punctuation: "con\ufb02ict", "by goroutine 7\uff1a"
_TYPOGRAPHIC_CHARACTERS = dict(zip(map(ord, "\ufb00\ufb01\ufb02\ufb03\ufb04\uff08\uff09\uff1a\uff0c\u00ad"),
                ("ff", "fi", "fl", "ffi", "ffl", "(", ")", ":", ",", None), strict=True))  # fmt: skip
# Unicode hyphens and minus signs become "-"
_TYPOGRAPHIC_CHARACTERS |= dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212"), "-")
_CHARACTER_REPLACEMENTS |= _TYPOGRAPHIC_CHARACTERS


# file names that chats and wikis turned into links: "<http://cart.cc|cart.cc>:31",
# "[cart.rs](http://cart.rs):31", "[cart.rs|http://cart.rs]:31"
_HYPERLINK = lazy_compile(
    r"<https?://[^\s|<>]{1,300}\|([^\s|<>]{1,300})>|\[([^\s\[\]|]{1,300})"
    r"(?:\]\(https?://[^\s()]{1,300}\)|\|https?://[^\s\[\]|]{1,300}\])"
)

# frame numbers that trackers turned into issue links; there is no issue 0:
# "https://github.com/shop/cart/issues/1 add() /src/cart.cc:12"
_LINKED_FRAME_NUMBER = lazy_compile(
    r"(?:(?<=\s)|(?<![^\n]))https?://[^\s/]{1,200}/[^\s]{1,300}?"
    r"/(?:issues|pull|merge_requests)/(\d{1,4})(?= )"
)
_FIRST_FRAME = "#0 "

# a suffix counts only if this many different lines share it
_MIN_SUFFIX_LINES = 5
_RECORD_STARTS = ("{", "[", '"', "<")


# bytes of text that needs no cleaning; "<" is allowed in Go's "<autogenerated>"
_CLEAN_BYTES = bytes(c for c in range(32, 127) if c not in b"&<[\\") + b"\n"


def is_clean(raw: bytes) -> bool:
    """Whether `decode_lines` would return this text unchanged."""
    unclean = raw.translate(None, _CLEAN_BYTES)
    if not unclean or unclean == b"<" * raw.count(b"<autogenerated>"):
        return True
    return raw.isascii() and decode_lines(raw) == (raw.decode().split("\n"), False)


def decode_lines(raw: bytes, encoding: str = UTF8) -> tuple[list[str], bool]:
    """Returns the lines of `raw`, and whether bytes were discarded."""
    text = raw.decode("ascii") if raw.isascii() else _decode_text(raw, encoding)
    if "\x1b" in text:
        # before control characters are removed, because a window title ends with one
        text = _ANSI_ESCAPE.sub("", text).replace("\x1b", "")
        has_stray_bytes = _CONTROL_CHARACTER.search(text) is not None
    else:
        has_stray_bytes = len(raw.translate(None, _CONTROL_BYTES)) != len(raw)
    text = _remove_bare_colours(text)
    if "\ufffd" in text:
        has_stray_bytes, text = True, text.replace("\ufffd", "")
    if has_stray_bytes:
        text = text.translate(_CONTROL_REMOVAL)
    text = _remove_markup(text)
    if "://" in text:
        text = _HYPERLINK.sub(_link_text, text)
        if _FIRST_FRAME in text:
            text = _LINKED_FRAME_NUMBER.sub(r"#\1", text)
    lines = text.split("\n")
    if "\\" in text:
        lines = [_remove_markdown_escapes(line) if "\\" in line else line for line in lines]
    if "\r" in text:
        return [_apply_carriage_returns(line) for line in lines], has_stray_bytes
    return lines, has_stray_bytes


def clean_record_text(text: str) -> str:
    """Cleans text taken from a record, which may contain escaped colours and special characters."""
    if "\x1b" in text:
        text = _ANSI_ESCAPE.sub("", text).replace("\x1b", "")
    text = _remove_bare_colours(text)
    if not text.isascii():
        text = _normalize_characters(text)
    if _CONTROL_CHARACTER.search(text) is not None:
        text = text.translate(_CONTROL_REMOVAL)
    return _remove_markup(text)


def common_suffix(texts: Sequence[str]) -> str:
    """Returns the suffix that all lines share, as in "main.main() {pod=x}"; "" for records."""
    non_blank = [text for text in texts if text.strip()]
    if len({*non_blank}) < _MIN_SUFFIX_LINES or non_blank[0].lstrip()[:1] in _RECORD_STARTS:
        return ""
    length = 0
    while len({text[-length - 1 :] for text in non_blank}) == 1:
        length += 1
    return non_blank[0][len(non_blank[0]) - length :].lstrip(")")


def _decode_text(raw: bytes, encoding: str) -> str:
    return _normalize_characters(raw.decode(encoding, "replace"))


def _normalize_characters(text: str) -> str:
    # UTF-8 that was read as Latin-1: "funcÂ·024"
    text = text.replace("Â·", "·").replace("Â\u00a0", " ")
    # Word turns "-->" into a dash: "--> src/cart.rs:31:9"
    return text.replace("\u2013>", "-->").translate(_CHARACTER_REPLACEMENTS)


def _remove_bare_colours(text: str) -> str:
    if "m" in text and any(end in text for end in _COLOUR_RESETS):
        return _BARE_ANSI_ESCAPE.sub("", text)
    return text


def _remove_markdown_escapes(line: str) -> str:
    """Removes Markdown's backslashes, unless the line has others, as in a Windows path."""
    unescaped = MARKDOWN_ESCAPE.sub(r"\1", line)
    return line if "\\" in unescaped else unescaped


def _remove_markup(text: str) -> str:
    if "<" in text:
        if "</" in text:
            text = _LINE_NUMBER_GUTTER.sub(r"\1 ", text)
        text = _HTML_TAG.sub("", _LINE_BREAK_TAG.sub(LINE_BREAK, _CELL_TAG.sub("\t", text)))
    if "&" in text:
        # some tools escape twice
        text = _HTML_ENTITY.sub(_unescape_entity, text.replace("&amp;", "&"))
    return text


def _link_text(match: re.Match[str]) -> str:
    return match[1] or match[2]


def _unescape_entity(match: re.Match[str]) -> str:
    import html  # its table is large and rarely needed

    return html.unescape(match[0]).replace("\n", LINE_BREAK).replace("\r", "").replace("\u00a0", " ")


def _apply_carriage_returns(line: str) -> str:
    """Returns what a terminal shows after carriage returns, as a progress display uses them.

    With two parts both are kept: where lines end in `\\r\\n`, another writer may have interrupted.
    """
    parts = [part for part in line.split("\r") if part.strip()]
    fixed_parts = [_PROGRESS_PART.sub("", part) for part in parts]
    # lines that end in a bare carriage return differ in more than numbers and bars
    changes = sum(fixed_part != previous_part for previous_part, fixed_part in pairwise(fixed_parts))
    return LINE_BREAK.join(parts) if len(parts) < 3 or 2 * changes > len(parts) else parts[-1]
