"""One file per output format. A part gathers on the map side, a renderer writes on the reduce side.

A module in this folder that has a `RENDERER` is found by the registry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from deadheat.model import Sighting


@dataclass(frozen=True, slots=True)
class Style:
    """How the output may look."""

    colour: bool = False
    width: int = 100
    frames: int = 6


class Part(Protocol):
    """Gathers sightings where they are found, perhaps in another process."""

    def add(self, sighting: Sighting) -> None: ...

    def pack(self) -> Any:
        """What was gathered, small and ready to be sent."""


class Output(Protocol):
    """Writes what the parts gathered, in order."""

    def merge(self, packed: Any) -> None: ...

    def close(self) -> None: ...


class Renderer(Protocol):
    """One output format."""

    name: str

    def part(self) -> Part: ...

    def output(self, out: IO[str], style: Style) -> Output: ...
