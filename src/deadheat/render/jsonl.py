"""One line of JSON per report, as the contract has it."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from deadheat import wire
from deadheat.echo import Echo
from deadheat.render.spool import Lines, Spool, lines
from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deadheat.model import Document, Sighting
    from deadheat.render import Style

# the values that differ from echo to echo: addresses, and actors that are numbered
_TOLD = regex(rb'"(?:0x|[a-z]+ )([0-9a-f]+)"')
# the same within a sentence of evidence
_SAID = regex(rb"(?:goroutine |0x)([0-9a-f]+)\b")
_CAUSES = b'"causes": '


class Template:
    """The JSON of an echoed report with gaps for its numbers."""

    def __init__(self, echo: Echo, sighting: Sighting) -> None:
        head, tail = wire.report_to_json(sighting.report, sighting.verdict)
        self._pieces, self._gaps = _cut(_encoded(head), echo.names)
        self._tail = _encoded(tail)

    def line(self, echo: Echo, sighting: Sighting) -> bytes:
        names, pieces = echo.names, self._pieces
        pieces[1::2] = [names[gap] for gap in self._gaps]
        document = _encoded(wire.document_to_json(sighting.uri, sighting.span))
        return b"".join([*pieces, document, self._tail])


def _cut(head: bytes, names: tuple[bytes, ...]) -> tuple[list[bytes], list[int]]:
    """The text in pieces, every second one a name, and which names they are."""
    said = head.rfind(_CAUSES)
    found = [*_TOLD.finditer(head, 0, said), *_SAID.finditer(head, said)]
    pieces, gaps, at = [], [], 0
    for match in found:
        if match[1] in names:
            pieces += [head[at : match.start(1)], match[1]]
            gaps.append(names.index(match[1]))
            at = match.end(1)
    return [*pieces, head[at:]], gaps


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


class LinesGatherer:
    def __init__(self) -> None:
        self._lines: list[bytes] = []

    def add(self, sighting: Sighting) -> None:
        told = sighting.told
        if not isinstance(told, Echo) or sighting.document is not None:
            self._lines.append(_encoded(wire.sighting_to_json(sighting)))
            return
        templates: dict[str, Template] = told.notes.setdefault("jsonl", {})
        template = templates.get(sighting.verdict.race)
        if template is None:
            templates[sighting.verdict.race] = template = Template(told, sighting)
        self._lines.append(template.line(told, sighting))

    def tell(self, document: Document) -> None:
        """Its claims stand in the lines of its reports."""

    def pack(self) -> Lines:
        packed = lines(self._lines)
        self._lines.clear()
        return packed


class LinesOutput:
    def __init__(self, out: IO[str]) -> None:
        out.flush()
        self._out: IO[bytes] = out.buffer  # type: ignore[attr-defined]
        self._spool = Spool()

    def merge(self, packed: Lines) -> None:
        if packed.text:
            self._spool.add(packed)

    def live(self, packed: Lines) -> None:
        self._out.write(packed.text + b"\n")
        self._out.flush()

    def close(self, ids: Mapping[str, str]) -> None:
        for text in self._spool.texts(ids):
            self._out.write(text)
            self._out.write(b"\n")
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
