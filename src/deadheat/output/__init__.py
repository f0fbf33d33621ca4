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
class OutputStyle:
    """Options that change how the output looks."""

    colour: bool = False
    width: int = 100
    frames: int = 6
    brief: bool = False
    why: bool = False  # show what identifies each race
    root: str = ""  # checkout folder; paths in it are shown relative to it


class SightingCollector(Protocol):
    """Collects sightings, possibly in a worker process."""

    def add_sighting(self, sighting: Sighting) -> None: ...

    def add_document(self, document: Document) -> None:
        """Adds a bug report. Its sightings carry its claims as well."""

    def pack_batch(self) -> Any:
        """Returns what was collected since the last call, ready to be pickled."""


class OutputWriter(Protocol):
    """Writes collected batches in order."""

    def merge_batch(self, packed: Any) -> None: ...

    def write_live(self, packed: Any) -> None:
        """Like `merge_batch`, for input from a pipe; may write at once."""

    def write_remaining(self, ids: Mapping[str, str]) -> None:
        """Writes the rest; `ids` maps each variant to its race id."""


class OutputFormat(Protocol):
    """One output format."""

    name: str
    prints_at_end: bool  # whether it prints nothing before the end, even for a pipe

    def new_collector(self, style: OutputStyle) -> SightingCollector: ...

    def new_writer(self, out: IO[str], style: OutputStyle) -> OutputWriter: ...
