"""How to see that a race is gone, and what would settle a cause that is not known."""

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
    "helgrind": "Run it again under valgrind --tool=helgrind",
    "drd": "Run it again under valgrind --tool=drd",
    "kcsan": "Boot a kernel with CONFIG_KCSAN=y and run the workload again",
    "miri": "Run cargo miri test again, with several seeds (-Zmiri-many-seeds)",
}


def check(report: Report, command: str = "") -> str:
    """What to run after the change, and how often: a race that does not show once is not gone.

    `command` is the one that shows the race, where it is known.
    """
    if command:
        return f"`{command}`: {_gone(report)}"
    if report.detector not in GO:
        how = _TOOLS.get(report.detector, "Run it again under the detector that reported it")
        return f"{how}, a few dozen times: {_gone(report)}"
    if report.test:
        name = f"'^{report.test}$'"
        return f"go test -race -run {name} -count=100 in the test's package: {_gone(report)}"
    return f"Build with -race and repeat the workload that showed it: {_gone(report)}"


def _gone(report: Report) -> str:
    if report.kind == "error-stack":
        return "neither this error nor a race at its place may come back."
    if len(report.accesses) < 2:
        return "no run may report this place again."
    return "no run may report these two places together."


def settling(scene: Scene) -> tuple[str, ...]:
    """What is missing to know the cause."""
    return tuple(_settling(scene))


def _settling(scene: Scene) -> Iterator[str]:
    report = scene.report
    if report.kind not in RACES:
        what = report.kind.replace("-", " ")
        yield f"Nothing: this is no race but a report of its own kind ({what}), which names the defect."
        return
    if len(report.accesses) < 2:
        yield "The other access: this report shows only one of the two sides."
    if Damage.TRUNCATED in report.damage or Damage.NO_STACK in report.damage:
        yield "A report that is not cut off: stacks or creations are missing in this one."
    if any(side.site is None for side in scene.sides):
        yield "A build with symbols and line tables: a side has no frame in the program's own code."
    if met := own_worker(scene):
        worker, other, started = met
        yield (
            f"Whether `{short(other.name)}` is meant to run beside the worker (`{short(worker.name)}`,"
            f" started in `{short(scene.parent(started.function))}`), so that a lock is missing, or"
            " after it, so that nothing waits for it."
        )
    if gone := gone_on(scene):
        starter = short(scene.parent(gone.started.function))
        yield (
            f"Whether `{starter}`, which started the worker (`{short(gone.worker.name)}`), has waited"
            " for it by then, and for all that it does."
        )
    if timed := by_timer(scene):
        yield f"Whether the timer that runs `{short(timed.name)}` is meant to be stopped by then."
    if scene.source is None:
        yield "The source: run `deadheat explain --repo` with a clone of the code."
    elif not scene.sourced:
        yield "The source of both racing lines: this clone has not both."
    elif scene.shared is None:
        yield "The variable: the two racing lines name nothing in common."
