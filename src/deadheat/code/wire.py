"""A dossier as plain dicts: the fields that `explain --format json` adds to those of `scan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.code.candidates import Candidate
    from deadheat.code.dossier import Dossier, Touched
    from deadheat.code.pin import Pin, Window
    from deadheat.code.stale import Break
    from deadheat.code.variable import Variable
    from deadheat.diagnose.finding import Finding, Point
    from deadheat.model import Frame, Report

Plain = dict[str, Any]


def dossier_to_wire(dossier: Dossier) -> Plain:
    """Everything that a clone told. What is not known is null or empty."""
    at = dossier.pin.surest.last if dossier.pin else None
    return {
        "variable": dossier.variable and _variable(dossier.variable),
        "touched": [_touched(t) for t in dossier.touched],
        "pin": dossier.pin and _pin(dossier.pin),
        "still_present": dossier.still_present,
        "fixed_by": [_candidate(c) for c in dossier.fixed_by],
        "fixed_in": list(dossier.fixed_in),
        "introduced_by": [_candidate(c) for c in dossier.introduced_by],
        "cause": _cause(dossier.causes[0]) if dossier.causes else None,
        "causes": [_cause(finding) for finding in dossier.causes],
        "similar_fixes": [],
        "reproduce": dossier.reproduce
        and {
            "framework": dossier.reproduce.framework,
            "command": dossier.reproduce.command,
            "at": at,
        },
        "owners": [{"who": o.who, "why": o.why} for o in dossier.owners],
        "related": [],
        "stale": [_break(b) for b in dossier.breaks],
        "module": dossier.module
        and {"path": dossier.module.path, "version": dossier.module.version},
        "repo": dossier.where,
        "missing": list(dossier.missing),
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


def _break(found: Break) -> Plain:
    return {
        "where": found.where,
        "above": _frame(found.above),
        "below": _frame(found.below),
        "why": found.why,
    }


def _cause(finding: Finding) -> Plain:
    """The contract's fields, with the remedy as one text and, beside it, in parts."""
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


def narrative(dossier: Dossier) -> Plain:
    """What should have been and what was, in a sentence each; no more than is known."""
    report = dossier.report
    sites = [a.site for a in report.accesses]
    if len(sites) < 2 or None in sites:
        return {"expected": "no race", "saw": _saw(report)}
    what = _name(dossier.variable) or "what they share"
    names = [site.function for site in sites if site]
    return {
        "expected": f"{names[0]} and {names[1]} are ordered when they touch {what}",
        "saw": f"{_saw(report)}, and nothing orders the two",
    }


def _name(variable: Variable | None) -> str:
    if variable is None:
        return ""
    return f"{variable.name} of {variable.owner}" if variable.owner else variable.name


def _saw(report: Report) -> str:
    sides = [
        f"{access.op} in {access.site.function if access.site else 'an unknown place'}"
        + (f" ({access.site.file}:{access.site.line})" if access.site and access.site.line else "")
        for access in report.accesses
    ]
    test = f" during {report.test}" if report.test else ""
    return " against ".join(_in_order(sides)) + test


def _in_order(sides: Sequence[str]) -> list[str]:
    return list(sides) or ["a report without accesses"]
