"""One line of JSON per report, as the contract has it."""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING

from deadheat import wire
from deadheat.echo import Echo

if TYPE_CHECKING:
    from deadheat.model import Sighting
    from deadheat.render import Style

# the values that differ from echo to echo: addresses, and actors that are numbered
_TOLD = re.compile(r'"(?:0x[0-9a-f]+|[a-z]+ \d+)"')


class Template:
    """The JSON of an echoed report with gaps for its numbers."""

    def __init__(self, echo: Echo, sighting: Sighting) -> None:
        head, self.tail = wire.report_to_json(sighting.report, sighting.verdict)
        names = [name.decode() for name in echo.names]
        self._texts: list[str] = []
        self._gaps: list[int] = []
        at = 0
        for match in _TOLD.finditer(head):
            name = match[0].strip('"').rpartition(" ")[2]
            if name in names:
                end = match.end() - 1 - len(name)
                self._texts.append(head[at:end])
                self._gaps.append(names.index(name))
                at = match.end() - 1
        self._end = head[at:]

    def head(self, echo: Echo) -> str:
        names = [name.decode() for name in echo.names]
        filled = [text + names[gap] for text, gap in zip(self._texts, self._gaps, strict=True)]
        return "".join(filled) + self._end


class LinesGatherer:
    def __init__(self) -> None:
        self._lines: list[str] = []

    def add(self, sighting: Sighting) -> None:
        told = sighting.told
        if not isinstance(told, Echo):
            self._lines.append(wire.sighting_to_json(sighting))
            return
        notes = told.notes
        template = notes.get("jsonl")
        if template is None:
            notes["jsonl"] = template = Template(told, sighting)
        document = wire.document_to_json(sighting.uri, sighting.span)
        self._lines.append(f"{template.head(told)}{document}{template.tail}")

    def pack(self) -> bytes:
        packed = "\n".join(self._lines).encode("utf-8", "replace")
        self._lines.clear()
        return packed


class LinesOutput:
    def __init__(self, out: IO[str]) -> None:
        out.flush()
        self._out: IO[bytes] = out.buffer  # type: ignore[attr-defined]

    def merge(self, packed: bytes) -> None:
        self._out.write(packed)
        self._out.write(b"\n")

    def close(self) -> None:
        self._out.flush()


class Jsonl:
    name = "jsonl"
    full = True

    def gatherer(self, style: Style) -> LinesGatherer:
        return LinesGatherer()

    def output(self, out: IO[str], style: Style) -> LinesOutput:
        return LinesOutput(out)


RENDERER = Jsonl()
