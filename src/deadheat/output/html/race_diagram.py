"""Diagrams of a race: one column per access, from the start of its actor down to the racing line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deadheat.model import ActorState, Op, Origin
from deadheat.output.html.markup import EMPTY, Html, element, join, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.model import Access, Actor, Frame
    from deadheat.output.html.race_view import RaceView

_LIBRARY_ORIGINS = (Origin.RUNTIME, Origin.TEST, Origin.GENERATED, Origin.STDLIB)


@dataclass(frozen=True, slots=True)
class DiagramStep:
    """One frame. `kind` is `call`, `start` (of the actor), `access` or `inner` (below the access)."""

    kind: str
    frame: Frame
    is_library: bool = False  # in a library or the runtime


@dataclass(frozen=True, slots=True)
class DiagramColumn:
    """One actor: its access, its steps from the outermost frame, and its stale frames."""

    access: Access
    actor: Actor | None
    steps: tuple[DiagramStep, ...]
    stale: tuple[Frame, ...]

    @property
    def is_finished(self) -> bool:
        return self.actor is not None and self.actor.state is ActorState.FINISHED


@dataclass(frozen=True, slots=True)
class RaceDiagram:
    """The columns of a report and their common ancestor, if known."""

    ancestor: Frame | None
    columns: tuple[DiagramColumn, ...]


def build_diagram(sides: Sequence[tuple[Access, Actor | None]]) -> RaceDiagram:
    """Builds the columns of the first two accesses, each with its actor."""
    paths = [_AccessPath(access, actor) for access, actor in sides[:2]]
    ancestor = _remove_common_calls(paths[0], paths[1]) if len(paths) == 2 else None
    return RaceDiagram(ancestor, tuple(path.diagram_column() for path in paths))


class _AccessPath:
    """The creation stack and the access stack of an access, outermost frame first."""

    def __init__(self, access: Access, actor: Actor | None) -> None:
        self.access, self.actor = access, actor
        self.creation_frames = _frames_not_stale(actor.created_at)[::-1] if actor else []
        self.access_frames = _frames_not_stale(access.stack)[::-1]

    def diagram_column(self) -> DiagramColumn:
        creation_frames = self.creation_frames
        steps = [
            *(_call_step(stack_frame) for stack_frame in creation_frames[:-1]),
            *(DiagramStep("start", stack_frame) for stack_frame in creation_frames[-1:]),
        ]
        stale = [stack_frame for stack_frame in self.access.stack if stack_frame.stale]
        stale += [stack_frame for stack_frame in self.actor.created_at if stack_frame.stale] if self.actor else []
        steps += [_stack_step(self.access, frame) for frame in self.access_frames]
        return DiagramColumn(self.access, self.actor, tuple(steps), tuple(stale))


def _remove_common_calls(first: _AccessPath, second: _AccessPath) -> Frame | None:
    """Finds the common ancestor and removes the common frames from both paths."""
    for first_frames, second_frames in (
        (first.creation_frames, second.access_frames),
        (first.access_frames, second.creation_frames),
        (first.creation_frames, second.creation_frames),
    ):
        common = _last_common_call(first_frames, second_frames)
        if common is None or first_frames[common[0]].origin in _LIBRARY_ORIGINS:
            continue
        ancestor = first_frames[common[0]]
        for path, frames, end in ((first, first_frames, common[0]), (second, second_frames, common[1])):
            if frames is path.access_frames:
                path.creation_frames = []  # the creation stack is above the ancestor
            # the site may be in the common caller itself, behind the start of the other side
            site_index = frames.index(path.access.site) if path.access.site in frames else len(frames)
            del frames[: min(end + 1, site_index)]
        return ancestor
    return None


def _last_common_call(first: list[Frame], second: list[Frame]) -> tuple[int, int] | None:
    """The indexes of the last common call; after it the lines or functions differ."""
    functions = {frame.function: index for index, frame in reversed([*enumerate(second)])}
    start = next((index for index, frame in enumerate(first) if frame.function in functions), None)
    if start is None:
        return None
    common, index, other_index = None, start, functions[first[start].function]
    while index < len(first) and other_index < len(second) and first[index].function == second[other_index].function:
        common = index, other_index
        if first[index].line != second[other_index].line:
            break
        index, other_index = index + 1, other_index + 1
    return common


def _stack_step(access: Access, frame: Frame) -> DiagramStep:
    if frame == access.site:
        return DiagramStep("access", frame)
    stack = access.stack
    inner = access.site in stack and stack.index(frame) < stack.index(access.site)
    return DiagramStep("inner", frame, True) if inner else _call_step(frame)


def _call_step(frame: Frame) -> DiagramStep:
    return DiagramStep("call", frame, frame.origin in _LIBRARY_ORIGINS)


def _frames_not_stale(stack: tuple[Frame, ...]) -> list[Frame]:
    return [frame for frame in stack if not frame.stale]


# calls shown before and after the omitted ones
_MAX_CALLS_SHOWN = 3
# the stack of an error does not say which operation it was
OP_LABELS = {Op.UNKNOWN: "seen", Op.ATOMIC_READ: "atomic read", Op.ATOMIC_WRITE: "atomic write"}


def side_letter(index: int) -> str:
    """`A` and `B`, which mark the sides of a race wherever they are shown."""
    return chr(ord("A") + min(index, 25))


def side_mark(index: int) -> Html:
    return element("span", Html(side_letter(index)), class_=f"side {side_letter(index).lower()}")


def op_label(op: Op) -> Html:
    return element("b", text(OP_LABELS.get(op, op.value)), class_="op")


def diagram_html(view: RaceView, variable: Html = EMPTY) -> Html:
    """The ways of both sides from their common caller to the accesses that nothing orders."""
    diagram = build_diagram([(access, view.actor_of(access)) for access in view.accesses])
    if not diagram.columns:
        return EMPTY
    columns = [_column_html(view, column, index) for index, column in enumerate(diagram.columns)]
    caller = _caller_html(view, diagram.ancestor) if diagram.ancestor else EMPTY
    meeting = (
        Html('<p class="meeting">Nothing orders these two accesses.</p>')
        if len(columns) > 1 and view.is_race
        else EMPTY
    )
    kind = "lanes" if len(columns) > 1 else "lanes single"
    return element("div", caller, element("div", *columns, class_=kind), meeting, variable, class_="diagram")


def _caller_html(view: RaceView, frame: Frame) -> Html:
    return element("p", Html("Common caller: "), _frame_html(view, frame), class_="caller")


def _column_html(view: RaceView, column: DiagramColumn, index: int) -> Html:
    finished = Html(" <small>finished</small>") if column.is_finished else EMPTY
    name = text(column.access.actor or "unnamed actor")
    heading = element(f"h{view.level + 2}", side_mark(index), Html(" "), name, finished)
    if not column.access.stack:
        steps = Html("<p>The detector could not restore this stack.</p>")
    else:
        steps = element("ol", *_steps(view, column))
    return element("div", heading, steps, class_=f"lane {side_letter(index).lower()}")


def _steps(view: RaceView, column: DiagramColumn) -> Iterator[Html]:
    """The start, the calls of the program's own code, and the access; long runs of calls are shortened."""
    calls: list[DiagramStep] = []
    for step in column.steps:
        if step.kind == "call" and not step.is_library:
            calls.append(step)
        elif step.kind in ("start", "access"):
            yield from _calls(view, calls)
            calls = []
            yield _start_html(view, step) if step.kind == "start" else _access_html(view, column, step)
    yield from _calls(view, calls)


def _calls(view: RaceView, calls: list[DiagramStep]) -> Iterator[Html]:
    omitted = len(calls) - 2 * _MAX_CALLS_SHOWN
    for number, step in enumerate(calls):
        if omitted <= 1 or not _MAX_CALLS_SHOWN <= number < _MAX_CALLS_SHOWN + omitted:
            yield element("li", _frame_html(view, step.frame))
        elif number == _MAX_CALLS_SHOWN:
            yield element("li", Html(f"{omitted} more calls"), class_="more")


def _start_html(view: RaceView, step: DiagramStep) -> Html:
    return element("li", Html("started in "), _frame_html(view, step.frame), class_="start")


def _access_html(view: RaceView, column: DiagramColumn, step: DiagramStep) -> Html:
    inner = dict.fromkeys(inner.frame.function for inner in column.steps if inner.kind == "inner")
    via = join((Html(" through "), join(map(view.function_html, inner), ", "))) if inner else EMPTY
    return element("li", op_label(column.access.op), Html(" in "), _frame_html(view, step.frame), via, class_="access")


def _frame_html(view: RaceView, frame: Frame) -> Html:
    return join((view.function_html(frame.function), Html(" "), view.frame_link(frame)))
