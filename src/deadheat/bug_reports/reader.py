"""Reads bug reports: splits a file into documents, and a large file into pieces; extracts reports and claims."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from deadheat import plugins
from deadheat.api import read_sightings
from deadheat.bug_reports import MAX_BUG_REPORT_SIZE, BugReportDraft
from deadheat.bug_reports.claims import find_claims
from deadheat.bug_reports.claims.outline import html_comments
from deadheat.model import Claim, Document, Sighting
from deadheat.text.decoding import HEAD_SIZE, SINGLE_BYTE, detect_layout
from deadheat.text.window import StreamSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.bug_reports import OffsetText
    from deadheat.errors import DocumentFaults
    from deadheat.model import Span
    from deadheat.text.window import ReadBytes

# words that show that a text is about a race, not only about concurrency:
# "a data race", "race condition", "WARNING: DATA RACE", "go test -race", "is not goroutine-safe"
_RACE_WORDS = re.compile(
    r"\bdata[- ]?rac(?:e|es|y|ing)\b|\brace[- ]conditions?\b|\bracy\b|\brace[- ]detector\b"
    r"|\b(?:a|the|this|that|possible|potential|real) race\b(?! to\b)"
    r"|\brac(?:es?|ed|ing) (?:with|against|between|on)\b"
    r"|(?<!\S)-race\b|\b(?:thread|goroutine|concurrency)[- ]?unsafe"
    r"|\b(?:not|n't|never|isn.t|aren.t) (?:\w+ )?(?:thread|goroutine|concurren\w{1,3})[- ]?safe"
    r"|\bnot safe for concurrent\b|\bconcurrent map (?:read|write|iteration)"
    r"|\bconcurrent (?:access|modification|use|reads?|writes?) (?:to|of|on)\b"
    r"|\b(?:accessed|modified|written|changed|used|called|read) concurrently\b"
    r"|\bThreadSanitizer\b|\bKCSAN\b|\bHelgrind\b|\bTOCTOU\b",
    re.IGNORECASE,
)
# the part of the author's text that is searched for these words
_MAX_AUTHOR_TEXT = 1 << 20


class ReadDocument(NamedTuple):
    """A document and the reports in it."""

    document: Document
    sightings: tuple[Sighting, ...]


def read_bug_reports(
    data: bytes, uri: str, opt_in: bool = False, faults: DocumentFaults | None = None
) -> list[ReadDocument] | None:
    """Reads the documents of a file, or returns None if it is not a bug report.

    With `faults`, a file whose bug reports cannot be read is not a bug report.
    """
    if len(data) > MAX_BUG_REPORT_SIZE or detect_layout(data[:HEAD_SIZE]) is not SINGLE_BYTE:
        return None
    for format_ in sorted(plugins.bug_report_formats(), key=lambda format_: int(format_.rank)):
        try:
            if (drafts := format_.split(data, uri)) is None:
                continue
            results = [_read_draft(draft, format_.name, uri, opt_in, faults) for draft in drafts]
            has_reports = any(result.sightings for result in results)
            return results if has_reports else _read_surrounding_text(results, data, uri, opt_in, faults)
        except Exception as error:
            if faults is None:
                raise
            faults.add_error(error, f"cannot be read as a bug report ({format_.name}), read as text")
            return None
    return None


def _read_surrounding_text(
    results: list[ReadDocument], data: bytes, uri: str, opt_in: bool, faults: DocumentFaults | None
) -> list[ReadDocument]:
    """If no document has a report, the file as a whole may contain one around them."""
    file_document = Document(uri, results[0].document.shape)
    found = read_sightings(StreamSource(BytesIO(data).read), uri, opt_in=opt_in, faults=faults)
    sightings = tuple(sighting._replace(document=file_document) for sighting in found)
    return [*results, ReadDocument(file_document, sightings)] if sightings else results


def _read_draft(
    draft: BugReportDraft, format_: str, uri: str, opt_in: bool, faults: DocumentFaults | None
) -> ReadDocument:
    if draft.error is not None:
        if faults is None:
            raise draft.error
        faults.add_error(
            draft.error, f"document {draft.fragment} is read as text" if draft.fragment else "is read as text"
        )
    opt_in = opt_in or _mentions_race(draft)
    sightings: list[Sighting] = []
    claims_found: list[Claim] = []
    for passage in draft.passages:
        found: list[Sighting] = []
        if passage.kind not in ("title", "label"):
            source = StreamSource(BytesIO(passage.text.data).read)
            found = list(read_sightings(source, uri, opt_in=opt_in, faults=faults))
        spans = [sighting.span for sighting in found]
        for sighting, span in zip(found, spans, strict=True):
            raw_span = passage.text.raw_span(span.offset, span.end)
            sightings.append(sighting._replace(span=raw_span._replace(stream=span.stream)))
        if passage.kind != "output":
            claims_found += _find_claims(passage.text, [(span.offset, span.end) for span in spans], faults)
    document = Document(
        f"{uri}#{draft.fragment}" if draft.fragment else uri,
        format_,
        draft.title,
        draft.id,
        draft.written,
        draft.thread,
        tuple(claims_found),
    )
    return ReadDocument(document, tuple(_attach_document(document, draft.test, sighting) for sighting in sightings))


def _find_claims(text: OffsetText, report_spans: list[tuple[int, int]], faults: DocumentFaults | None) -> list[Claim]:
    """The claims in a text. With `faults`, a text whose claims cannot be found has none."""
    try:
        return find_claims(text, report_spans)
    except Exception as error:
        if faults is None:
            raise
        faults.add_error(error, "what its author says is not read")
        return []


def _mentions_race(draft: BugReportDraft) -> bool:
    """Whether the author mentions a race; program output does not count."""
    texts = (draft.title.encode(), *(passage.text.data for passage in draft.passages if passage.kind != "output"))
    return any(_RACE_WORDS.search(_remove_html_comments(text[:_MAX_AUTHOR_TEXT])) for text in texts)


def _remove_html_comments(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace")
    ends = [0, *(end for _, end in html_comments(text))]
    starts = [*(start for start, _ in html_comments(text)), len(text)]
    return "".join(text[text_start:text_end] for text_start, text_end in zip(ends, starts, strict=True))


def _attach_document(document: Document, test: str, sighting: Sighting) -> Sighting:
    report = sighting.report
    if test and report.test is None:
        report = report._replace(test=test)
    return sighting.with_report(report)._replace(document=document)


_MIN_PIECE_SIZE = 1 << 21
_BLOCK_SIZE = 1 << 20
_BLANK_BYTES = b"\xef\xbb\xbf \t\r\n"
# '{"url": "...", "number": 12, ...}' and the beginning of the next line
_JSON_LINES = re.compile(rb"\{[^\n]*\}[ \t\r]*\n\s*\{")
# '[{', '[\n  {'
_JSON_ARRAY = re.compile(rb"\[\s*\{")
# the next string, or a bracket outside of strings; possessive, because strings may be long
_JSON_TOKEN = re.compile(rb"[^\"{}\[\]]*+(?:\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"|[{}\[\]])", re.DOTALL)
# "From dev@example.com Thu May  2 12:00:00 2024" after a blank line
_MBOX_MESSAGE = re.compile(rb"(?<=\n)\r?\nFrom [^\r\n]{1,200}\d{4}[^\r\n]{0,20}\r?\n")
_MAX_FROM_LINE = 256


class BulkPiece(NamedTuple):
    """Some bytes of the file from `offset` on. If not `is_complete`, it ends within a bug report."""

    offset: int
    data: bytes
    is_complete: bool = True


class JsonLinesSplitter:
    """Finds where a piece may end in a file with one JSON object per line."""

    separators = b""  # bytes between two bug reports

    def last_report_end(self, data: bytes, searched: int) -> int:
        """The end of the last complete bug report, or 0. Bytes up to `searched` were searched before."""
        return data.rfind(b"\n", searched) + 1


class MboxSplitter(JsonLinesSplitter):
    """The same in an mbox."""

    def last_report_end(self, data: bytes, searched: int) -> int:
        last_end = 0
        for match in _MBOX_MESSAGE.finditer(data, max(0, searched - _MAX_FROM_LINE)):
            last_end = data.index(b"From ", match.start())
        return last_end


class JsonArraySplitter(JsonLinesSplitter):
    """The same in a JSON array of objects."""

    separators = b" \t\r\n,"

    def __init__(self) -> None:
        self._depth = self._offset = 0

    def last_report_end(self, data: bytes, searched: int) -> int:
        if not searched:
            self._depth = self._offset = 0
        last_end = 0
        while match := _JSON_TOKEN.match(data, self._offset):
            self._offset = match.end()
            bracket = data[self._offset - 1 : self._offset]
            if bracket in (b"{", b"["):
                self._depth += 1
            elif bracket != b'"':
                self._depth -= 1
                if not self._depth:
                    last_end = self._offset
        return last_end


def choose_splitter(head: bytes) -> JsonLinesSplitter | None:
    """The splitter for a file with this head; None if it is not a series of bug reports."""
    text = head.lstrip(_BLANK_BYTES)
    if _JSON_LINES.match(text):
        return JsonLinesSplitter()
    if _JSON_ARRAY.match(text):
        return JsonArraySplitter()
    return MboxSplitter() if text.startswith(b"From ") else None


def split_pieces(splitter: JsonLinesSplitter, read: ReadBytes) -> Iterator[BulkPiece]:
    """Yields the pieces of a file in order; after an incomplete one, the caller reads on."""
    first = read(_BLOCK_SIZE)
    data = first.lstrip(_BLANK_BYTES + b"[" if splitter.separators else _BLANK_BYTES)
    offset, searched, end = len(first) - len(data), 0, 0
    while True:
        end = splitter.last_report_end(data, searched) or end
        if end >= _MIN_PIECE_SIZE:
            yield BulkPiece(offset, data[:end])
            rest = data[end:].lstrip(splitter.separators)
            offset, data, searched, end = offset + len(data) - len(rest), rest, 0, 0
            continue
        if len(data) > MAX_BUG_REPORT_SIZE:
            yield BulkPiece(offset, data, is_complete=False)
            return
        searched = len(data)
        if not (block := read(_BLOCK_SIZE)):
            break
        data += block
    if data.strip(b" \t\r\n]"):
        yield BulkPiece(offset, data.rstrip(b" \t\r\n]") if splitter.separators else data)


def read_to_limit(head: bytes, read: ReadBytes) -> bytes:
    """Reads a file up to a little more than `MAX_BUG_REPORT_SIZE`."""
    parts, size = [head], len(head)
    while size <= MAX_BUG_REPORT_SIZE and (block := read(1 << 20)):
        parts.append(block)
        size += len(block)
    return b"".join(parts)


class PieceShift(NamedTuple):
    """Shifts results from a piece of a large file to their offsets in the file."""

    uri: str
    offset: int  # offset of the piece
    documents_before: int  # number of bug reports before it

    def shift_read_document(self, read_document: ReadDocument) -> ReadDocument:
        document = self._shift_document(read_document.document)
        sightings = map(self.shift_sighting, read_document.sightings)
        return ReadDocument(document, tuple(sighting._replace(document=document) for sighting in sightings))

    def shift_sighting(self, sighting: Sighting) -> Sighting:
        return sighting._replace(span=self._shift_span(sighting.span))

    def _shift_document(self, document: Document) -> Document:
        claims = tuple(claim._replace(span=self._shift_span(claim.span)) for claim in document.claims)
        if document.shape == "mail":  # messages are numbered by position, issues have their own number
            number = int(document.uri.removeprefix(self.uri).lstrip("#") or 1) + self.documents_before
            document = document._replace(uri=f"{self.uri}#{number}")
        return document._replace(claims=claims)

    def _shift_span(self, span: Span) -> Span:
        return span._replace(offset=span.offset + self.offset)
