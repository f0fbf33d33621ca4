"""Everything that a clone tells about one race: as data for output formats, as JSON and as a row of the lake."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from deadheat import plugins
from deadheat._version import RULES_VERSION
from deadheat.diagnosis import verification_step
from deadheat.diagnosis.finding import finding_to_json
from deadheat.grouping.fingerprint import TEST_RUNNER, is_test_runner
from deadheat.model import ActorState, Op
from deadheat.printable import format_json, quote_code
from deadheat.repo.clone import CommitSnapshot, dependency_of, dependency_revision
from deadheat.repo.code_diagnosis import diagnose_at_pin, diagnose_without_pin
from deadheat.repo.document_claims import ClaimChecker, DocumentHints, issue_numbers_of
from deadheat.repo.fixes import FixFinder
from deadheat.repo.fixes.fix_diff import diff_of_commit
from deadheat.repo.fixes.releases import releases_with
from deadheat.repo.fixes.report_history import ReportHistory
from deadheat.repo.likely_variable import likely_variable
from deadheat.repo.owners import OriginFinder, find_owners, put_configured_owners_first
from deadheat.repo.pinning import find_pin, pin_before
from deadheat.repo.pinning.misfit_frames import FrameChecker
from deadheat.repo.racing_lines import CodeSnippet, code_snippets, find_racing_lines
from deadheat.repo.reproduction import choose_reproduction, find_reproduction
from deadheat.repo.variable import find_variable, variable_from_report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.codeowners import OwnerRule
    from deadheat.diagnosis.finding import Finding
    from deadheat.model import Access, Frame, Report
    from deadheat.repo.clone import Clone, DependencyModule
    from deadheat.repo.document_claims import ClaimAnswer
    from deadheat.repo.fixes.candidates import CandidateCommit
    from deadheat.repo.mining.similar_fixes import SimilarFix
    from deadheat.repo.owners import CodeOwner
    from deadheat.repo.pinning import CommitWindow, Pin
    from deadheat.repo.pinning.misfit_frames import RefutedCall
    from deadheat.repo.racing_lines import CodeSnippet, RacingLine
    from deadheat.repo.reproduction import Reproduction
    from deadheat.repo.variable import RaceVariable


@dataclass(frozen=True, slots=True)
class Dossier:
    """What is known about one race. None or empty means unknown."""

    report: Report  # with refuted frames marked as stale
    repo_path: str | None = None  # path of the clone with most information
    pin: Pin | None = None
    variable: RaceVariable | None = None
    racing_lines: tuple[RacingLine, ...] = ()
    refuted_calls: tuple[RefutedCall, ...] = ()
    fixed_by: tuple[CandidateCommit, ...] = ()
    fixed_in: tuple[str, ...] = ()  # releases that contain the fix
    fix_diff: tuple[str, ...] = ()  # what the fix changes in the racing files, if it is convincing
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
    dependencies = {dependency_of(access.site) for access in report.accesses if access.site}
    dependency = dependencies.pop() if len(dependencies) == 1 else None
    if dependency and (revision := dependency_revision(dependency)):
        # a path in the module cache contains the version, which is checked like any other
        hints = replace(hints, revisions=tuple(dict.fromkeys((revision, *hints.revisions))))
    pins = [(clone, pin) for clone in clones if (pin := find_pin(clone, report, hints.revisions, hints.same_log))]
    # prefers a repository with the racing frames to one with only their callers
    best = max(pins, key=lambda each: (count_racing_sites(report, each[0]), each[1].fitting_count), default=None)
    missing = tuple(dict.fromkeys(m for c in clones for m in c.git.missing))
    if best is None:
        run_command = find_reproduction(report)
        relocated_variable, causes = diagnose_without_pin(report, clones, hints)
        return Dossier(
            report,
            variable=relocated_variable or variable_from_report(report),
            reproduction=choose_reproduction(run_command, hints.steps),
            dependency=dependency,
            missing=missing,
            causes=_with_check_command(causes, report, run_command),
        )
    return replace(_dossier_at_pin(report, *best, hints, dependency), missing=missing)


def with_configured_owners(dossier: Dossier, rules: Sequence[OwnerRule]) -> Dossier:
    """The dossier with the owners of the racing files in the configuration first."""
    sites = [access.site.file for access in dossier.report.accesses if access.site]
    paths = [line.path for line in dossier.racing_lines] or sites
    return replace(dossier, owners=tuple(put_configured_owners_first(dossier.owners, rules, paths)))


def count_racing_sites(report: Report, clone: Clone) -> int:
    """How many racing frames are in files of the clone."""
    return sum(bool(access.site and clone.paths_of(access.site)) for access in report.accesses)


def _dossier_at_pin(
    report: Report,
    clone: Clone,
    pin: Pin,
    hints: DocumentHints,
    dependency: DependencyModule | None,
    known_fix: CandidateCommit | None = None,
) -> Dossier:
    """What the code at a pin and the history around it show; if a fix is inside, at the part before the fix."""
    snapshot = CommitSnapshot(clone, clone.tree_at(pin.best_window.last))
    unmarked = report
    report, refuted_calls = FrameChecker(clone, snapshot.tree, pin).mark_report(report)
    both_sides = find_racing_lines(clone, snapshot.tree, report)
    variable = find_variable(snapshot.tree, both_sides, report)
    history = ReportHistory(clone, pin, report, both_sides)
    fixes = FixFinder(history).find_fixes(variable, issue_numbers_of(clone, hints.issues), known_fix)
    if fixes and fixes[0].is_convincing and (clone.main.position_of(pin.best_window.last) or 0) >= fixes[0].position:
        shorter_pin = pin_before(clone, unmarked, pin, fixes[0].position)
        if shorter_pin != pin:
            return _dossier_at_pin(unmarked, clone, shorter_pin, hints, dependency, fixes[0])
    origins = OriginFinder(history)
    releases = releases_with(clone, fixes[0].commit) if fixes and fixes[0].is_convincing else []
    answers = ClaimChecker(clone, pin, report, history).check_claims(hints.claims, fixes, releases)
    introducing = origins.introducing_commits([a for a in answers if a.claim.kind == "suspect"])
    confirmed_fixes = {fix.commit for fix in fixes if fix.is_confirmed}
    paths = history.current_paths(list(dict.fromkeys(side.path for side in both_sides)))
    racing_paths = {side.path for side in both_sides}.union(paths)
    run_command = find_reproduction(report, snapshot)
    diagnosed_variable = variable or likely_variable(snapshot.tree, both_sides)
    relocated_variable, causes = diagnose_at_pin(clone, snapshot, report, pin.misfits, both_sides, diagnosed_variable)
    return Dossier(
        report,
        clone.git.clone_path,
        pin,
        variable or relocated_variable or diagnosed_variable,
        tuple(both_sides),
        tuple(refuted_calls),
        tuple(fixes),
        tuple(releases),
        diff_of_commit(clone.git, fixes[0].commit, racing_paths) if fixes and fixes[0].is_convincing else (),
        tuple(c for c in introducing if c.commit not in confirmed_fixes),
        FixFinder(history).is_still_present(fixes),
        tuple(find_owners(clone, clone.main.tip, paths, origins)),
        choose_reproduction(run_command, hints.steps, _files_around(report, snapshot)),
        dependency,
        answers=tuple(answers),
        snippets=tuple(code_snippets(report, snapshot)),
        days=(clone.commit_day(pin.window.first), clone.commit_day(pin.window.last)),
        causes=_with_check_command(causes, report, run_command),
    )


def _files_around(report: Report, snapshot: CommitSnapshot) -> Iterator[bytes]:
    """The files in the folders of the frames."""
    frames = {frame.file: frame for access in report.accesses for frame in access.stack if not frame.stale}
    paths = [path for frame in frames.values() if (path := snapshot.path_of(frame))]
    for path in {path.rpartition("/")[0]: path for path in paths}.values():
        yield from snapshot.tree.folder_contents(path).values()


def _with_check_command(
    findings: tuple[Finding, ...], report: Report, run_command: Reproduction | None
) -> tuple[Finding, ...]:
    """The findings with the command that reproduces the race, to be run after the change."""
    if run_command is None or run_command.is_vague or run_command.command is None:
        return findings
    check_text = verification_step(report, run_command.command)
    return tuple(
        finding._replace(
            remedy=finding.remedy and finding.remedy._replace(check=check_text),
            more_remedies=tuple(remedy._replace(check=check_text) for remedy in finding.more_remedies),
        )
        for finding in findings
    )


_ERROR_KIND = "error-stack"
_MAX_LINE_BYTES = 4_000
_OPERATION_VERBS = {
    Op.READ: "reads",
    Op.WRITE: "writes",
    Op.ATOMIC_READ: "reads atomically",
    Op.ATOMIC_WRITE: "writes atomically",
    Op.FREE: "frees",
    Op.UNKNOWN: "is",
}


def _build_narrative(dossier: Dossier) -> dict[str, str]:
    """The two sections of a bug report that are often left blank."""
    report, variable, text = dossier.report, dossier.variable, ""
    if variable is not None:
        text = quote_code(variable.name) + (f" of {quote_code(variable.owner)}" if variable.owner else "")
    elif report.location and report.location.name:
        text = quote_code(report.location.name)
    return {"expected": _expected_text(report, text), "saw": _observed_text(report, text)}


def _expected_text(report: Report, variable: str) -> str:
    sites = [TEST_RUNNER if is_test_runner(a) else quote_code(a.site.function) for a in report.accesses if a.site]
    if len(sites) == 2:
        access_part = f"access {variable}" if variable else "access the memory that they share"
        if sites[0] == sites[1]:
            return f"No two calls of {sites[0]} {access_part} unless one happens before the other."
        return f"{sites[0]} and {sites[1]} {access_part} only if one happens before the other."
    if sites:
        kind = "error" if report.kind == _ERROR_KIND else _kind_text(report)
        return f"No {kind} in {sites[0]}."
    return f"No {_kind_text(report)}."


def _kind_text(report: Report) -> str:
    """`data race` for `data-race`."""
    return report.kind.replace("-", " ")


def _observed_text(report: Report, variable: str) -> str:
    accesses = [_access_text(access, report) for access in report.accesses]
    variable_part = f" on {variable}" if variable else ""
    test_part = f" during {report.test}" if report.test else ""
    detector = plugins.display_name(report.detector)
    start = f"{detector} reports a {_kind_text(report)}{variable_part}{test_part}"
    if not accesses:
        return f"{start}; its accesses are not in the text."
    if report.kind == _ERROR_KIND:
        site = report.accesses[0].site
        where = _site_text(site) if site else "an unknown location"
        return f"An error in {where}{test_part}. This is its stack, not a race report."
    if len(accesses) == 1:
        return f"{start}: {accesses[0]}; the other access is not in the text."
    return f"{start}: {'; '.join(accesses)}. They are not ordered."


def _access_text(access: Access, report: Report) -> str:
    state = next((a.state for a in report.actors if a.id == access.actor), ActorState.UNKNOWN)
    finished_part = " (finished)" if state is ActorState.FINISHED else ""
    actor = f"{access.actor}{finished_part} " if access.actor else ""
    if access.site is None:
        return f"{actor}{_OPERATION_VERBS[access.op]} at an unknown location"
    where = TEST_RUNNER if is_test_runner(access) else _site_text(access.site)
    return f"{actor}{_OPERATION_VERBS[access.op]} in {where}"


def _site_text(site: Frame) -> str:
    line = f":{site.line}" if site.line is not None else ""
    location = quote_code(f"{site.file}{line}")
    return f"{quote_code(site.function)} ({location})" if site.file else quote_code(site.function)


JsonDict = dict[str, Any]


def dossier_to_json(dossier: Dossier, related: Sequence[str] = ()) -> JsonDict:
    """The fields of a dossier. Unknown values are null or empty."""
    at = dossier.pin.best_window.last if dossier.pin else None
    return {
        "variable": dossier.variable and _variable_to_json(dossier.variable),
        "touched": [_racing_line_to_json(line) for line in dossier.racing_lines],
        "pin": dossier.pin and {**_pin_to_json(dossier.pin), "days": list(dossier.days)},
        "still_present": dossier.still_present,
        "fixed_by": [_candidate_to_json(c) for c in dossier.fixed_by],
        "fixed_in": list(dossier.fixed_in),
        "fix_diff": list(dossier.fix_diff),
        "introduced_by": [_candidate_to_json(c) for c in dossier.introduced_by],
        "cause": finding_to_json(dossier.causes[0]) if dossier.causes else None,
        "causes": [finding_to_json(finding) for finding in dossier.causes],
        "similar_fixes": [_similar_fix_to_json(s) for s in dossier.similar_fixes],
        "reproduce": dossier.reproduction
        and {
            "framework": dossier.reproduction.framework,
            "command": dossier.reproduction.command,
            "at": at,
            "claimed": dossier.reproduction.from_document,
            "note": dossier.reproduction.note,
        },
        "owners": [{"who": o.who, "why": o.why} for o in dossier.owners],
        "related": list(related),
        "stale": [_refuted_call_to_json(b) for b in dossier.refuted_calls],
        "module": dossier.dependency and {"path": dossier.dependency.path, "version": dossier.dependency.version},
        "repo": dossier.repo_path,
        "missing": list(dossier.missing),
        "checked": [_answer_to_json(a) for a in dossier.answers],
        "snippets": [_snippet_to_json(s) for s in dossier.snippets],
        "narrative": _build_narrative(dossier),
    }


def _variable_to_json(variable: RaceVariable) -> JsonDict:
    declaration = variable.declaration
    return {
        "name": variable.name,
        "owner": variable.owner,
        "kind": variable.kind,
        "part": variable.part,
        "declared": declaration and {"file": declaration.file, "line": declaration.line},
        "sure": variable.sure,
        "why": variable.why,
        "alternatives": [{"name": v.name, "owner": v.owner, "why": v.why} for v in variable.alternatives],
    }


def _racing_line_to_json(line: RacingLine) -> JsonDict:
    text = line.text[:_MAX_LINE_BYTES].decode("utf-8", "replace").strip()
    touches = [".".join(access.path) for access in line.possible_accesses]
    return {"site": _frame_to_json(line.frame), "line": text, "touches": touches}


def _window_to_json(window: CommitWindow) -> JsonDict:
    return {"line": window.line_name, "first": window.first, "last": window.last, "commits": window.commit_count}


def _pin_to_json(pin: Pin) -> JsonDict:
    return {
        **_window_to_json(pin.window),
        "frames_fit": pin.fitting_count,
        "frames": pin.frame_count,
        "exact": pin.is_exact,
        "tags": list(pin.tags),
        "misfits": [_frame_to_json(f) for f in pin.misfits],
        "surest": _window_to_json(pin.best_window),
        "main_line": pin.main_line_window and _window_to_json(pin.main_line_window),
        "ties": [_window_to_json(w) for w in pin.ties],
        "named": pin.named_revision,
        "absent": [_frame_to_json(f) for f in pin.absent_frames],
        "ambiguous": [_frame_to_json(f) for f in pin.ambiguous_frames],
    }


def _frame_to_json(frame: Frame) -> JsonDict:
    return {"function": frame.function, "file": frame.file, "line": frame.line}


def _candidate_to_json(candidate: CandidateCommit) -> JsonDict:
    return {"commit": candidate.commit, "subject": candidate.subject, "score": candidate.score, "why": candidate.why}


def _answer_to_json(answer: ClaimAnswer) -> JsonDict:
    claim = answer.claim
    return {
        "kind": claim.kind,
        "role": claim.role,
        "value": claim.value,
        "quote": claim.quote,
        "holds": answer.holds,
        "why": answer.why,
        "commit": answer.commit,
    }


def _snippet_to_json(snippet: CodeSnippet) -> JsonDict:
    site, lines = _frame_to_json(snippet.frame), list(snippet.rows)
    return {"site": site, "path": snippet.path, "first": snippet.first, "lines": lines}


def _similar_fix_to_json(similar: SimilarFix) -> JsonDict:
    fix = similar.fix
    return {"commit": fix.commit, "subject": fix.subject, "strategy": fix.strategy, "why": similar.why}


def _refuted_call_to_json(refuted_call: RefutedCall) -> JsonDict:
    above, below = _frame_to_json(refuted_call.callee), _frame_to_json(refuted_call.caller)
    return {"where": refuted_call.stack_name, "above": above, "below": below, "why": refuted_call.why}


_COPIED_FIELDS = ("fixed_by", "fixed_in", "introduced_by", "still_present", "owners")


def dossier_to_row(dossier: Dossier, clone: Clone) -> JsonDict:
    """A row of the lake's table of dossiers."""
    fields = dossier_to_json(dossier)
    cause, command, pin = fields["cause"], fields["reproduce"], fields["pin"]
    if pin:
        first, last = pin["days"]
        pin = {**pin, "first_day": first, "last_day": last, "ties": len(pin["ties"])}
    return {
        "racing": count_racing_sites(dossier.report, clone),
        "pin": pin,
        "variable": fields["variable"] and {**fields["variable"], **(fields["variable"]["declared"] or {})},
        "cause": cause and {key: cause[key] for key in ("cause", "confidence", "evidence")},
        "reproduce": command and {key: command[key] for key in ("framework", "command")},
        **{key: fields[key] for key in _COPIED_FIELDS},
        "dossier": format_json(fields),
    }


def clone_state(clone: Clone) -> str:
    """A digest of what an answer depends on besides the report: refs of the clone and our rules."""
    parts = [clone.main.tip, *(f"{n} {c}" for n, c in sorted((clone.tags | clone.release_branches).items()))]
    text = "\n".join([str(RULES_VERSION), *parts]).encode("utf-8", "surrogateescape")
    return blake2b(text, digest_size=12).hexdigest()
