"""The parts of a pin: windows of commits, matched runs, scored revisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deadheat.code.history import Line
    from deadheat.code.sweep import Run
    from deadheat.model import Frame


class Found(NamedTuple):
    """A run with the best score, and the same run widened over neighbours in which the frames fit."""

    line: Line
    run: Run
    wide: Run

    def window(self, run: Run) -> Window:
        commits = self.line.commits
        return Window(self.line.name, commits[run.first], commits[run.last], run.length)


@dataclass(frozen=True, slots=True)
class Window:
    """Commits of one line, from first to last."""

    line: str
    first: str
    last: str
    commits: int


@dataclass(frozen=True, slots=True)
class Pin:
    """The commits that fit a report.

    In `window` each frame is in its function; in `best_window` each line does what its frame claims.
    """

    window: Window
    surest: Window
    frames: int
    fitting: int
    tags: tuple[str, ...]
    misfits: tuple[Frame, ...]
    ties: tuple[Window, ...]  # other windows with the same score
    named: str | None  # the revision in the document that decided
    absent: tuple[Frame, ...]  # frames whose file was never in this repository
    ambiguous: tuple[Frame, ...]
    main: Window | None = None  # the best window of the main line, if a side branch is better

    @property
    def exact(self) -> bool:
        """Whether every frame fits. If not, the clone does not contain the version of the report."""
        return self.fitting == self.frames


class Revision(NamedTuple):
    """A tag or branch with its score."""

    name: str
    commit: str
    score: int
