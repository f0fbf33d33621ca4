"""Collects everything that a clone tells about one race, as data for output formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis import verification_step
from deadheat.repo import clone as repo_clone
from deadheat.repo import code_diagnosis, document_claims, racing_lines, reproduction
from deadheat.repo import fixes as repo_fixes
from deadheat.repo import owners as repo_owners
from deadheat.repo import variable as repo_variable
from deadheat.repo.clone import CommitSnapshot
from deadheat.repo.document_claims import DocumentHints
from deadheat.repo.fixes import FixFinder, ReportHistory
from deadheat.repo.owners import OriginFinder
from deadheat.repo.pinning import line_claims, refuted_frames
from deadheat.repo.pinning.window import cut_before, find_pin
from deadheat.repo.racing_lines import CodeSnippet, code_snippets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.diagnosis.finding import Finding
    from deadheat.model import Frame, Report
    from deadheat.repo.candidate_commits import CandidateCommit
    from deadheat.repo.clone import Clone, DependencyModule
    from deadheat.repo.document_claims import ClaimAnswer
    from deadheat.repo.owners import CodeOwner
    from deadheat.repo.pinning.refuted_frames import RefutedCall
    from deadheat.repo.pinning.window import Pin
    from deadheat.repo.racing_lines import RacingLine
    from deadheat.repo.reproduction import Reproduction
    from deadheat.repo.similar_fixes import SimilarFix
    from deadheat.repo.syntax.declarations import CommitTree
    from deadheat.repo.syntax.line_accesses import PossibleAccess
    from deadheat.repo.variable import RaceVariable


@dataclass(frozen=True, slots=True)
class TouchedLine:
    """The variables that one racing line accesses, even if none is common to both."""

    frame: Frame
    text: str
    touches: tuple[PossibleAccess, ...]


@dataclass(frozen=True, slots=True)
class Dossier:
    """What is known about one race. None or empty means unknown."""

    report: Report  # with refuted frames marked as stale
    repo_path: str | None = None  # path of the clone with most information
    pin: Pin | None = None
    variable: RaceVariable | None = None
    touched_lines: tuple[TouchedLine, ...] = ()
    refuted_calls: tuple[RefutedCall, ...] = ()
    fixed_by: tuple[CandidateCommit, ...] = ()
    fixed_in: tuple[str, ...] = ()  # releases that contain the fix
    introduced_by: tuple[CandidateCommit, ...] = ()
    still_present: bool | None = None
    owners: tuple[CodeOwner, ...] = ()
    reproduction: Reproduction | None = None
    dependency: DependencyModule | None = None  # the dependency that the race is in
    missing: tuple[str, ...] = ()
    answers: tuple[ClaimAnswer, ...] = ()  # results of checking the claims of the document
    snippets: tuple[CodeSnippet, ...] = ()
    days: tuple[str | None, str | None] = (None, None)  # dates of the first and last commit of the pin
    causes: tuple[Finding, ...] = ()  # most confident first; `unknown` if none is confident enough
    similar_fixes: tuple[SimilarFix, ...] = ()  # past fixes of similar races


def build_dossier(report: Report, clones: Sequence[Clone], hints: DocumentHints | None = None) -> Dossier:
    """The dossier of a report, from the clone that contains most of its racing frames."""
    hints = hints or DocumentHints()
    dependency = _dependency_of_sites(report)
    if dependency and (revision := repo_clone.dependency_revision(dependency)):
        # a path in the module cache contains the version, which is checked like any other
        hints = DocumentHints((revision,)).merge_with(hints)
    pins = [(c, pin) for c in clones if (pin := find_pin(c, report, hints.revisions))]
    best = max(pins, key=lambda pinned_clone: _clone_rank(pinned_clone[0], pinned_clone[1], report), default=None)
    missing = tuple(dict.fromkeys(m for c in clones for m in c.git.missing))
    if best is None:
        run_command = reproduction.find_reproduction(report)
        named_variable, causes = code_diagnosis.diagnose_without_pin(report, clones, hints)
        return Dossier(
            report,
            variable=named_variable or repo_variable.variable_from_report(report),
            reproduction=reproduction.choose_reproduction(run_command, hints.steps),
            dependency=dependency,
            missing=missing,
            causes=_with_check_command(causes, report, run_command),
        )
    return _assemble_dossier(_inspect_pin(report, *best, hints.issues), hints, dependency, missing)


def _clone_rank(clone: Clone, pin: Pin, report: Report) -> tuple[int, int]:
    """Prefers a repository with the racing frames to one with only their callers."""
    racing = sum(bool(a.site and clone.paths_of(a.site)) for a in report.accesses)
    return racing, pin.fitting_count


def _dependency_of_sites(report: Report) -> DependencyModule | None:
    """The dependency that the racing frames belong to."""
    sites = [access.site for access in report.accesses if access.site]
    dependencies = {repo_clone.dependency_of(site) for site in sites}
    return dependencies.pop() if len(dependencies) == 1 else None


class _PinFindings(NamedTuple):
    """What the code at the pin and the history around it show."""

    clone: Clone
    pin: Pin
    snapshot: CommitSnapshot
    tree: CommitTree
    report: Report  # with refuted frames marked
    refuted_calls: list[RefutedCall]
    both_sides: list[RacingLine]
    variable: RaceVariable | None
    history: ReportHistory
    fixes: list[CandidateCommit]


def _inspect_pin(report: Report, clone: Clone, pin: Pin, issues: Sequence[str]) -> _PinFindings:
    """Inspects a pin; if a fix is found inside it, inspects the part before the fix."""
    commit = pin.best_window.last
    tree = clone.tree_at(commit)
    marked_report, refuted_calls = refuted_frames.FrameChecker(clone, tree, pin).mark_report(report)
    both_sides = racing_lines.find_racing_lines(clone, tree, marked_report)
    named_variable = repo_variable.find_variable(tree, both_sides, marked_report)
    history = ReportHistory(clone, pin, marked_report, both_sides)
    fixes = FixFinder(history).find_fixes(named_variable, issues)
    if fixes and fixes[0].is_convincing and (clone.main.position_of(commit) or 0) >= fixes[0].position:
        shorter_pin = cut_before(clone, pin, fixes[0].position)
        if shorter_pin != pin:
            return _inspect_pin(report, clone, shorter_pin, issues)
    snapshot = CommitSnapshot(clone, tree)
    return _PinFindings(
        clone, pin, snapshot, tree, marked_report, refuted_calls, both_sides, named_variable, history, fixes
    )


def _assemble_dossier(
    findings: _PinFindings, hints: DocumentHints, dependency: DependencyModule | None, missing: tuple[str, ...]
) -> Dossier:
    clone, history, snapshot, both_sides = findings.clone, findings.history, findings.snapshot, findings.both_sides
    origins = OriginFinder(history)
    is_certain = bool(findings.fixes) and findings.fixes[0].is_convincing
    releases = repo_fixes.releases_with(clone, findings.fixes[0].commit) if is_certain else []
    claim_check = document_claims.ClaimChecker(clone, findings.pin, findings.report, history)
    answers = claim_check.check_claims(hints.claims, findings.fixes, releases)
    paths = history.current_paths(list(dict.fromkeys(side.path for side in both_sides)))
    run_command = reproduction.find_reproduction(findings.report, snapshot)
    named_variable, causes = code_diagnosis.diagnose_at_pin(
        clone, snapshot, findings.report, findings.pin.misfits, both_sides, findings.variable
    )
    return Dossier(
        findings.report,
        clone.git.clone_path,
        findings.pin,
        findings.variable or named_variable or repo_variable.likely_variable(findings.tree, both_sides),
        tuple(_touched_line(side) for side in both_sides),
        tuple(findings.refuted_calls),
        tuple(findings.fixes),
        tuple(releases),
        tuple(origins.introducing_commits([a for a in answers if a.claim.kind == "suspect"])),
        FixFinder(history).is_still_present(findings.fixes),
        tuple(repo_owners.find_owners(clone, clone.main.tip, paths, origins.line_authors())),
        reproduction.choose_reproduction(run_command, hints.steps),
        dependency,
        missing,
        tuple(answers),
        tuple(code_snippets(findings.report, snapshot)),
        (clone.commit_day(findings.pin.window.first), clone.commit_day(findings.pin.window.last)),
        _with_check_command(causes, findings.report, run_command),
    )


def _with_check_command(
    findings: tuple[Finding, ...], report: Report, run_command: Reproduction | None
) -> tuple[Finding, ...]:
    """The findings with the command that reproduces the race, to be run after the change."""
    if run_command is None or run_command.is_vague:
        return findings
    check_text = verification_step(report, run_command.command)
    return tuple(
        finding._replace(remedy=finding.remedy._replace(check=check_text)) if finding.remedy else finding
        for finding in findings
    )


def _touched_line(side: RacingLine) -> TouchedLine:
    text = line_claims.line_text(side.source, side.frame.line) if side.frame.line else None
    return TouchedLine(side.frame, (text or b"").decode("utf-8", "replace").strip(), tuple(side.possible_accesses))
