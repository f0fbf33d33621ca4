"""Reads the sightings in a document: reports with title, fingerprint and race."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from deadheat import bug_reports, plugins
from deadheat.errors import DocumentFaults, UnreadableError, unexpected_fault
from deadheat.grouping.fingerprint import report_fingerprint, report_title
from deadheat.grouping.keys import grouping_key_of
from deadheat.grouping.race_assignment import assign_races
from deadheat.model import Sighting, Verdict, new_sighting
from deadheat.parsing.report_reader import RANGE_OVERLAP, ReportReader
from deadheat.parsing.test_attribution import GoTestAttributor, RecentBytes, attribute_stream_tests
from deadheat.printable import visible_text
from deadheat.text.decoding import HEAD_SIZE, SINGLE_BYTE, ByteLayout, detect_layout
from deadheat.text.window import DocumentRange, OpenedDocument, StreamSource, prepend_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.bug_reports.reader import BulkPiece, ReadDocument
    from deadheat.model import Cause, Document, Report, ReportSource
    from deadheat.text.window import ByteSource, PhraseListener, ReadBytes

    DocumentItem = Sighting | Document


@cache
def report_reader(opt_in: bool = False) -> ReportReader:
    """A reader for all detectors; `opt_in` includes the opt-in detectors."""
    return ReportReader(plugins.all_detectors() if opt_in else plugins.default_detectors())


def verdict_for(report: Report) -> Verdict:
    """The verdict on one report."""
    name = report_fingerprint(report)
    return Verdict(report_title(report), name, race=name)


def _compute_verdict(source: ReportSource) -> Verdict:
    report = source.original
    # the key contains the fingerprint, and grouping needs the key later
    source.derived.grouping_key = key = grouping_key_of(report)
    source.derived.verdict = verdict = Verdict(report_title(report), key.fingerprint, key.fingerprint)
    return verdict


def read_sightings(
    source: ByteSource,
    uri: str,
    start: int = 0,
    end: int | None = None,
    document_layout: ByteLayout = SINGLE_BYTE,
    opt_in: bool = False,
    listen: PhraseListener | None = None,
    faults: DocumentFaults | None = None,
) -> Iterator[Sighting]:
    """Yield every report that starts in `[start, end)` of a document, in the order of their ends.

    `opt_in` enables the opt-in detectors. `listen` is called with the positions of test results.
    """
    on_error = None if faults is None else faults.add_error
    encoding = document_layout.encoding
    for report_source, span in report_reader(opt_in).read_reports(source, start, end, encoding, listen, on_error):
        try:
            verdict = report_source.derived.verdict or _compute_verdict(report_source)
            sighting = new_sighting(report_source, verdict, uri, document_layout.raw_span(span))
        except Exception as error:
            if on_error is None:
                raise
            on_error(error, f"the report at byte {span.offset} is skipped")
            continue
        yield sighting


def original_causes(source: ReportSource) -> tuple[Cause, ...]:
    """The causes of a report, in the names of its original."""
    from deadheat.diagnosis import causes_of_report  # slow to import

    derived = source.derived
    if derived.causes is None:
        derived.causes = causes_of_report(source.original)
    return derived.causes


def diagnose_sighting(sighting: Sighting) -> Sighting:
    """The sighting with the causes of its report."""
    rename = sighting.source.rename_in_text
    causes = original_causes(sighting.source)
    return sighting._replace(causes=tuple([c._replace(evidence=tuple(map(rename, c.evidence))) for c in causes]))


class ReadOptions(NamedTuple):
    """How documents are read."""

    opt_in: bool = False  # include opt-in detectors
    live: bool = False  # for pipes: do not delay sightings until their test has ended


_DEFAULT_OPTIONS = ReadOptions()


def read_opened_documents(
    documents: Iterable[OpenedDocument | DocumentRange | UnreadableError], options: ReadOptions = _DEFAULT_OPTIONS
) -> Iterator[DocumentItem | UnreadableError]:
    """Yield what the documents of a source contain, and the errors of the source.

    Whatever happens while a document is read is an error of this document, and the others are read.
    """
    for document in _documents_until_error(documents):
        if isinstance(document, UnreadableError):
            yield document
            continue
        faults = DocumentFaults(document.uri)
        try:
            yield from read_document(document, options, faults)
        except Exception as error:  # noqa: BLE001
            faults.add_error(error)
        if (fault := faults.summary()) is not None:
            yield fault


def _documents_until_error(
    documents: Iterable[OpenedDocument | DocumentRange | UnreadableError],
) -> Iterator[OpenedDocument | DocumentRange | UnreadableError]:
    """Yield the documents of a source. An error of the source itself ends it."""
    uri = ""
    try:
        for document in documents:
            uri = document.where if isinstance(document, UnreadableError) else document.uri
            yield document
    except UnreadableError as error:
        yield error
    except Exception as error:  # noqa: BLE001
        yield unexpected_fault(error, uri, "the documents behind it cannot be read")


def read_document(
    document: OpenedDocument | DocumentRange,
    options: ReadOptions = _DEFAULT_OPTIONS,
    faults: DocumentFaults | None = None,
) -> Iterator[DocumentItem]:
    """Yield the sightings in a document with their tests.

    A bug report is yielded before its sightings. A log is not a bug report. With `faults`, errors are recorded there.
    """
    if isinstance(document, DocumentRange):
        yield from _read_range(document, options.opt_in, faults)
        return
    if faults is not None:
        document = document._replace(read=faults.guard_read(document.read))
    if bug_reports.may_be_bug_report(document.head, document.uri):
        yield from _read_bug_report_file(document, options, faults)
    else:
        yield from _read_log(document.uri, document.head, document.read, options, faults)


def _read_range(document: DocumentRange, opt_in: bool, faults: DocumentFaults | None) -> Iterator[Sighting]:
    source = document.open_at(max(0, document.start - RANGE_OVERLAP))
    on_error = None if faults is None else faults.add_error
    attributor = GoTestAttributor(document.read_between, lambda: (source.buffer, source.base), on_error)
    sightings = read_sightings(
        source, document.uri, document.start, document.end, SINGLE_BYTE, opt_in, attributor.add_phrase_offsets, faults
    )
    yield from map(attributor.attribute_tests, sightings)
    if source.error is not None:
        if faults is None:
            raise source.error
        faults.add_error(source.error)


def _read_log(
    uri: str, head: bytes, read: ReadBytes, options: ReadOptions, faults: DocumentFaults | None
) -> Iterator[Sighting]:
    layout = detect_layout(head[:HEAD_SIZE])
    read = prepend_bytes(head, read)
    if layout is not SINGLE_BYTE:  # `go test` does not write it
        source = StreamSource(layout.narrow_reader(read))
        return read_sightings(source, uri, 0, None, layout, options.opt_in, None, faults)
    recent = RecentBytes(read)
    sightings = read_sightings(StreamSource(recent.read), uri, opt_in=options.opt_in, faults=faults)
    return attribute_stream_tests(sightings, recent, options.live, None if faults is None else faults.add_error)


def _read_bug_report_file(
    document: OpenedDocument, options: ReadOptions, faults: DocumentFaults | None
) -> Iterator[DocumentItem]:
    """Yield the bug reports of a file of any size. A file that has none is a log."""
    from deadheat.bug_reports import reader  # imports a dozen modules that a log does not need

    uri, data = document.uri, reader.read_to_limit(document.head, document.read)
    if len(data) <= bug_reports.MAX_BUG_REPORT_SIZE:
        documents = reader.read_bug_reports(data, uri, options.opt_in, faults)
        if documents is not None:
            yield from _document_items(documents)
            return
    elif (splitter := reader.choose_splitter(data)) is not None:
        read = prepend_bytes(data, document.read)
        yield from _read_pieces(reader.split_pieces(splitter, read), read, uri, options, faults)
        return
    yield from _read_log(uri, data, document.read, options, faults)


def _read_pieces(
    pieces: Iterator[BulkPiece], read: ReadBytes, uri: str, options: ReadOptions, faults: DocumentFaults | None
) -> Iterator[DocumentItem]:
    """Yield the bug reports of a file that is too large to read at once; other pieces are logs."""
    from deadheat.bug_reports.reader import PieceShift, read_bug_reports

    documents_before = 0
    for piece in pieces:
        shift = PieceShift(uri, piece.offset, documents_before)
        documents = read_bug_reports(piece.data, uri, options.opt_in, faults) if piece.is_complete else None
        if documents is None:
            rest = (lambda _: b"") if piece.is_complete else read
            yield from map(shift.shift_sighting, _read_log(uri, piece.data, rest, options, faults))
        else:
            yield from _document_items([*map(shift.shift_read_document, documents)])
            documents_before += len(documents)


def _document_items(documents: list[ReadDocument]) -> Iterator[DocumentItem]:
    for document, sightings in documents:
        yield document
        yield from sightings


def scan_text(text: str | bytes, uri: str = "text", opt_in: bool = False, *, diagnose: bool = True) -> list[Sighting]:
    """Return every report in a text. The sightings of a bug report refer to its document.

    `opt_in` enables the detectors that are otherwise used only for bug reports about races. Without
    `diagnose` the causes are not determined, which is faster. What cannot be read is a `RuntimeWarning`.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    document = OpenedDocument(uri, data[:HEAD_SIZE], BytesIO(data[HEAD_SIZE:]).read)
    faults = DocumentFaults(uri)
    items = read_document(document, ReadOptions(opt_in), faults)
    sightings = assign_races([item for item in items if isinstance(item, Sighting)])
    _warn_of_faults(faults)
    return [*map(diagnose_sighting, sightings)] if diagnose else sightings


def read_documents(
    text: str | bytes, uri: str = "text", opt_in: bool = False, *, diagnose: bool = True
) -> list[ReadDocument]:
    """Return the bug reports in a text with their claims and sightings. A log has none."""
    from deadheat.bug_reports.reader import read_bug_reports  # imports a dozen modules that a log does not need

    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    faults = DocumentFaults(uri)
    documents = read_bug_reports(data, uri, opt_in, faults) or []
    _warn_of_faults(faults)
    if not diagnose:
        return documents
    return [read._replace(sightings=tuple(map(diagnose_sighting, read.sightings))) for read in documents]


def _warn_of_faults(faults: DocumentFaults) -> None:
    fault = faults.summary()
    if fault is not None:
        import warnings

        warnings.warn(visible_text(str(fault)), RuntimeWarning, stacklevel=3)
