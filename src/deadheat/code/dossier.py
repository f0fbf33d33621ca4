"""Everything that a clone tells about one race, put together; plain data for whoever renders it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deadheat.code import fixes, lines, owners, places, reproduce, sides, stale, variable
from deadheat.code.pin import Pin, cut, pin
from deadheat.code.source import CodeSource
from deadheat.code.tree import Tree
from deadheat.diagnose import diagnose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.code.candidates import Candidate
    from deadheat.code.clone import Clone
    from deadheat.code.owners import Owner
    from deadheat.code.places import Module
    from deadheat.code.reproduce import Reproduction
    from deadheat.code.stale import Break
    from deadheat.code.touches import Touch
    from deadheat.code.variable import Variable
    from deadheat.diagnose.finding import Finding
    from deadheat.model import Frame, Report


@dataclass(frozen=True, slots=True)
class Hints:
    """What a document says of itself; checked, never taken on trust."""

    candidates: tuple[str, ...] = ()  # revisions and dates (YYYY-MM-DD)
    issues: tuple[str, ...] = ()  # the numbers that it has, or names, in the tracker


@dataclass(frozen=True, slots=True)
class Touched:
    """What one racing line touches, where no common name was found as well."""

    frame: Frame
    line: str
    touches: tuple[Touch, ...]


@dataclass(frozen=True, slots=True)
class Dossier:
    """What is known about one race. None or empty: not known."""

    report: Report  # with the frames that the source refutes marked as stale
    where: str | None = None  # the repository that told the most
    pin: Pin | None = None
    variable: Variable | None = None
    touched: tuple[Touched, ...] = ()
    breaks: tuple[Break, ...] = ()
    fixed_by: tuple[Candidate, ...] = ()
    fixed_in: tuple[str, ...] = ()  # releases that have the fix
    introduced_by: tuple[Candidate, ...] = ()
    still_present: bool | None = None
    owners: tuple[Owner, ...] = ()
    reproduce: Reproduction | None = None
    module: Module | None = None  # the dependency that the race is in
    missing: tuple[str, ...] = ()
    causes: tuple[Finding, ...] = ()  # the surest first; `unknown` if none is sure enough


def dossier(report: Report, clones: Sequence[Clone], hints: Hints | None = None) -> Dossier:
    """The dossier of a report, from the clone that knows its racing frames best."""
    hints = hints or Hints()
    module = _module(report)
    pinned = [(c, found) for c in clones if (found := pin(c, report, hints.candidates))]
    best = max(pinned, key=lambda p: _rank(p[0], p[1], report), default=None)
    missing = tuple(dict.fromkeys(m for c in clones for m in c.git.missing))
    if best is None:
        return Dossier(
            report,
            reproduce=reproduce.reproduce(report),
            module=module,
            missing=missing,
            causes=diagnose(report),
        )
    return _explained(report, *best, hints, module, missing)


def _rank(clone: Clone, found: Pin, report: Report) -> tuple[int, int]:
    """A repository that has the racing frames tells more than one that has their callers."""
    racing = sum(bool(a.site and clone.paths(a.site)) for a in report.accesses)
    return racing, found.fitting


def _module(report: Report) -> Module | None:
    """The dependency that the racing frames belong to."""
    sites = [access.site for access in report.accesses if access.site]
    found = {places.module(site) for site in sites}
    return found.pop() if len(found) == 1 else None


def _explained(
    report: Report,
    clone: Clone,
    found: Pin,
    hints: Hints,
    module: Module | None,
    missing: tuple[str, ...],
) -> Dossier:
    at = found.surest.last
    tree = Tree(clone.git, at)
    marked, breaks = stale.Proof(clone, tree, found).report(report)
    both = sides.sides(clone, tree, marked)
    named = variable.variable(tree, both, marked)
    past = fixes.Past(clone, found, marked, both)
    mended = past.fixed_by(named, hints.issues)
    if mended and mended[0].is_convincing and (clone.main.position(at) or 0) >= mended[0].place:
        shorter = cut(clone, found, mended[0].place)
        if shorter != found:
            return _explained(report, clone, shorter, hints, module, missing)
    paths = list(dict.fromkeys(side.path for side in both))

    def path_of(frame: Frame) -> str | None:
        here = clone.blobs([at], clone.paths(frame))
        return next((path for _, path in here), None)

    def source_of(frame: Frame) -> bytes | None:
        path = path_of(frame)
        return clone.source(at, path) if path else None

    def file_of(frame: Frame) -> tuple[str, bytes] | None:
        path = path_of(frame)
        content = clone.source(at, path) if path else None
        return (path, content) if path and content is not None else None

    code = CodeSource(file_of, lambda path: clone.source(at, path), tree, both, named)
    return Dossier(
        marked,
        clone.git.where,
        found,
        named,
        tuple(_touched(side) for side in both),
        tuple(breaks),
        tuple(mended),
        tuple(past.released(mended[0])) if mended and mended[0].is_convincing else (),
        tuple(past.introduced_by()),
        past.still_present(mended),
        tuple(owners.owners(clone, clone.main.tip, past.now(paths), past.authors())),
        reproduce.reproduce(marked, path_of, source_of),
        module,
        missing,
        diagnose(marked, code),
    )


def _touched(side: sides.Side) -> Touched:
    text = lines.text(side.source, side.frame.line) if side.frame.line else None
    return Touched(
        side.frame, (text or b"").decode("utf-8", "replace").strip(), tuple(side.touches)
    )
