"""Mail: an mbox or a single message; each message is a document, its subject the title."""

from __future__ import annotations

import binascii
import re
from contextlib import suppress
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from typing import TYPE_CHECKING

from deadheat.documents import Draft, Passage
from deadheat.documents.placed import Placed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from email.message import Message

    Pieces = list[tuple[bytes, int, int]]

# "From dev@example.com Thu May  2 12:00:00 2024" at the beginning or after a blank line
_FROM = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\r\n\r\n))From [^\r\n]{1,200}\d{4}[^\r\n]{0,20}\r?\n")
_HEADER = re.compile(
    rb"(?:>?From [^\r\n]*\r?\n)?(?:[A-Za-z][A-Za-z0-9-]{0,60}:[^\r\n]*\r?\n[ \t\r\n]?){2}"
)
_TELLING = re.compile(rb"^(?:Message-ID|Subject|Date|From|Received):", re.MULTILINE | re.IGNORECASE)
# "=3D", "=\r\n" at the end of a line
_QUOTED = re.compile(rb"=(?:[0-9A-Fa-f]{2}|[ \t]*\r?\n)")
# ">From " and ">>From ", mbox escapes with one additional ">"
_STUFFED = re.compile(rb"^>+From ", re.MULTILINE)
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_NO_BASE64 = re.compile(rb"[^A-Za-z0-9+/=\s]")
_MAX_PARTS = 200
_ONE_BYTE = re.compile(
    r"latin-?1|iso-?8859-?\d{1,2}|cp125\d|windows-125\d|koi8-[ru]", re.IGNORECASE
)


class Mail:
    name = "mail"
    rank = 4

    def split(self, data: bytes, uri: str) -> list[Draft] | None:
        starts = [match.start() for match in _FROM.finditer(data)] or [0]
        ends = [*starts[1:], len(data)]
        if not _is_message(data[starts[0] : starts[0] + 20_000]) or data[: starts[0]].strip():
            return None
        drafts = [
            _draft(data, start, end, str(number) if len(starts) > 1 else "")
            for number, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
        ]
        return _threaded(drafts)


def _is_message(head: bytes) -> bool:
    headers = re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0]
    names = {name.lower() for name in _TELLING.findall(headers)}
    return _HEADER.match(head) is not None and len(names) >= 2


def _draft(data: bytes, start: int, end: int, fragment: str) -> Draft:
    message = message_from_bytes(data[start:end])
    passages = tuple(_passages(message, data, start, end))
    return Draft(
        fragment,
        passages,
        title=_header(message, "Subject"),
        id=_header(message, "Message-ID"),
        written=_header(message, "Date"),
        thread=(_header(message, "In-Reply-To").split() or [""])[0],
    )


def _header(message: Message, name: str) -> str:
    """A header, decoded if possible, on one line."""
    value = str(message.get(name, ""))
    # words in an unknown encoding are left unchanged
    with suppress(MessageError, LookupError, ValueError):
        value = str(make_header(decode_header(value)))
    return " ".join(value.encode("utf-8", "replace").decode().split())


def _threaded(drafts: list[Draft]) -> list[Draft]:
    """Sets the thread of each message to the first message of it in the file."""
    answers = {draft.id: draft.thread for draft in drafts if draft.id}
    threaded = []
    for draft in drafts:
        root, seen = draft.thread, {draft.id}
        while (before := answers.get(root)) and root not in seen:
            seen.add(root)
            root = before
        threaded.append(draft._replace(thread=root))
    return threaded


def _passages(message: Message, data: bytes, start: int, end: int) -> Iterator[Passage]:
    at = start
    for part in _parts(message):
        encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
        # without that header, get_payload returns the bytes as they are in the file
        del part["Content-Transfer-Encoding"]
        raw = part.get_payload(decode=True)
        found = data.find(raw, at, end) if isinstance(raw, bytes) and raw else -1
        if found < 0 or not isinstance(raw, bytes):
            continue
        at = found + len(raw)
        placed = _decoded(raw, found, encoding, str(part.get_content_charset() or "utf-8"))
        if b"\0" not in placed.data:
            # HTML is read for reports only: tags would be taken for claims
            yield Passage(placed, "text" if part.get_content_type() != "text/html" else "output")


def _parts(message: Message) -> Iterator[Message]:
    """The text parts, without HTML alternatives of plain text."""
    parts = [part for _, part in zip(range(_MAX_PARTS), message.walk(), strict=False)]
    plain = any(part.get_content_type() == "text/plain" for part in parts)
    for part in parts:
        kind = part.get_content_type()
        if not part.is_multipart() and not (plain and kind == "text/html"):
            yield part


def _decoded(raw: bytes, at: int, encoding: str, charset: str) -> Placed:
    if encoding == "base64" and not _NO_BASE64.search(raw):
        pieces = _base64(raw, at)
    elif encoding == "quoted-printable":
        pieces = _quoted_printable(raw, at)
    else:
        pieces = _pieces(raw, _STUFFED, at, lambda stuffed: stuffed[1:])
    placed = Placed()
    placed.put(_in_utf8(pieces, charset, at, at + len(raw)))
    return placed


def _pieces(raw: bytes, odd: re.Pattern[bytes], at: int, said: Callable[[bytes], bytes]) -> Pieces:
    """Splits `raw` into unchanged text between matches and the replacement of each match."""
    pieces: Pieces = []
    begin = 0
    for match in odd.finditer(raw):
        pieces.append((raw[begin : match.start()], at + begin, at + match.start()))
        pieces.append((said(match[0]), at + match.start(), at + match.end()))
        begin = match.end()
    pieces.append((raw[begin:], at + begin, at + len(raw)))
    return pieces


def _quoted_printable(raw: bytes, at: int) -> Pieces:
    def said(match: bytes) -> bytes:
        return b"" if match.endswith(b"\n") else bytes([int(match[1:], 16)])

    return _pieces(raw, _QUOTED, at, said)


def _base64(raw: bytes, at: int) -> Pieces:
    """Decodes line by line, so that offsets are exact to a line."""
    pieces: Pieces = []
    pending, begin = b"", at
    for line in raw.splitlines(keepends=True):
        pending += line.strip()
        whole = len(pending) // 4 * 4
        said = b""
        with suppress(binascii.Error):
            said = binascii.a2b_base64(pending[:whole])
        pieces.append((said, begin, at + len(line)))
        pending = pending[whole:]
        at += len(line)
        begin = at
    return pieces


def _in_utf8(pieces: Pieces, charset: str, at: int, end: int) -> Pieces:
    """Converts other charsets to UTF-8: by character for single-byte charsets, else as a whole."""
    if all(text.isascii() for text, _, _ in pieces):
        return pieces
    whole = b"".join(text for text, _, _ in pieces)
    if charset.lower() in ("utf-8", "utf8", "us-ascii", "ascii"):
        return pieces
    try:
        if not _ONE_BYTE.fullmatch(charset):
            return [(whole.decode(charset, "replace").encode("utf-8", "replace"), at, end)]
        return [
            inner
            for text, begin, stop in pieces
            for inner in (
                _pieces(text, _NOT_ASCII, begin, lambda c: c.decode(charset, "replace").encode())
                if len(text) == stop - begin
                else [(text.decode(charset, "replace").encode(), begin, stop)]
            )
        ]
    except (LookupError, ValueError):
        return pieces


SHAPE = Mail()
