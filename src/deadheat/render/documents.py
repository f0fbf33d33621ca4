"""One JSON array of the bug reports: what each author claims, and the reports found in it."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any

from deadheat import wire
from deadheat.render.json import ArrayOutput
from deadheat.render.spool import Lines, lines

if TYPE_CHECKING:
    from deadheat.model import Document, Sighting
    from deadheat.render import Style


class DocumentsGatherer:
    """A bug report is told before its sightings; what stands in no bug report is left out."""

    def __init__(self) -> None:
        self._told: list[dict[str, Any]] = []

    def tell(self, document: Document) -> None:
        self._told.append({**wire.document_to_wire(document), "reports": []})

    def add(self, sighting: Sighting) -> None:
        if sighting.document is not None and self._told:
            self._told[-1]["reports"].append(_brief(sighting))

    def pack(self) -> Lines:
        each = [json.dumps(told, ensure_ascii=False) for told in self._told]
        self._told = []
        return lines([line.encode("utf-8", "replace") for line in each], many=True)


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
