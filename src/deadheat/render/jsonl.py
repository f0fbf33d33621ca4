"""One JSON line per report."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from deadheat import json_line
from deadheat.echo import Echo
from deadheat.render.sheaf import Outline, Sheaf, texts
from deadheat.render.spool import Spool
from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deadheat.model import Document, Sighting
    from deadheat.render import Style

# values that differ between duplicates: "0x00c000124010", "goroutine 7"
_TOLD = regex(rb'"(?:0x|[a-z]+ )([0-9a-f]+)"')
# the same in an evidence sentence: "goroutine 7 writes at 0x00c000124010"
_SAID = regex(rb"(?:goroutine |0x)([0-9a-f]+)\b")
_CAUSES = b'"causes": '
# indexes of the values that fill the gaps of a duplicate's line; the varying values come last
_RACE, _OFFSET, _LENGTH, _NAMES = range(4)


class Template:
    """The JSON of a duplicated report with gaps for the values of `_gap_values_of`."""

    def __init__(self, echo: Echo, sighting: Sighting) -> None:
        front, head, self._tail = json_line.report_around(sighting.report, sighting.verdict)
        self._front = _encoded(front)
        self._pieces, self._gaps = _cut(_encoded(head), echo.names)

    def outline(self, uri: str, lane: str | None) -> Outline:
        """The template for duplicates in that document."""
        before, between, behind = json_line.document_around(uri, lane)
        *pieces, last = self._pieces
        place = [last + _encoded(before), _encoded(between), _encoded(f"{behind}{self._tail}\n")]
        return [self._front, *pieces, *place], [_RACE, *self._gaps, _OFFSET, _LENGTH], 1


def _words(echo: Echo, sighting: Sighting) -> list[bytes]:
    span = sighting.span
    place = str(span.offset).encode(), str(span.length).encode()
    return [sighting.verdict.race.encode(), *place, *echo.names]


def _cut(head: bytes, names: tuple[bytes, ...]) -> tuple[list[bytes], list[int]]:
    """Splits the text at the varying values; returns the pieces and the gap indexes."""
    said = head.rfind(_CAUSES)
    found = [*_TOLD.finditer(head, 0, said), *_SAID.finditer(head, said)]
    pieces, gaps, at = [], [], 0
    for match in found:
        if match[1] in names:
            pieces.append(head[at : match.start(1)])
            gaps.append(_NAMES + names.index(match[1]))
            at = match.end(1)
    return [*pieces, head[at:]], gaps


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


class LinesGatherer:
    def __init__(self) -> None:
        self._sheaf = Sheaf()
        self._outlines: dict[tuple[Template, str, str | None], int] = {}

    def add(self, sighting: Sighting) -> None:
        told = sighting.told
        if isinstance(told, Echo) and sighting.document is None:
            self._sheaf.fill(self._outline(told, sighting), _words(told, sighting))
        else:
            front, behind = json_line.around_race(sighting)
            race = sighting.verdict.race.encode()
            self._sheaf.whole([_encoded(front), _encoded(behind)], [race])

    def _outline(self, echo: Echo, sighting: Sighting) -> int:
        template: Template | None = echo.notes.get("jsonl")
        if template is None:
            echo.notes["jsonl"] = template = Template(echo, sighting)
        uri, lane = sighting.uri, sighting.span.lane
        number = self._outlines.get((template, uri, lane))
        if number is None:
            number = self._sheaf.outline(template.outline(uri, lane))
            self._outlines[template, uri, lane] = number
        return number

    def tell(self, document: Document) -> None:
        """Does nothing: the lines of its reports contain its claims."""

    def pack(self) -> bytes:
        self._outlines.clear()
        return self._sheaf.pack()


class LinesOutput:
    def __init__(self, out: IO[str]) -> None:
        out.flush()
        self._out: IO[bytes] = out.buffer  # type: ignore[attr-defined]
        self._spool = Spool()

    def merge(self, packed: bytes) -> None:
        self._spool.add(packed)

    def live(self, packed: bytes) -> None:
        if packed:
            self._out.writelines(texts(packed, {}))
            self._out.flush()

    def close(self, ids: Mapping[str, str]) -> None:
        self._out.writelines(self._spool.texts(ids))
        self._out.flush()


class Jsonl:
    name = "jsonl"
    full = True
    waits = False

    def gatherer(self, style: Style) -> LinesGatherer:
        return LinesGatherer()

    def output(self, out: IO[str], style: Style) -> LinesOutput:
        return LinesOutput(out)


RENDERER = Jsonl()
