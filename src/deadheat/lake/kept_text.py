"""The text that is kept with a report, so that a later version can parse it again without the log.

A text is kept only if it gives the same report alone as within its document. What the document adds, the tests of
`go test` events, is taken from the row of the report."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Final

from deadheat.api import read_sightings
from deadheat.parsing.duplicates import IntactReport
from deadheat.plugins import detector_named
from deadheat.text.decoding import HEAD_SIZE, SINGLE_BYTE, detect_layout
from deadheat.text.window import StreamSource

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.model import Report, ReportSource

# longer text is more than any detector prints
MAX_TEXT: Final = 1 << 18
# bytes before a report that are searched for the beginning of the line before it
_MAX_LINE_BEFORE: Final = 1 << 12


def kept_text(read_between: Callable[[int, int], bytes], start: int, length: int, source: ReportSource) -> bytes | None:
    """The text of a report at a place of a document, or None if it does not give this report.

    Some reports need the line before them, which names the error or has the prefix of all lines.
    """
    if length > MAX_TEXT:
        return None
    text = read_between(start, start + length)
    if len(text) != length:
        return None
    if is_sufficient(text, source):
        return text
    before = read_between(max(0, start - _MAX_LINE_BEFORE), start)
    text = before[before.rfind(b"\n", 0, -1) + 1 :] + text
    return text if is_sufficient(text, source) else None


def is_sufficient(text: bytes, source: ReportSource) -> bool:
    """Whether a text gives the report that was read with it, and is short enough."""
    if len(text) > MAX_TEXT:
        return False
    # an undamaged report is parsed by itself, so there is nothing to check
    if isinstance(source, IntactReport) and text.startswith(source.raw):
        return True
    report = source.report()
    return parse_text(text, report) == report


def parse_text(text: bytes, known: Report) -> Report | None:
    """The report in a text that was parsed to `known` before, or None if it cannot be told which one it is."""
    found = [with_tests_of(report, known) for report in _reports_in(text, detector_named(known.detector).opt_in)]
    if len(found) > 1:
        found = [report for report in found if report.detector == known.detector and _sites(report) == _sites(known)]
    if not found or any(report != found[0] for report in found):
        return None
    return found[0]


def _reports_in(text: bytes, opt_in: bool) -> list[Report]:
    layout = detect_layout(text[:HEAD_SIZE])
    read = BytesIO(text).read
    source = StreamSource(read if layout is SINGLE_BYTE else layout.narrow_reader(read))
    return [sighting.report for sighting in read_sightings(source, "", 0, None, layout, opt_in)]


def with_tests_of(report: Report, other: Report) -> Report:
    """The report with the tests of another one, which was read together with the events of the tests."""
    report = report._replace(test=other.test)
    if len(report.accesses) != len(other.accesses):
        return report
    pairs = zip(report.accesses, other.accesses, strict=True)
    return report._replace(accesses=tuple([access._replace(test=known.test) for access, known in pairs]))


def _sites(report: Report) -> list[str]:
    return sorted([str(access.site) for access in report.accesses])
