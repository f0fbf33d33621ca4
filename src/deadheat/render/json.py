"""One JSON array of all reports."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from deadheat.render.jsonl import LinesPart

if TYPE_CHECKING:
    from deadheat.render import Style


class ArrayOutput:
    """Writes element by element, so that memory does not grow with the number of reports."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._between = "["

    def merge(self, packed: list[str]) -> None:
        for line in packed:
            self._out.write(f"{self._between}\n{line}")
            self._between = ","

    def close(self) -> None:
        self._out.write("[]\n" if self._between == "[" else "\n]\n")
        self._out.flush()


class Json:
    name = "json"

    def part(self) -> LinesPart:
        return LinesPart()

    def output(self, out: IO[str], style: Style) -> ArrayOutput:
        return ArrayOutput(out)


RENDERER = Json()
