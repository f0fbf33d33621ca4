"""The expected and the observed behaviour in one or two sentences, using only known facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import registry
from deadheat.model import Op, State

if TYPE_CHECKING:
    from deadheat.code.dossier import Dossier
    from deadheat.code.variable import Variable
    from deadheat.model import Access, Frame, Report

_ERROR = "error-stack"
_VERBS = {
    Op.READ: "reads",
    Op.WRITE: "writes",
    Op.ATOMIC_READ: "reads atomically",
    Op.ATOMIC_WRITE: "writes atomically",
    Op.FREE: "frees",
    Op.UNKNOWN: "is",
}


def narrative(dossier: Dossier) -> dict[str, str]:
    """The two sections of a bug report that are often left blank."""
    report = dossier.report
    what = name(dossier.variable) or _located(report)
    return {"expected": _expected(report, what), "saw": _saw(report, what)}


def name(variable: Variable | None) -> str:
    if variable is None:
        return ""
    owner = f" of `{variable.owner}`" if variable.owner else ""
    return f"`{variable.name}`{owner}"


def _located(report: Report) -> str:
    place = report.location
    return f"`{place.name}`" if place and place.name else ""


def _expected(report: Report, what: str) -> str:
    sites = [f"`{a.site.function}`" for a in report.accesses if a.site]
    if len(sites) == 2:
        touch = f"access {what}" if what else "access the memory that they share"
        if sites[0] == sites[1]:
            return f"No two calls of {sites[0]} {touch} unless one happens before the other."
        return f"{sites[0]} and {sites[1]} {touch} only if one happens before the other."
    if sites:
        kind = "error" if report.kind == _ERROR else _kind(report)
        return f"No {kind} in {sites[0]}."
    return f"No {_kind(report)}."


def _kind(report: Report) -> str:
    """`data race` for `data-race`."""
    return report.kind.replace("-", " ")


def _saw(report: Report, what: str) -> str:
    who = registry.called(report.detector)
    sides = [_side(access, report) for access in report.accesses]
    on = f" on {what}" if what else ""
    during = f" during {report.test}" if report.test else ""
    if not sides:
        return f"{who} reports a {_kind(report)}{on}{during}; its accesses are not in the text."
    if report.kind == _ERROR:
        site = report.accesses[0].site
        where = _placed(site) if site else "an unknown location"
        return f"An error in {where}{during}. This is its stack, not a race report."
    if len(sides) == 1:
        return (
            f"{who} reports a {_kind(report)}{on}{during}: {sides[0]}; the other access is not in the"
            " text."
        )
    return f"{who} reports a {_kind(report)}{on}{during}: {'; '.join(sides)}. They are not ordered."


def _side(access: Access, report: Report) -> str:
    state = next((a.state for a in report.actors if a.id == access.actor), State.UNKNOWN)
    ended = " (finished)" if state is State.FINISHED else ""
    who = f"{access.actor}{ended} " if access.actor else ""
    if access.site is None:
        return f"{who}{_VERBS[access.op]} at an unknown location"
    return f"{who}{_VERBS[access.op]} in {_placed(access.site)}"


def _placed(site: Frame) -> str:
    line = f":{site.line}" if site.line is not None else ""
    place = f" (`{site.file}{line}`)" if site.file else ""
    return f"`{site.function}`{place}"
