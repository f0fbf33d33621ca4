"""Reads bug reports: splits them into documents and extracts reports and claims."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from deadheat import claims, registry
from deadheat.claims.outline import remarks
from deadheat.documents import LIMIT, Draft, Passage
from deadheat.model import Claim, Document, Sighting
from deadheat.text.encoding import HEAD, PLAIN, layout
from deadheat.text.window import Stream
from deadheat.triage import triage

if TYPE_CHECKING:
    from deadheat.model import Span

# words that show that a text is about a race, not only about concurrency:
# "a data race", "race condition", "WARNING: DATA RACE", "go test -race", "is not goroutine-safe"
_OF_A_RACE = re.compile(
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
_SPOKEN = 1 << 20


class Read(NamedTuple):
    """A document and the reports in it."""

    document: Document
    sightings: tuple[Sighting, ...]


class Moved(NamedTuple):
    """Shifts results from a piece of a large file to their offsets in the file."""

    uri: str
    by: int  # offset of the piece
    before: int  # number of bug reports before it

    def read(self, told: Read) -> Read:
        document = self._document(told.document)
        sightings = (s._replace(document=document) for s in map(self.sighting, told.sightings))
        return Read(document, tuple(sightings))

    def sighting(self, sighting: Sighting) -> Sighting:
        return sighting._replace(span=self._span(sighting.span))

    def _document(self, document: Document) -> Document:
        claims = tuple(claim._replace(span=self._span(claim.span)) for claim in document.claims)
        if document.shape == "mail":  # messages are numbered by position, issues have their own number
            number = int(document.uri.removeprefix(self.uri).lstrip("#") or 1) + self.before
            document = document._replace(uri=f"{self.uri}#{number}")
        return document._replace(claims=claims)

    def _span(self, span: Span) -> Span:
        return span._replace(offset=span.offset + self.by)


def read(data: bytes, uri: str, shy: bool = False) -> list[Read] | None:
    """Reads the documents of a file, or returns None if it is not a bug report.

    `opt_in` includes the opt-in detectors.
    """
    if len(data) > LIMIT or layout(data[:HEAD]) is not PLAIN:
        return None
    for shape in sorted(registry.shapes(), key=lambda shape: int(shape.rank)):
        if (drafts := shape.split(data, uri)) is not None:
            reads = [_read(draft, shape.name, uri, shy) for draft in drafts]
            return reads if any(r.sightings for r in reads) else _around(reads, data, uri, shy)
    return None


def _around(reads: list[Read], data: bytes, uri: str, shy: bool) -> list[Read]:
    """If no document has a report, the file as a whole may contain one around them."""
    file = Document(uri, reads[0].document.shape)
    found = tuple(s._replace(document=file) for s in triage(_source(data), uri, full=True, shy=shy))
    return [*reads, Read(file, found)] if found else reads


def _read(draft: Draft, shape: str, uri: str, shy: bool) -> Read:
    shy = shy or _speaks_of_a_race(draft)
    found: list[Sighting] = []
    claimed: list[Claim] = []
    for passage in draft.passages:
        inside = _reports(passage, uri, shy)
        found += [s._replace(span=_raw(passage, s.span)) for s in inside]
        if passage.kind != "output":
            claimed += claims.of(passage.text, [(s.span.offset, s.span.end) for s in inside])
    document = Document(
        f"{uri}#{draft.fragment}" if draft.fragment else uri,
        shape,
        draft.title,
        draft.id,
        draft.written,
        draft.thread,
        tuple(claimed),
    )
    return Read(document, tuple(_of(document, draft.test, s) for s in found))


def _speaks_of_a_race(draft: Draft) -> bool:
    """Whether the author mentions a race; program output does not count."""
    texts = (draft.title.encode(), *(p.text.data for p in draft.passages if p.kind != "output"))
    return any(_OF_A_RACE.search(_without_remarks(text[:_SPOKEN])) for text in texts)


def _without_remarks(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace")
    ends = [0, *(end for _, end in remarks(text))]
    starts = [*(start for start, _ in remarks(text)), len(text)]
    return "".join(text[a:b] for a, b in zip(ends, starts, strict=True))


def _reports(passage: Passage, uri: str, shy: bool) -> list[Sighting]:
    if passage.kind in ("title", "label"):
        return []
    return list(triage(_source(passage.text.data), uri, full=True, shy=shy))


def _source(data: bytes) -> Stream:
    return Stream(BytesIO(data).read)


def _raw(passage: Passage, span: Span) -> Span:
    return passage.text.span(span.offset, span.end)._replace(lane=span.lane)


def _of(document: Document, test: str, sighting: Sighting) -> Sighting:
    report = sighting.report
    if test and report.test is None:
        report = report._replace(test=test)
    return sighting._replace(told=report, document=document)
