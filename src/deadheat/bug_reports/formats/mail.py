"""Mail: an mbox or a single message; each message is a document, its subject the title."""

from __future__ import annotations

import binascii
import re
from contextlib import suppress
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from itertools import islice
from typing import TYPE_CHECKING, Any

from deadheat.bug_reports import BugReportDraft, BugReportFormat, DraftPassage, OffsetText, TextPiece, replace_matches

if TYPE_CHECKING:
    from collections.abc import Iterator

# "From dev@example.com Thu May  2 12:00:00 2024" at the beginning or after a blank line
_FROM_LINE = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\r\n\r\n))From [^\r\n]{1,200}\d{4}[^\r\n]{0,20}\r?\n")
_HEADER_START = re.compile(rb"(?:>?From [^\r\n]*\r?\n)?(?:[A-Za-z][A-Za-z0-9-]{0,60}:[^\r\n]*\r?\n[ \t\r\n]?){2}")
_TYPICAL_HEADER = re.compile(rb"^(?:Message-ID|Subject|Date|From|Received):", re.MULTILINE | re.IGNORECASE)
# "=3D", "=\r\n" at the end of a line
_QUOTED_PRINTABLE = re.compile(rb"=(?:[0-9A-Fa-f]{2}|[ \t]*\r?\n)")
# ">From " and ">>From ", mbox escapes with one additional ">"
_ESCAPED_FROM = re.compile(rb"^>+From ", re.MULTILINE)
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/=\s]")
_MAX_PARTS = 200
# each line of a part is compared with the boundaries of all parts around it
_MAX_PART_DEPTH = 50
_SINGLE_BYTE_CHARSET = re.compile(r"latin-?1|iso-?8859-?\d{1,2}|cp125\d|windows-125\d|koi8-[ru]", re.IGNORECASE)


class _NestedMessage(Message):
    """A message or part that may not be nested too deeply."""

    depth = 0

    def attach(self, payload: Any) -> None:
        if self.depth == _MAX_PART_DEPTH:
            raise RecursionError("parts in parts")
        payload.depth = self.depth + 1
        super().attach(payload)


def _split_mail(data: bytes, uri: str) -> list[BugReportDraft] | None:
    starts = [match.start() for match in _FROM_LINE.finditer(data)] or [0]
    ends = [*starts[1:], len(data)]
    if not _is_message(data[starts[0] : starts[0] + 20_000]) or data[: starts[0]].strip():
        return None
    drafts = [
        _message_draft(data, start, end, str(number) if len(starts) > 1 else "")
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
    ]
    return _link_threads(drafts)


def _is_message(head: bytes) -> bool:
    headers = re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0]
    names = {name.lower() for name in _TYPICAL_HEADER.findall(headers)}
    return _HEADER_START.match(head) is not None and len(names) >= 2


def _message_draft(data: bytes, start: int, end: int, fragment: str) -> BugReportDraft:
    try:
        return _parse_message(data, start, end, fragment)
    except Exception as error:  # noqa: BLE001, the email package fails on parts in parts in parts, and on some headers
        text = OffsetText.from_slice(data, start, end)
        return BugReportDraft(fragment, (DraftPassage(text),), error=error)


def _parse_message(data: bytes, start: int, end: int, fragment: str) -> BugReportDraft:
    message = message_from_bytes(data[start:end], _NestedMessage)
    passages = tuple(_text_passages(message, data, start, end))
    return BugReportDraft(
        fragment,
        passages,
        title=_decode_header(message, "Subject"),
        id=_decode_header(message, "Message-ID"),
        written=_decode_header(message, "Date"),
        thread=(_decode_header(message, "In-Reply-To").split() or [""])[0],
    )


def _decode_header(message: Message, name: str) -> str:
    """A header, decoded if possible, on one line."""
    value = str(message.get(name, ""))
    # words in an unknown encoding are left unchanged
    with suppress(MessageError, LookupError, ValueError):
        value = str(make_header(decode_header(value)))
    return " ".join(value.encode("utf-8", "replace").decode().split())


