"""One JSON array of all reports."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from deadheat.render.jsonl import LinesGatherer
from deadheat.render.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deadheat.render import Style


class ArrayOutput:
    """Writes element by element, in memory that does not grow with the number of reports."""

    def __init__(self, out: IO[str]) -> None:
        out.flush()
        self._out: IO[bytes] = out.buffer  # type: ignore[attr-defined]
        self._spool = Spool()

    def merge(self, packed: bytes) -> None:
        self._spool.add(packed)

    live = merge  # an incomplete array is of no use

    def close(self, ids: Mapping[str, str]) -> None:
        before = b"["
        for text in self._spool.texts(ids):
            self._out.write(before + b"\n")
            self._out.write(text[:-1].replace(b"\n", b",\n"))
            before = b","
        self._out.write(b"[]\n" if before == b"[" else b"\n]\n")
        self._out.flush()


class Json:
    name = "json"
    full = True
    waits = False

    def gatherer(self, style: Style) -> LinesGatherer:
        return LinesGatherer()

    def output(self, out: IO[str], style: Style) -> ArrayOutput:
        return ArrayOutput(out)


RENDERER = Json()
