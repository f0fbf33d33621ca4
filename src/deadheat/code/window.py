"""What a pin is made of: windows of commits, runs that were found, revisions that were asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deadheat.code.history import Line
    from deadheat.code.sweep import Run
    from deadheat.model import Frame


class Found(NamedTuple):
    """A run of a line that does best, and its neighbours in which the frames lie where they should."""

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
    """Where a report's frames fit: each lies in its function, in `surest` each does what it says."""

    window: Window
    surest: Window
    frames: int
    fitting: int
    tags: tuple[str, ...]
    misfits: tuple[Frame, ...]
    ties: tuple[Window, ...]  # others that do as well
    named: str | None  # what the document names, where that decided
    absent: tuple[Frame, ...]  # frames whose file this repository never had
    ambiguous: tuple[Frame, ...]
    main: Window | None = None  # the best of the main line, where a side line does better

    @property
    def exact(self) -> bool:
        """Does every frame fit? If not, the window is the best base of a version not seen here."""
        return self.fitting == self.frames


class Revision(NamedTuple):
    """A tag or branch, and how well it does."""

    name: str
    commit: str
    score: int
