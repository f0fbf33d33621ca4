"""A command that reproduces a race, and the code that it can be derived from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from deadheat.model import Frame

TIMES = 20  # a race may not occur in every run


@dataclass(frozen=True, slots=True)
class Reproduction:
    """How to reproduce a race."""

    framework: str
    command: str
    claimed: bool = False  # the steps of the document, not verified
    note: str | None = None  # what is missing in the command, and why
    vague: bool = False  # less useful than the steps of the document


class At(Protocol):
    """The code at the commit of a report."""

    def path(self, frame: Frame) -> str | None:
        """The path of a frame's file."""

    def source(self, frame: Frame) -> bytes | None:
        """The content of a frame's file."""

    def beside(self, path: str) -> dict[str, bytes]:
        """The files in the folder of a file, with their content."""


class Nowhere:
    """No code is available: paths are those of the report."""

    def path(self, frame: Frame) -> str | None:
        return frame.file

    def source(self, frame: Frame) -> bytes | None:
        return None

    def beside(self, path: str) -> dict[str, bytes]:
        return {}
