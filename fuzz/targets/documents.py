"""Bug reports: every format, and files of many bug reports that are read in pieces."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING
from unittest import mock

from deadheat import plugins
from deadheat.bug_reports import reader
from fuzz.checks import RaisedFaults, check_bug_report
from fuzz.mutations import mutate_json, mutate_lines
from fuzz.seeds import clean_reports, document_texts
from fuzz.targets import FuzzTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_URI = "report.txt"


def _format_reader(name: str) -> Callable[[bytes], None]:
    """A function that reads documents of one format."""
    (bug_report_format,) = (one for one in plugins.bug_report_formats() if one.name == name)

    def read(data: bytes) -> None:
        drafts = bug_report_format.split(data, _URI)
        for draft in drafts or ():
            for passage in draft.passages:
                span = passage.text.raw_span(0, len(passage.text.data))
                assert 0 <= span.offset <= span.end <= len(data), (span, len(data))
        if drafts is not None:
            for document in reader.read_bug_reports(data, _URI, faults=RaisedFaults(_URI)) or ():
                check_bug_report(document, len(data))

    return read


def read_pieces(data: bytes) -> None:
    """The pieces of a large file are slices of it, in order, and only separators are between them."""
    if (splitter := reader.choose_splitter(data)) is None:
        return
    sizes = {"_MIN_PIECE_SIZE": 64, "_BLOCK_SIZE": 50, "MAX_BUG_REPORT_SIZE": 400}
    with mock.patch.dict(vars(reader), sizes):
        file = BytesIO(data)
        end = 0
        for piece in reader.split_pieces(splitter, file.read):
            assert piece.offset >= end
            between = data[end : piece.offset]
            assert not between.strip(b"\xef\xbb\xbf \t\r\n,[]"), between
            assert data[piece.offset : piece.offset + len(piece.data)] == piece.data
            end = piece.offset + len(piece.data)
            if not piece.is_complete:
                assert end == file.tell()
                return
    assert not data[end:].strip(b" \t\r\n,[]\xef\xbb\xbf"), data[end:]


def _bulk_seeds() -> Iterable[bytes]:
    yield from document_texts(".json", ".jsonl", ".mbox")()
    yield b'[\n  {"title": "a", "body": "x"},\n  {"title": "b"}\n]'
    yield b'{"a": 1}\n{"b": 2}\n' * 9
    yield b"From a@example.com Thu May  2 12:00:00 2024\nSubject: a\nDate: b\n\nx\n\n" * 4


def _mail_seeds() -> Iterable[bytes]:
    yield from document_texts(".eml", ".mbox")()
    for encoding in (b"quoted-printable", b"base64", b"8bit"):
        yield b"Subject: race\nDate: x\nContent-Transfer-Encoding: " + encoding + b"\n\n" + clean_reports()[0]


TARGETS = (
    FuzzTarget("mail", _format_reader("mail"), _mail_seeds, (mutate_lines,), 4, 8192),
    FuzzTarget(
        "issues", _format_reader("issues"), document_texts(".json", ".jsonl"), (mutate_json, mutate_lines), 4, 8192
    ),
    FuzzTarget("junit", _format_reader("junit"), document_texts(".xml"), (mutate_lines,), 3, 8192),
    FuzzTarget("form", _format_reader("form"), document_texts(".txt"), (mutate_lines,), 3, 8192),
    FuzzTarget("markdown", _format_reader("markdown"), document_texts(".md", ".log"), (mutate_lines,), 4, 8192),
    FuzzTarget("bulk-exports", read_pieces, _bulk_seeds, (mutate_json, mutate_lines), 3),
)
