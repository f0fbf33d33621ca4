"""Output formats. A collector runs in the worker that finds sightings, a writer in the main process.

The plugin registry finds every module here that defines `FORMAT` or `FORMATS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deadheat.model import Document, Sighting


@dataclass(frozen=True, slots=True)
class Style:
    """Options that change how the output looks."""

    colour: bool = False
    width: int = 100
    frames: int = 6
    brief: bool = False
    why: bool = False  # show what identifies each race
    root: str = ""  # checkout folder; paths in it are shown relative to it


class Gatherer(Protocol):
    """Collects sightings, possibly in a worker process."""

    def add(self, sighting: Sighting) -> None: ...

    def tell(self, document: Document) -> None:
        """Adds a bug report. Its sightings carry its claims as well."""

    def pack(self) -> Any:
        """Returns what was collected since the last call, ready to be pickled."""


class Output(Protocol):
    """Writes collected batches in order."""

    def merge(self, packed: Any) -> None: ...

    def live(self, packed: Any) -> None:
        """Like `merge_batch`, for input from a pipe; may write at once."""

    def close(self, ids: Mapping[str, str]) -> None:
        """Writes the rest; `ids` maps each variant to its race id."""


class Renderer(Protocol):
    """One output format."""

    name: str
    full: bool  # whether it needs parsed reports, at least one per race
    waits: bool  # whether it prints nothing before the end, even for a pipe

    def gatherer(self, style: Style) -> Gatherer: ...

    def output(self, out: IO[str], style: Style) -> Output: ...
