"""One line of JSON per report, as the contract has it."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING

from deadheat.wire import sighting_to_wire

if TYPE_CHECKING:
    from deadheat.model import Sighting
    from deadheat.render import Style

encode = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": ")).encode


class LinesGatherer:
    def __init__(self) -> None:
        self._lines: list[str] = []

    def add(self, sighting: Sighting) -> None:
        self._lines.append(encode(sighting_to_wire(sighting)))

    def pack(self) -> str:
        packed = "\n".join(self._lines)
        self._lines.clear()
        return packed


class LinesOutput:
    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def merge(self, packed: str) -> None:
        self._out.write(f"{packed}\n")

    def close(self) -> None:
        self._out.flush()


class Jsonl:
    name = "jsonl"

    def gatherer(self, style: Style) -> LinesGatherer:
        return LinesGatherer()

    def output(self, out: IO[str], style: Style) -> LinesOutput:
        return LinesOutput(out)


RENDERER = Jsonl()
