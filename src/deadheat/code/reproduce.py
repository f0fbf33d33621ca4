"""Finds the command that runs the test or program in which a race occurred, from the frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.code import go_runs, native_runs
from deadheat.code.command import Nowhere, Reproduction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.code.command import At
    from deadheat.model import Claim, Report

_NATIVE = {
    "tsan": native_runs.sanitized,
    "helgrind": native_runs.valgrind,
    "drd": native_runs.valgrind,
    "miri": native_runs.miri,
    "kcsan": native_runs.kernel,
}


def reproduce(report: Report, at: At | None = None) -> Reproduction | None:
    """The command for the detector and test framework; None if the frames do not show it."""
    if way := _NATIVE.get(report.detector):
        return way(report)
    return go_runs.run(report, at or Nowhere())


def best(found: Reproduction | None, steps: Sequence[Claim]) -> Reproduction | None:
    """The command, or the steps of the document if these are more useful."""
    return found if found and not found.vague else stated(steps) or found


def stated(steps: Sequence[Claim]) -> Reproduction | None:
    """The steps in the document, in order, each with its role."""
    rows = [row for step in steps if (row := _step(step))]
    roles = {step.role for step in steps if step.kind == "step"}
    if not roles:
        return None
    return Reproduction(roles.pop() if len(roles) == 1 else "steps", "\n".join(rows), True)


def _step(step: Claim) -> str:
    details = dict(step.details)
    if step.kind == "injection":
        return f"-- {step.role} {step.value}: {details.get('expression', '')}".rstrip(": ")
    session = f"/* {details['session']} */ " if details.get("session") else ""
    return f"{session}{step.value};" if step.role == "sql" else step.value
