"""A dossier as JSON values: the fields that `explain --format json` adds to those of `scan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deadheat.code.narrative import narrative

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.code.candidates import Candidate
    from deadheat.code.claimed import Answer
    from deadheat.code.dossier import Dossier, Touched
    from deadheat.code.similar import Similar
    from deadheat.code.snippets import Snippet
    from deadheat.code.stale import Break
    from deadheat.code.variable import Variable
    from deadheat.code.window import Pin, Window
    from deadheat.diagnose.finding import Finding, Point
    from deadheat.model import Frame

Plain = dict[str, Any]


def dossier_to_wire(dossier: Dossier, related: Sequence[str] = ()) -> Plain:
    """The fields of a dossier. Unknown values are null or empty."""
    at = dossier.pin.surest.last if dossier.pin else None
    return {
        "variable": dossier.variable and _variable(dossier.variable),
        "touched": [_touched(t) for t in dossier.touched],
        "pin": dossier.pin and {**_pin(dossier.pin), "days": list(dossier.days)},
        "still_present": dossier.still_present,
        "fixed_by": [_candidate(c) for c in dossier.fixed_by],
        "fixed_in": list(dossier.fixed_in),
        "introduced_by": [_candidate(c) for c in dossier.introduced_by],
        "cause": _cause(dossier.causes[0]) if dossier.causes else None,
        "causes": [_cause(finding) for finding in dossier.causes],
        "similar_fixes": [_similar(s) for s in dossier.similar],
        "reproduce": dossier.reproduce
        and {
            "framework": dossier.reproduce.framework,
            "command": dossier.reproduce.command,
            "at": at,
            "claimed": dossier.reproduce.claimed,
            "note": dossier.reproduce.note,
        },
        "owners": [{"who": o.who, "why": o.why} for o in dossier.owners],
        "related": list(related),
        "stale": [_break(b) for b in dossier.breaks],
        "module": dossier.module
        and {"path": dossier.module.path, "version": dossier.module.version},
        "repo": dossier.where,
        "missing": list(dossier.missing),
        "checked": [_answer(a) for a in dossier.answers],
        "snippets": [_snippet(s) for s in dossier.snippets],
        "narrative": narrative(dossier),
    }


def _variable(variable: Variable) -> Plain:
    place = variable.declared
    return {
        "name": variable.name,
        "owner": variable.owner,
        "kind": variable.kind,
        "part": variable.part,
        "declared": place and {"file": place.file, "line": place.line},
        "sure": variable.sure,
        "why": variable.why,
    }


def _touched(touched: Touched) -> Plain:
    return {
        "site": _frame(touched.frame),
        "line": touched.line,
        "touches": [".".join(touch.path) for touch in touched.touches],
    }


def _window(window: Window) -> Plain:
    return {
        "line": window.line,
        "first": window.first,
        "last": window.last,
        "commits": window.commits,
    }


def _pin(pin: Pin) -> Plain:
    return {
        **_window(pin.window),
        "frames_fit": pin.fitting,
        "frames": pin.frames,
        "exact": pin.exact,
        "tags": list(pin.tags),
        "misfits": [_frame(f) for f in pin.misfits],
        "surest": _window(pin.surest),
        "main_line": pin.main and _window(pin.main),
        "ties": [_window(w) for w in pin.ties],
        "named": pin.named,
        "absent": [_frame(f) for f in pin.absent],
        "ambiguous": [_frame(f) for f in pin.ambiguous],
    }


def _frame(frame: Frame) -> Plain:
    return {"function": frame.function, "file": frame.file, "line": frame.line}


def _candidate(candidate: Candidate) -> Plain:
    return {
        "commit": candidate.commit,
        "subject": candidate.subject,
        "score": candidate.score,
        "why": candidate.why,
    }


def _answer(answer: Answer) -> Plain:
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


def _snippet(snippet: Snippet) -> Plain:
    return {
        "site": _frame(snippet.frame),
        "path": snippet.path,
        "first": snippet.first,
        "lines": list(snippet.rows),
    }


def _similar(similar: Similar) -> Plain:
    fix = similar.fix
    return {
        "commit": fix.commit,
        "subject": fix.subject,
        "strategy": fix.strategy,
        "why": similar.why,
    }


def _break(found: Break) -> Plain:
    return {
        "where": found.where,
        "above": _frame(found.above),
        "below": _frame(found.below),
        "why": found.why,
    }


def _cause(finding: Finding) -> Plain:
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
            "where": [_point(p) for p in remedy.where],
            "primitive": remedy.primitive,
            "price": remedy.price,
            "check": remedy.check,
        },
        "test_only": finding.test_only,
        "from_source": finding.from_source,
        "settle": list(finding.settle),
    }


def _point(point: Point) -> Plain:
    return {"file": point.file, "line": point.line, "function": point.function}