def _link_threads(drafts: list[BugReportDraft]) -> list[BugReportDraft]:
    """Sets the thread of each message to the first message of it in the file."""
    reply_targets = {draft.id: draft.thread for draft in drafts if draft.id}
    roots: dict[str, str] = {}
    for name in reply_targets:
        path: list[str] = []
        while name not in roots and (parent := reply_targets.get(name)):
            roots[name] = name  # messages that answer each other are the thread of the first one
            path.append(name)
            name = parent
        roots.update(dict.fromkeys(path, roots.get(name, name)))
    return [draft._replace(thread=roots.get(draft.thread, draft.thread)) for draft in drafts]


def _text_passages(message: Message, data: bytes, start: int, end: int) -> Iterator[DraftPassage]:
    offset = start
    for part in _text_parts(message):
        encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
        # without that header, get_payload returns the bytes as they are in the file
        del part["Content-Transfer-Encoding"]
        raw = part.get_payload(decode=True)
        part_offset = data.find(raw, offset, end) if isinstance(raw, bytes) and raw else -1
        if part_offset < 0 or not isinstance(raw, bytes):
            continue
        offset = part_offset + len(raw)
        offset_text = _decode_part(raw, part_offset, encoding, str(part.get_content_charset() or "utf-8"))
        if b"\0" not in offset_text.data:
            # HTML is read for reports only: tags would be taken for claims
            yield DraftPassage(offset_text, "text" if part.get_content_type() != "text/html" else "output")


def _text_parts(message: Message) -> list[Message]:
    """The text parts, without HTML alternatives of plain text."""
    parts = list(islice(message.walk(), _MAX_PARTS))
    has_plain_text = any(part.get_content_type() == "text/plain" for part in parts)
    skipped_type = "text/html" if has_plain_text else None
    return [part for part in parts if not part.is_multipart() and part.get_content_type() != skipped_type]


def _decode_part(raw: bytes, offset: int, encoding: str, charset: str) -> OffsetText:
    if encoding == "base64" and not _NOT_BASE64.search(raw):
        pieces = _decode_base64(raw, offset)
    elif encoding == "quoted-printable":
        pieces = replace_matches(raw, _QUOTED_PRINTABLE, offset, _decode_escape)
    else:
        pieces = replace_matches(raw, _ESCAPED_FROM, offset, lambda stuffed: stuffed[1:])
    return OffsetText(_convert_to_utf8(pieces, charset, offset, offset + len(raw)))


def _decode_escape(escape: bytes) -> bytes:
    return b"" if escape.endswith(b"\n") else bytes([int(escape[1:], 16)])


def _decode_base64(raw: bytes, offset: int) -> list[TextPiece]:
    """Decodes line by line, so that offsets are exact to a line."""
    pieces: list[TextPiece] = []
    pending, piece_start = b"", offset
    for line in raw.splitlines(keepends=True):
        pending += line.strip()
        complete = len(pending) // 4 * 4
        decoded = b""
        with suppress(binascii.Error):
            decoded = binascii.a2b_base64(pending[:complete])
        pieces.append((decoded, piece_start, offset + len(line)))
        pending = pending[complete:]
        offset += len(line)
        piece_start = offset
    return pieces


def _convert_to_utf8(pieces: list[TextPiece], charset: str, offset: int, end: int) -> list[TextPiece]:
    """Converts other charsets to UTF-8: by character for single-byte charsets, else as a whole."""
    is_utf8 = charset.lower() in ("utf-8", "utf8", "us-ascii", "ascii")
    if is_utf8 or all(text.isascii() for text, _, _ in pieces):
        return pieces
    try:
        if not _SINGLE_BYTE_CHARSET.fullmatch(charset):
            joined = b"".join(text for text, _, _ in pieces)
            return [(joined.decode(charset, "replace").encode("utf-8", "replace"), offset, end)]
        return [
            piece
            for text, piece_start, piece_stop in pieces
            for piece in (
                replace_matches(text, _NOT_ASCII, piece_start, lambda c: c.decode(charset, "replace").encode())
                if len(text) == piece_stop - piece_start
                else [(text.decode(charset, "replace").encode(), piece_start, piece_stop)]
            )
        ]
    except (LookupError, ValueError):
        return pieces


FORMAT = BugReportFormat("mail", 4, _split_mail)
