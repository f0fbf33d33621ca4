"""The functions of a report whose changes are tracked: racing ones first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deadheat.code import lines
from deadheat.code.asking import declared
from deadheat.code.languages import language
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.code.clone import Clone
    from deadheat.code.sides import Side
    from deadheat.model import Frame, Report


@dataclass(frozen=True, slots=True)
class Target:
    """A function of the report and its file at the pin."""

    path: str
    function: str
    line: bytes
    racing: bool


def targets(clone: Clone, commit: str, report: Report, both: Sequence[Side]) -> list[Target]:
    """The racing functions, then the others to track."""
    found: dict[tuple[str, str, bytes], Target] = {}
    for side in both:
        line = lines.text(side.source, side.frame.line) if side.frame.line else b""
        function = declared(side.frame.function, language(side.path) or "go")
        found[side.path, function, line or b""] = Target(side.path, function, line or b"", True)
    for frame in _watched(report):
        tongue = language(frame.file)
        paths = clone.paths(frame) if tongue else []
        for (_, path), blob in clone.blobs([commit], paths).items():
            source = clone.git.object(blob) or b""
            line = lines.text(source, frame.line) if frame.line else b""
            function = declared(frame.function, tongue or "go")
            if not any(t.path == path and t.function == function for t in found.values()):
                found[path, function, line or b""] = Target(path, function, line or b"", False)
    return [t for t in found.values() if t.function]


def _watched(report: Report) -> list[Frame]:
    """Frames whose functions a fix may change: of the accesses, the creation stacks, and the test."""
    stacks = [a.stack for a in report.accesses]
    created = [a.created_at for a in report.actors]
    frames = [f for stack in stacks for f in stack if not f.stale]
    frames += [f for stack in created for f in stack[:3] if not f.stale]
    tests = [f for stack in created for f in stack if not f.stale and go.test_name(f.function)]
    return [f for f in dict.fromkeys(frames + tests) if f.line is not None][:40]
