"""Diagnosis with the code of a commit, at the reported or relocated lines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deadheat.code import asking, places, sides, variable
from deadheat.code.moved import moved
from deadheat.code.pinned import Pinned
from deadheat.code.source import CodeSource
from deadheat.diagnose import diagnose
from deadheat.diagnose.finding import UNKNOWN
from deadheat.diagnose.rank import THRESHOLD
from deadheat.model import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deadheat.code.clone import Clone
    from deadheat.code.hints import Hints
    from deadheat.code.moved import Moved
    from deadheat.code.sides import Side
    from deadheat.code.variable import Variable
    from deadheat.diagnose.finding import Finding
    from deadheat.model import Access, Frame, Report

Causes = tuple["Finding", ...]


def at_pin(
    clone: Clone,
    at: Pinned,
    report: Report,
    misfits: Sequence[Frame],
    both: Sequence[Side],
    named: Variable | None,
) -> tuple[Variable | None, Causes]:
    """The causes of a report at its pin, and the variable if only relocated frames show it."""
    shown = moved(at, report, misfits) if misfits else None
    if shown is not None and (told := _moved(clone, at, shown, misfits)):
        return told
    source = CodeSource(_fitting(at, misfits), at.read, at.tree, both, named)
    return None, diagnose(own(report, clone), source)


def unpinned(
    report: Report, clones: Sequence[Clone], hints: Hints
) -> tuple[Variable | None, Causes]:
    """The causes of a report without a pin, at the revision that the hints name, if any."""
    for clone in clones:
        commit = next((c for name in hints.candidates if (c := clone.resolve(name))), None)
        frames = [a.frame for a in asking.claims(report) if clone.paths(a.frame)]
        if commit is None or not frames:
            continue
        at = Pinned(clone, clone.tree(commit))
        shown = moved(at, report, frames)
        if shown is not None and shown.sites and (told := _moved(clone, at, shown, frames)):
            return told
    return None, diagnose(report)


def _moved(
    clone: Clone, at: Pinned, shown: Moved, misfits: Sequence[Frame]
) -> tuple[Variable | None, Causes] | None:
    both = sides.sides(clone, at.tree, shown.report)
    named = variable.variable(at.tree, both, shown.report)
    source = CodeSource(_fitting(at, misfits), at.read, at.tree, both, named)
    told = filter(shown.holds, diagnose(own(shown.report, clone), source))
    found = tuple(map(shown.weaker, told))
    if not found:
        return None
    if shown.sites and (found[0].cause == UNKNOWN or found[0].confidence < THRESHOLD):
        return None
    why = "both functions touch it, and nothing else in the way that the detector reports"
    return replace(named, sure=False, why=why) if named and shown.sites else named, found


def _fitting(at: Pinned, misfits: Sequence[Frame]) -> Callable[[Frame], tuple[str, bytes] | None]:
    """A lookup of frames that leaves out the frames that do not fit the code."""
    off = {(frame.path or frame.file, frame.line, frame.function) for frame in misfits}

    def found(frame: Frame) -> tuple[str, bytes] | None:
        told = (frame.path or frame.file, frame.line, frame.function)
        return None if told in off else at.found(frame)

    return found


def own(report: Report, clone: Clone) -> Report:
    """Attribute accesses in dependencies to the calling line in the repository.

    The code of a dependency is not available; the calling line shows the locks and checks.
    """
    return report._replace(accesses=tuple(_called(access, clone) for access in report.accesses))


def _called(access: Access, clone: Clone) -> Access:
    if access.site is None or access.site not in access.stack or _is_own(access.site, clone):
        return access
    for at, frame in enumerate(access.stack):
        if frame.origin is Origin.USER and not frame.stale and _is_own(frame, clone):
            inner = [
                f._replace(origin=Origin.STDLIB) if f.origin is Origin.USER else f
                for f in access.stack[:at]
            ]
            stack = (*inner, *access.stack[at:])
            return access._replace(stack=stack, site=frame, instruction=None, called_from=None)
    return access


def _is_own(frame: Frame, clone: Clone) -> bool:
    """Whether the file of a frame is in the repository and not vendored."""
    module = places.module(frame)
    return bool(clone.paths(frame)) and not (module and module.vendored and _is_taken(frame, clone))


def _is_taken(frame: Frame, clone: Clone) -> bool:
    return all("vendor/" in path for path in clone.paths(frame))
