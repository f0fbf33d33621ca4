"""What several targets do: read a document as `scan` does, and check what it found."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING

import deadheat
from deadheat import api
from deadheat.errors import DocumentFaults, UnreadableError
from deadheat.grouping.race_assignment import assign_races
from deadheat.model import Document, Sighting
from deadheat.text.decoding import HEAD_SIZE
from deadheat.text.window import OpenedDocument

if TYPE_CHECKING:
    from deadheat.bug_reports.reader import ReadDocument

# how a message that the email package cannot parse is reported
_MAIL_FAULT = "is read as text"


class RaisedFaults(DocumentFaults):
    """Raises the faults that users are asked to report, and accepts the others."""

    def add_error(self, error: Exception, part: str = "") -> None:
        if not isinstance(error, UnreadableError | RecursionError) and not part.endswith(_MAIL_FAULT):
            raise error
        super().add_error(error, part)


def read_items(data: bytes, uri: str = "text", opt_in: bool = False) -> list[Sighting | Document]:
    """The bug reports and sightings in a document."""
    document = OpenedDocument(uri, data[:HEAD_SIZE], BytesIO(data[HEAD_SIZE:]).read)
    return list(api.read_document(document, api.ReadOptions(opt_in), RaisedFaults(uri)))


def read_sightings(data: bytes, uri: str = "text", opt_in: bool = False) -> list[Sighting]:
    return assign_races([item for item in read_items(data, uri, opt_in) if isinstance(item, Sighting)])


def check_sighting(sighting: Sighting, size: int) -> None:
    """Asserts what holds for every sighting in a document of this size."""
    span, report = sighting.span, sighting.report
    assert 0 <= span.offset < span.end <= size, (span, size)
    assert report.accesses, report
    for access in report.accesses:
        assert access.site is None or access.site in access.stack, access
    text = json.dumps(deadheat.sighting_to_wire(sighting), allow_nan=False)
    again = deadheat.sighting_from_wire(json.loads(text))
    assert again == sighting
    assert json.dumps(deadheat.sighting_to_wire(again), allow_nan=False) == text


def check_bug_report(read: ReadDocument, size: int) -> None:
    """Asserts what holds for every bug report in a document of this size."""
    for claim in read.document.claims:
        assert claim.value, claim
        assert 0 <= claim.span.offset <= claim.span.end <= size, (claim, size)
    for sighting in read.sightings:
        check_sighting(sighting, size)
