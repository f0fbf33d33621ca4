"""A command that makes a race happen again, and what the code at a pin can tell about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from deadheat.model import Frame

TIMES = 20  # a race may not show at once


@dataclass(frozen=True, slots=True)
class Reproduction:
    """How to see a race again."""

    framework: str
    command: str
    claimed: bool = False  # the document's own steps, which nobody has tried
    note: str | None = None  # what the command lacks, and why
    vague: bool = False  # so much that the document's own steps tell more


class At(Protocol):
    """The code at the commit that a report is from."""

    def path(self, frame: Frame) -> str | None:
        """The path of a frame's file."""

    def source(self, frame: Frame) -> bytes | None:
        """The content of a frame's file."""

    def beside(self, path: str) -> dict[str, bytes]:
        """The files in the folder of a file, with what they hold."""


class Nowhere:
    """No code is at hand: paths are as the report has them."""

    def path(self, frame: Frame) -> str | None:
        return frame.file

    def source(self, frame: Frame) -> bytes | None:
        return None

    def beside(self, path: str) -> dict[str, bytes]:
        return {}
