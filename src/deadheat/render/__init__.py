"""One file per output format. A gatherer works where sightings are found, an output where they meet.

A module in this folder that has a `RENDERER` is found by the registry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deadheat.model import Document, Sighting


@dataclass(frozen=True, slots=True)
class Style:
    """How the output may look."""

    colour: bool = False
    width: int = 100
    frames: int = 6
    brief: bool = False
    why: bool = False  # say what each race was identified by
    root: str = ""  # the checkout: files in it are named from there on


class Gatherer(Protocol):
    """Takes sightings where they are found, perhaps in another process."""

    def add(self, sighting: Sighting) -> None: ...

    def tell(self, document: Document) -> None:
        """Takes a bug report, whose sightings have come or not; they carry its claims anyway."""

    def pack(self) -> Any:
        """What was gathered since the last time, small and ready to be sent."""


class Output(Protocol):
    """Writes what was gathered, in order."""

    def merge(self, packed: Any) -> None: ...

    def live(self, packed: Any) -> None:
        """As `merge`, for what comes from a pipe: to be shown at once, if that is of use."""

    def close(self, ids: Mapping[str, str]) -> None:
        """Writes what waits; `ids` has the race of every node, by which sightings were named."""


class Renderer(Protocol):
    """One output format."""

    name: str
    full: bool  # does it ask for the reports, or at least for one of each race?
    waits: bool  # does it show nothing before the end, even of a pipe?

    def gatherer(self, style: Style) -> Gatherer: ...

    def output(self, out: IO[str], style: Style) -> Output: ...
