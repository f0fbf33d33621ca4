"""Reads bug reports: splits them into documents and extracts reports and claims."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from deadheat import plugins
from deadheat.api import read_sightings
from deadheat.bug_reports import MAX_BUG_REPORT_SIZE, BugReportDraft, DraftPassage
from deadheat.bug_reports import claims as bug_reports_claims
from deadheat.bug_reports.claims.outline import html_comments
from deadheat.model import Claim, Document, Sighting
from deadheat.text.decoding import HEAD_SIZE, SINGLE_BYTE, detect_layout
from deadheat.text.window import StreamSource

if TYPE_CHECKING:
    from deadheat.model import Span

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


class PieceShift(NamedTuple):
    """Shifts results from a piece of a large file to their offsets in the file."""

    uri: str
    offset: int  # offset of the piece
    documents_before: int  # number of bug reports before it

    def shift_read_document(self, read_document: ReadDocument) -> ReadDocument:
        document = self._shift_document(read_document.document)
        sightings = (
            sighting._replace(document=document) for sighting in map(self.shift_sighting, read_document.sightings)
        )
        return ReadDocument(document, tuple(sightings))

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


def read_bug_reports(data: bytes, uri: str, opt_in: bool = False) -> list[ReadDocument] | None:
    """Reads the documents of a file, or returns None if it is not a bug report.

    `opt_in` includes the opt-in detectors.
    """
    if len(data) > MAX_BUG_REPORT_SIZE or detect_layout(data[:HEAD_SIZE]) is not SINGLE_BYTE:
        return None
    for format_ in sorted(plugins.bug_report_formats(), key=lambda format_: int(format_.rank)):
        if (drafts := format_.split(data, uri)) is not None:
            results = [_read_draft(draft, format_.name, uri, opt_in) for draft in drafts]
            return (
                results
                if any(result.sightings for result in results)
                else _read_surrounding_text(results, data, uri, opt_in)
            )
    return None


def _read_surrounding_text(results: list[ReadDocument], data: bytes, uri: str, opt_in: bool) -> list[ReadDocument]:
    """If no document has a report, the file as a whole may contain one around them."""
    file_document = Document(uri, results[0].document.shape)
    sightings = tuple(
        sighting._replace(document=file_document)
        for sighting in read_sightings(_bytes_source(data), uri, opt_in=opt_in)
    )
    return [*results, ReadDocument(file_document, sightings)] if sightings else results


def _read_draft(draft: BugReportDraft, format_: str, uri: str, opt_in: bool) -> ReadDocument:
    opt_in = opt_in or _mentions_race(draft)
    sightings: list[Sighting] = []
    claims_found: list[Claim] = []
    for passage in draft.passages:
        passage_sightings = _passage_sightings(passage, uri, opt_in)
        sightings += [sighting._replace(span=_raw_span(passage, sighting.span)) for sighting in passage_sightings]
        if passage.kind != "output":
            claims_found += bug_reports_claims.find_claims(
                passage.text, [(sighting.span.offset, sighting.span.end) for sighting in passage_sightings]
            )
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


def _mentions_race(draft: BugReportDraft) -> bool:
    """Whether the author mentions a race; program output does not count."""
    texts = (draft.title.encode(), *(passage.text.data for passage in draft.passages if passage.kind != "output"))
    return any(_RACE_WORDS.search(_remove_html_comments(text[:_MAX_AUTHOR_TEXT])) for text in texts)


def _remove_html_comments(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace")
    ends = [0, *(end for _, end in html_comments(text))]
    starts = [*(start for start, _ in html_comments(text)), len(text)]
    return "".join(text[text_start:text_end] for text_start, text_end in zip(ends, starts, strict=True))


def _passage_sightings(passage: DraftPassage, uri: str, opt_in: bool) -> list[Sighting]:
    if passage.kind in ("title", "label"):
        return []
    return list(read_sightings(_bytes_source(passage.text.data), uri, opt_in=opt_in))


def _bytes_source(data: bytes) -> StreamSource:
    return StreamSource(BytesIO(data).read)


def _raw_span(passage: DraftPassage, span: Span) -> Span:
    return passage.text.raw_span(span.offset, span.end)._replace(stream=span.stream)


def _attach_document(document: Document, test: str, sighting: Sighting) -> Sighting:
    report = sighting.report
    if test and report.test is None:
        report = report._replace(test=test)
    return sighting.with_report(report)._replace(document=document)
