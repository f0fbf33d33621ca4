"""Collects everything that a clone tells about one race, as data for output formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from deadheat.code import (
    claimed,
    diagnosing,
    lines,
    owners,
    places,
    releases,
    reproduce,
    sides,
    stale,
    variable,
)
from deadheat.code.fixes import Fixes
from deadheat.code.hints import Hints
from deadheat.code.origins import Origins
from deadheat.code.past import Past
from deadheat.code.pin import cut, pin
from deadheat.code.pinned import Pinned
from deadheat.code.snippets import Snippet, snippets
from deadheat.diagnose.checks import check

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.code.candidates import Candidate
    from deadheat.code.claimed import Answer
    from deadheat.code.clone import Clone
    from deadheat.code.command import Reproduction
    from deadheat.code.owners import Owner
    from deadheat.code.places import Module
    from deadheat.code.sides import Side
    from deadheat.code.similar import Similar
    from deadheat.code.stale import Break
    from deadheat.code.touches import Touch
    from deadheat.code.tree import Tree
    from deadheat.code.variable import Variable
    from deadheat.code.window import Pin
    from deadheat.diagnose.finding import Finding
    from deadheat.model import Frame, Report


@dataclass(frozen=True, slots=True)
class Touched:
    """The variables that one racing line accesses, even if none is common to both."""

    frame: Frame
    line: str
    touches: tuple[Touch, ...]


@dataclass(frozen=True, slots=True)
class Dossier:
    """What is known about one race. None or empty means unknown."""

    report: Report  # with refuted frames marked as stale
    where: str | None = None  # path of the clone with most information
    pin: Pin | None = None
    variable: Variable | None = None
    touched: tuple[Touched, ...] = ()
    breaks: tuple[Break, ...] = ()
    fixed_by: tuple[Candidate, ...] = ()
    fixed_in: tuple[str, ...] = ()  # releases that contain the fix
    introduced_by: tuple[Candidate, ...] = ()
    still_present: bool | None = None
    owners: tuple[Owner, ...] = ()
    reproduce: Reproduction | None = None
    module: Module | None = None  # the dependency that the race is in
    missing: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()  # results of checking the claims of the document
    snippets: tuple[Snippet, ...] = ()
    days: tuple[str | None, str | None] = (None, None)  # dates of the first and last commit of the pin
    causes: tuple[Finding, ...] = ()  # most confident first; `unknown` if none is confident enough
    similar: tuple[Similar, ...] = ()  # past fixes of similar races


def dossier(report: Report, clones: Sequence[Clone], hints: Hints | None = None) -> Dossier:
    """The dossier of a report, from the clone that contains most of its racing frames."""
    hints = hints or Hints()
    module = _module(report)
    if module and (revision := places.revision(module)):
        # a path in the module cache contains the version, which is checked like any other
        hints = Hints((revision,)).before(hints)
    pinned = [(c, found) for c in clones if (found := pin(c, report, hints.candidates))]
    best = max(pinned, key=lambda p: _rank(p[0], p[1], report), default=None)
    missing = tuple(dict.fromkeys(m for c in clones for m in c.git.missing))
    if best is None:
        how = reproduce.reproduce(report)
        named, causes = diagnosing.unpinned(report, clones, hints)
        return Dossier(
            report,
            variable=named or variable.told_by(report),
            reproduce=reproduce.best(how, hints.steps),
            module=module,
            missing=missing,
            causes=_checked(causes, report, how),
        )
    return _told(_looked(report, *best, hints.issues), hints, module, missing)


def _rank(clone: Clone, found: Pin, report: Report) -> tuple[int, int]:
    """Prefers a repository with the racing frames to one with only their callers."""
    racing = sum(bool(a.site and clone.paths(a.site)) for a in report.accesses)
    return racing, found.fitting


def _module(report: Report) -> Module | None:
    """The dependency that the racing frames belong to."""
    sites = [access.site for access in report.accesses if access.site]
    found = {places.module(site) for site in sites}
    return found.pop() if len(found) == 1 else None


class _Looked(NamedTuple):
    """What the code at the pin and the history around it show."""

    clone: Clone
    pin: Pin
    at: Pinned
    tree: Tree
    report: Report  # with refuted frames marked
    breaks: list[Break]
    both: list[Side]
    variable: Variable | None
    past: Past
    mended: list[Candidate]


def _looked(report: Report, clone: Clone, found: Pin, issues: Sequence[str]) -> _Looked:
    """Inspects a pin; if a fix is found inside it, inspects the part before the fix."""
    commit = found.surest.last
    tree = clone.tree(commit)
    marked, breaks = stale.Proof(clone, tree, found).report(report)
    both = sides.sides(clone, tree, marked)
    named = variable.variable(tree, both, marked)
    past = Past(clone, found, marked, both)
    mended = Fixes(past).fixed_by(named, issues)
    if mended and mended[0].is_convincing and (clone.main.position(commit) or 0) >= mended[0].place:
        shorter = cut(clone, found, mended[0].place)
        if shorter != found:
            return _looked(report, clone, shorter, issues)
    at = Pinned(clone, tree)
    return _Looked(clone, found, at, tree, marked, breaks, both, named, past, mended)


def _told(seen: _Looked, hints: Hints, module: Module | None, missing: tuple[str, ...]) -> Dossier:
    clone, past, at, both = seen.clone, seen.past, seen.at, seen.both
    origins = Origins(past)
    sure = bool(seen.mended) and seen.mended[0].is_convincing
    released = releases.released(clone, seen.mended[0].commit) if sure else []
    asked = claimed.Check(clone, seen.pin, seen.report, past)
    answers = asked.answers(hints.claims, seen.mended, released)
    paths = past.now(list(dict.fromkeys(side.path for side in both)))
    how = reproduce.reproduce(seen.report, at)
    named, causes = diagnosing.at_pin(clone, at, seen.report, seen.pin.misfits, both, seen.variable)
    return Dossier(
        seen.report,
        clone.git.where,
        seen.pin,
        seen.variable or named or variable.supposed(seen.tree, both),
        tuple(_touched(side) for side in both),
        tuple(seen.breaks),
        tuple(seen.mended),
        tuple(released),
        tuple(origins.introduced_by([a for a in answers if a.claim.kind == "suspect"])),
        Fixes(past).still_present(seen.mended),
        tuple(owners.owners(clone, clone.main.tip, paths, origins.authors())),
        reproduce.best(how, hints.steps),
        module,
        missing,
        tuple(answers),
        tuple(snippets(seen.report, at.path, at.source)),
        (clone.day(seen.pin.window.first), clone.day(seen.pin.window.last)),
        _checked(causes, seen.report, how),
    )


def _checked(
    found: tuple[Finding, ...], report: Report, how: Reproduction | None
) -> tuple[Finding, ...]:
    """The findings with the command that reproduces the race, to be run after the change."""
    if how is None or how.vague:
        return found
    told = check(report, how.command)
    return tuple(
        one._replace(remedy=one.remedy._replace(check=told)) if one.remedy else one for one in found
    )


def _touched(side: Side) -> Touched:
    text = lines.text(side.source, side.frame.line) if side.frame.line else None
    return Touched(
        side.frame, (text or b"").decode("utf-8", "replace").strip(), tuple(side.touches)
    )
