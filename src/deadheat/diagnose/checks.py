"""How to verify that a race is fixed, and what is missing to determine an unknown cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose.lifetime import by_timer, gone_on, own_worker
from deadheat.diagnose.naming import short
from deadheat.diagnose.scene import GO, RACES
from deadheat.model import Damage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnose.scene import Scene
    from deadheat.model import Report

_TOOLS = {
    "tsan": "Build with -fsanitize=thread and run the program again",
    "helgrind": "Run the program again under valgrind --tool=helgrind",
    "drd": "Run the program again under valgrind --tool=drd",
    "kcsan": "Boot a kernel with CONFIG_KCSAN=y and run the workload again",
    "miri": "Run cargo miri test again, with several seeds (-Zmiri-many-seeds)",
}


def check(report: Report, command: str = "") -> str:
    """Say what to run after the change, and how often: one clean run proves nothing.

    `command` is the command that reproduces the race, if it is known.
    """
    if command:
        return f"`{command}`: {_gone(report)}"
    if report.detector not in GO:
        how = _TOOLS.get(report.detector, "Run the program again under the detector that reported it")
        return f"{how}, a few dozen times: {_gone(report)}"
    if report.test:
        name = f"'^{report.test}$'"
        return f"go test -race -run {name} -count=100 in the test's package: {_gone(report)}"
    return f"Build with -race and repeat the workload that showed it: {_gone(report)}"


def _gone(report: Report) -> str:
    if report.kind == "error-stack":
        return "neither this error nor a race at its location may be reported again."
    if len(report.accesses) < 2:
        return "no run may report this location again."
    return "no run may report these two locations together."


def settling(scene: Scene) -> tuple[str, ...]:
    """Return what is missing to determine the cause."""
    return tuple(_settling(scene))


def _settling(scene: Scene) -> Iterator[str]:
    report = scene.report
    if report.kind not in RACES:
        what = report.kind.replace("-", " ")
        yield f"Nothing: this report is not a data race ({what}); its kind names the defect."
        return
    if len(report.accesses) < 2:
        yield "The other access: this report shows only one of the two sides."
    if Damage.TRUNCATED in report.damage or Damage.NO_STACK in report.damage:
        yield "A complete report: this one lacks stacks or creation stacks."
    if any(side.site is None for side in scene.sides):
        yield "A build with symbols and line tables: one side has no frame in the program's own code."
    if met := own_worker(scene):
        worker, other, started = met
        yield (
            f"Whether `{short(other.name)}` is meant to run concurrently with the worker"
            f" (`{short(worker.name)}`,"
            f" started in `{short(scene.parent(started.function))}`), so a lock is missing, or"
            " after it, so a wait is missing."
        )
    if gone := gone_on(scene):
        starter = short(scene.parent(gone.started.function))
        yield (
            f"Whether `{starter}`, which started the worker (`{short(gone.worker.name)}`), waits for all"
            " of its work before this access."
        )
    if timed := by_timer(scene):
        yield f"Whether the timer that runs `{short(timed.name)}` is meant to be stopped before."
    if scene.source is None:
        yield "The source: run `deadheat explain --repo` with a clone of the code."
    elif not scene.sourced:
        yield "The source of both racing lines: this clone does not contain both."
    elif scene.shared is None:
        yield "The variable: the two racing lines name nothing in common."
