"""One JSON array of bug reports: the claims of each author and the reports found in it."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any

from deadheat import wire
from deadheat.render.json import ArrayOutput
from deadheat.render.sheaf import Sheaf

if TYPE_CHECKING:
    from deadheat.model import Document, Sighting
    from deadheat.render import Style


# in a JSON string a quote is escaped, so this never occurs in the text of a document
_RACE = b'"race": "'


class DocumentsGatherer:
    """A bug report is added before its sightings. Sightings outside a bug report are skipped."""

    def __init__(self) -> None:
        self._told: list[dict[str, Any]] = []

    def tell(self, document: Document) -> None:
        self._told.append({**wire.document_to_wire(document), "reports": []})

    def add(self, sighting: Sighting) -> None:
        if sighting.document is not None and self._told:
            self._told[-1]["reports"].append(_brief(sighting))

    def pack(self) -> bytes:
        sheaf = Sheaf()
        for told in self._told:
            line = json.dumps(told, ensure_ascii=False).encode("utf-8", "replace")
            sheaf.whole(*_cut(line))
        self._told = []
        return sheaf.pack()


def _cut(line: bytes) -> tuple[list[bytes], list[bytes]]:
    """Splits a line into the pieces around race ids, and the race ids."""
    first, *others = line.split(_RACE)
    pieces, races = [first], []
    for other in others:
        race, quote, behind = other.partition(b'"')
        pieces[-1] += _RACE
        pieces.append(quote + behind)
        races.append(race)
    return pieces, races


def _brief(sighting: Sighting) -> dict[str, Any]:
    return {
        "title": sighting.verdict.title,
        "race": sighting.verdict.race,
        "detector": sighting.report.detector,
        "kind": sighting.report.kind,
        "offset": sighting.span.offset,
        "length": sighting.span.length,
    }


class Documents:
    name = "documents"
    full = True
    waits = False

    def gatherer(self, style: Style) -> DocumentsGatherer:
        return DocumentsGatherer()

    def output(self, out: IO[str], style: Style) -> ArrayOutput:
        return ArrayOutput(out)


RENDERER = Documents()
