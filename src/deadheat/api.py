"""Reads the sightings in a document: reports with title, fingerprint and race."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

from deadheat import bug_reports, plugins
from deadheat.grouping.fingerprint import report_fingerprint, report_title
from deadheat.grouping.keys import grouping_key_of
from deadheat.grouping.race_assignment import assign_races
from deadheat.model import Sighting, Verdict
from deadheat.parsing.report_reader import ReportReader
from deadheat.parsing.test_events import RecentBytes, attribute_stream_tests
from deadheat.text.decoding import HEAD_SIZE, SINGLE_BYTE, ByteLayout, detect_layout
from deadheat.text.window import StreamSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deadheat.bug_reports.reader import ReadDocument
    from deadheat.model import Cause, Report, ReportSource
    from deadheat.text.window import ByteSource, PhraseListener


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
) -> Iterator[Sighting]:
    """Yield every report that starts in `[start, end)` of a document, in the order of their ends.

    `opt_in` enables the opt-in detectors. `listen` is called with the positions of test results.
    """
    for report_source, span in report_reader(opt_in).read_reports(source, start, end, document_layout.encoding, listen):
        verdict = report_source.derived.verdict or _compute_verdict(report_source)
        yield Sighting(report_source, verdict, uri, document_layout.raw_span(span))


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


def read_sequentially(
    read: Callable[[int], bytes], uri: str, document_layout: ByteLayout, opt_in: bool = False, live: bool = False
) -> Iterator[Sighting]:
    """Yield every report of a document that is read sequentially, with its test.

    With `live`, no sighting is delayed until its test has ended.
    """
    if document_layout is not SINGLE_BYTE:
        yield from read_sightings(
            StreamSource(document_layout.narrow_reader(read)), uri, document_layout=document_layout, opt_in=opt_in
        )
        return
    tail = RecentBytes(read)
    yield from attribute_stream_tests(read_sightings(StreamSource(tail.read), uri, opt_in=opt_in), tail, live)


def scan_text(text: str | bytes, uri: str = "text", opt_in: bool = False, *, diagnose: bool = True) -> list[Sighting]:
    """Return every report in a text. The sightings of a bug report refer to its document.

    `opt_in` enables the detectors that are otherwise used only for bug reports about races. Without
    `diagnose` the causes are not determined, which is faster.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    documents = []
    if bug_reports.may_be_bug_report(data[:HEAD_SIZE], uri):
        documents = read_documents(data, uri, opt_in, diagnose=False)
    if documents:
        sightings = assign_races([sighting for document in documents for sighting in document.sightings])
    else:
        layout = detect_layout(data[:HEAD_SIZE])
        sightings = assign_races(list(read_sequentially(BytesIO(data).read, uri, layout, opt_in=opt_in)))
    return [*map(diagnose_sighting, sightings)] if diagnose else sightings


def read_documents(
    text: str | bytes, uri: str = "text", opt_in: bool = False, *, diagnose: bool = True
) -> list[ReadDocument]:
    """Return the bug reports in a text with their claims and sightings. A log has none."""
    from deadheat.bug_reports.reader import read_bug_reports  # imports a dozen modules that a log does not need

    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    documents = read_bug_reports(data, uri, opt_in) or []
    if not diagnose:
        return documents
    return [read._replace(sightings=tuple(map(diagnose_sighting, read.sightings))) for read in documents]
