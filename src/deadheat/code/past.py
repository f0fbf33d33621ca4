"""The history of the files and functions of a report, before and after its pin."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from deadheat.code import follow
from deadheat.code.history import version_at
from deadheat.code.targets import targets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.code.clone import Clone
    from deadheat.code.sides import Side
    from deadheat.code.targets import Target
    from deadheat.code.window import Pin
    from deadheat.model import Report


class Past:
    """The paths of the files of a report over time, and the commits that changed them."""

    def __init__(self, clone: Clone, pin: Pin, report: Report, both: Sequence[Side]) -> None:
        self.clone, self.report = clone, report
        self.at = self._place(pin.surest.last)
        self.end = max(self._place(pin.window.last), self.at)
        # the fix may be in the window if it did not shift the lines
        self.start = min(self._place(pin.surest.first), self.at)
        self.targets = targets(clone, pin.surest.last, report, both)
        self.steps = {t.path: follow.forward(clone, t.path, self.at) for t in self.targets}

    @cached_property
    def brought(self) -> dict[Target, int | None]:
        """The positions of the commits that added the racing lines and the `go` statements."""
        return {
            t: follow.brought(self.clone, t.path, t.function, t.line, self.at)
            for t in self.targets
            if t.line.strip() and (t.racing or b"go " in t.line)
        }

    def _place(self, commit: str) -> int:
        """The position of the commit on the main line, or that of its fork point."""
        return self.clone.beside.fork(commit) or 0

    def touched(self) -> dict[int, tuple[float, str]]:
        """Positions of later commits that change a file of the report, with points and a reason."""
        found: dict[int, tuple[float, str]] = {}
        for target in self.targets:
            worth = 1.0 if target.racing else 0.5
            inside = follow.Step(target.path, self.start, self.at)
            for step in (inside, *self.steps[target.path]):
                for change in self.clone.main.versions(step.path):
                    if step.first < change.pos and (step.last is None or change.pos <= step.last):
                        old = found.get(change.pos, (0.0, ""))
                        if worth > old[0]:
                            found[change.pos] = worth, f"changes {step.path}"
        return found

    def changed(self, place: int) -> tuple[list[str], list[str]]:
        """The functions and files of the report that the commit at a position changes."""
        functions, files = [], []
        for target in self.targets:
            path = self.path(target, place) if place > self.at else self._earlier(target, place)
            if path is None:
                continue
            versions = self.clone.main.versions(path)
            old, new = version_at(versions, place - 1), version_at(versions, place)
            if old == new:
                continue
            files.append(path)
            before, after = (
                follow.function_text(self.clone, blob, path, target.function) for blob in (old, new)
            )
            if before != after:
                functions.append(target.function.rpartition(".")[2])
        return list(dict.fromkeys(functions)), list(dict.fromkeys(files))

    def _earlier(self, target: Target, place: int) -> str | None:
        """The path of a file at an earlier position."""
        for path, versions in follow.backward(self.clone, target.path, self.at):
            if versions[-1].pos <= place:
                return path
        return None

    def path(self, target: Target, place: int) -> str:
        steps = self.steps[target.path]
        return next((s.path for s in reversed(steps) if s.first < place), target.path)

    def now(self, paths: Sequence[str]) -> list[str]:
        """The current paths of files."""
        return [self.steps[p][-1].path if p in self.steps else p for p in paths]
