"""A dossier as JSON values, with a short narrative, and as a row of the lake's table."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from deadheat import plugins
from deadheat._version import RULES_VERSION
from deadheat.model import ActorState, Op

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.diagnosis.finding import CodePoint, Finding
    from deadheat.model import Access, Frame, Report
    from deadheat.repo.candidate_commits import CandidateCommit
    from deadheat.repo.clone import Clone
    from deadheat.repo.document_claims import ClaimAnswer
    from deadheat.repo.dossier import Dossier, TouchedLine
    from deadheat.repo.pinning.refuted_frames import RefutedCall
    from deadheat.repo.pinning.window import CommitWindow, Pin
    from deadheat.repo.racing_lines import CodeSnippet
    from deadheat.repo.similar_fixes import SimilarFix
    from deadheat.repo.variable import RaceVariable

    DossierRow = dict[str, Any]


_ERROR_KIND = "error-stack"
_OPERATION_VERBS = {
    Op.READ: "reads",
    Op.WRITE: "writes",
    Op.ATOMIC_READ: "reads atomically",
    Op.ATOMIC_WRITE: "writes atomically",
    Op.FREE: "frees",
    Op.UNKNOWN: "is",
}


def build_narrative(dossier: Dossier) -> dict[str, str]:
    """The two sections of a bug report that are often left blank."""
    report = dossier.report
    variable = variable_text(dossier.variable) or _location_text(report)
    return {"expected": _expected_text(report, variable), "saw": _observed_text(report, variable)}


def variable_text(variable: RaceVariable | None) -> str:
    if variable is None:
        return ""
    owner_part = f" of `{variable.owner}`" if variable.owner else ""
    return f"`{variable.name}`{owner_part}"


def _location_text(report: Report) -> str:
    location = report.location
    return f"`{location.name}`" if location and location.name else ""


def _expected_text(report: Report, variable: str) -> str:
    sites = [f"`{a.site.function}`" for a in report.accesses if a.site]
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
    detector = plugins.display_name(report.detector)
    accesses = [_access_text(access, report) for access in report.accesses]
    variable_part = f" on {variable}" if variable else ""
    test_part = f" during {report.test}" if report.test else ""
    if not accesses:
        return f"{detector} reports a {_kind_text(report)}{variable_part}{test_part}; its accesses are not in the text."
    if report.kind == _ERROR_KIND:
        site = report.accesses[0].site
        where = _site_text(site) if site else "an unknown location"
        return f"An error in {where}{test_part}. This is its stack, not a race report."
    if len(accesses) == 1:
        return (
            f"{detector} reports a {_kind_text(report)}{variable_part}{test_part}: {accesses[0]};"
            " the other access is not in the text."
        )
    listed = "; ".join(accesses)
    return f"{detector} reports a {_kind_text(report)}{variable_part}{test_part}: {listed}. They are not ordered."


def _access_text(access: Access, report: Report) -> str:
    state = next((a.state for a in report.actors if a.id == access.actor), ActorState.UNKNOWN)
    finished_part = " (finished)" if state is ActorState.FINISHED else ""
    actor = f"{access.actor}{finished_part} " if access.actor else ""
    if access.site is None:
        return f"{actor}{_OPERATION_VERBS[access.op]} at an unknown location"
    return f"{actor}{_OPERATION_VERBS[access.op]} in {_site_text(access.site)}"


def _site_text(site: Frame) -> str:
    line = f":{site.line}" if site.line is not None else ""
    file_part = f" (`{site.file}{line}`)" if site.file else ""
    return f"`{site.function}`{file_part}"


JsonDict = dict[str, Any]


def dossier_to_json(dossier: Dossier, related: Sequence[str] = ()) -> JsonDict:
    """The fields of a dossier. Unknown values are null or empty."""
    at = dossier.pin.best_window.last if dossier.pin else None
    return {
        "variable": dossier.variable and _variable_to_json(dossier.variable),
        "touched": [_touched_line_to_json(t) for t in dossier.touched_lines],
        "pin": dossier.pin and {**_pin_to_json(dossier.pin), "days": list(dossier.days)},
        "still_present": dossier.still_present,
        "fixed_by": [_candidate_to_json(c) for c in dossier.fixed_by],
        "fixed_in": list(dossier.fixed_in),
        "introduced_by": [_candidate_to_json(c) for c in dossier.introduced_by],
        "cause": _cause_to_json(dossier.causes[0]) if dossier.causes else None,
        "causes": [_cause_to_json(finding) for finding in dossier.causes],
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
        "narrative": build_narrative(dossier),
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
    }


def _touched_line_to_json(touched: TouchedLine) -> JsonDict:
    return {
        "site": _frame_to_json(touched.frame),
        "line": touched.text,
        "touches": [".".join(touch.path) for touch in touched.touches],
    }


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
    return {
        "site": _frame_to_json(snippet.frame),
        "path": snippet.path,
        "first": snippet.first,
        "lines": list(snippet.rows),
    }


def _similar_fix_to_json(similar: SimilarFix) -> JsonDict:
    fix = similar.fix
    return {"commit": fix.commit, "subject": fix.subject, "strategy": fix.strategy, "why": similar.why}


def _refuted_call_to_json(refuted_call: RefutedCall) -> JsonDict:
    return {
        "where": refuted_call.stack_name,
        "above": _frame_to_json(refuted_call.callee),
        "below": _frame_to_json(refuted_call.caller),
        "why": refuted_call.why,
    }


def _cause_to_json(finding: Finding) -> JsonDict:
    """The fields of a cause, with the remedy as one text and as separate fields."""
    remedy = finding.remedy
    return {
        "cause": finding.cause,
        "confidence": round(finding.confidence, 2),
        "evidence": list(map(str, finding.evidence)),
        "remedy": str(remedy) if remedy else None,
        "fix": remedy
        and {
            "change": remedy.change,
            "where": [_point_to_json(p) for p in remedy.where],
            "primitive": remedy.primitive,
            "price": remedy.price,
            "check": remedy.check,
        },
        "test_only": finding.test_only,
        "from_source": finding.from_source,
        "settle": list(finding.open_questions),
    }


def _point_to_json(point: CodePoint) -> JsonDict:
    return {"file": point.file, "line": point.line, "function": point.function}


_COPIED_FIELDS = ("fixed_by", "fixed_in", "introduced_by", "still_present", "owners")


def dossier_to_row(dossier: Dossier, clone: Clone) -> DossierRow:
    fields = dossier_to_json(dossier)
    cause, command = fields["cause"], fields["reproduce"]
    return {
        "racing": sum(bool(a.site and clone.paths_of(a.site)) for a in dossier.report.accesses),
        "pin": fields["pin"] and _pin_to_row(fields["pin"]),
        "variable": fields["variable"] and {**fields["variable"], **(fields["variable"]["declared"] or {})},
        "cause": cause and {key: cause[key] for key in ("cause", "confidence", "evidence")},
        "reproduce": command and {key: command[key] for key in ("framework", "command")},
        **{key: fields[key] for key in _COPIED_FIELDS},
        "dossier": json.dumps(fields, ensure_ascii=False),
    }


def _pin_to_row(fields: DossierRow) -> DossierRow:
    first, last = fields["days"]
    return {**fields, "first_day": first, "last_day": last, "ties": len(fields["ties"])}


def clone_state(clone: Clone) -> str:
    """A digest of what an answer depends on besides the report: refs of the clone and our rules."""
    parts = [clone.main.tip, *(f"{n} {c}" for n, c in sorted((clone.tags | clone.release_branches).items()))]
    text = "\n".join([str(RULES_VERSION), *parts]).encode("utf-8", "surrogateescape")
    return blake2b(text, digest_size=12).hexdigest()
