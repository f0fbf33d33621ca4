"""One JSON array of all reports."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from deadheat.render.jsonl import LinesGatherer

if TYPE_CHECKING:
    from deadheat.render import Style


class ArrayOutput:
    """Writes element by element, so that memory does not grow with the number of reports."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._between = "["

    def merge(self, packed: str) -> None:
        self._out.write(f"{self._between}\n" + packed.replace("\n", ",\n"))
        self._between = ","

    def close(self) -> None:
        self._out.write("[]\n" if self._between == "[" else "\n]\n")
        self._out.flush()


class Json:
    name = "json"

    def gatherer(self, style: Style) -> LinesGatherer:
        return LinesGatherer()

    def output(self, out: IO[str], style: Style) -> ArrayOutput:
        return ArrayOutput(out)


RENDERER = Json()
