"""One JSON array of all reports."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from deadheat.render.jsonl import LinesGatherer

if TYPE_CHECKING:
    from deadheat.render import Style


class ArrayOutput:
    """Writes element by element, so that memory does not grow with the number of reports."""

    def __init__(self, out: IO[str]) -> None:
        out.flush()
        self._out: IO[bytes] = out.buffer  # type: ignore[attr-defined]
        self._between = b"["

    def merge(self, packed: bytes) -> None:
        if not packed:
            return
        self._out.write(self._between + b"\n" + packed.replace(b"\n", b",\n"))
        self._between = b","

    def close(self) -> None:
        self._out.write(b"[]\n" if self._between == b"[" else b"\n]\n")
        self._out.flush()


class Json:
    name = "json"
    full = True

    def gatherer(self, style: Style) -> LinesGatherer:
        return LinesGatherer()

    def output(self, out: IO[str], style: Style) -> ArrayOutput:
        return ArrayOutput(out)


RENDERER = Json()
