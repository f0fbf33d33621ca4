"""Diagrams of a race: one column per access, from the start of its actor down to the racing line.

The SVG has no scripts, links or fonts. It uses the colours of the page: `currentColor`, `--muted`, `--race`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from deadheat import output
from deadheat.model import ActorState, Op, Origin
from deadheat.output import escape_html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Access, Actor, Frame, Report
    from deadheat.output.dossier_sentences import JsonDict


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


def build_diagram(report: Report) -> RaceDiagram:
    """Builds the columns of the first two accesses."""
    actors = {actor.id: actor for actor in report.actors}
    paths = [_AccessPath(access, actors.get(access.actor)) for access in report.accesses[:2]]
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
            del frames[: end + 1]
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


_COLUMN_WIDTH = 350
_COLUMN_GAP, _TOP_MARGIN, _ROW_HEIGHT = 20, 18, 34
# characters that fit into a column
_MAX_LABEL_LENGTH = 50
# calls shown per column
_MAX_CALLS = 4
_UNINTERESTING_ORIGINS = (Origin.RUNTIME, Origin.TEST, Origin.GENERATED)
_SVG_FONT = "font:11px/1.3 ui-monospace,Menlo,Consolas,monospace"


class _SvgPoint(NamedTuple):
    """One point of a column: its label and the line below it."""

    kind: str  # "start", "call" or "access"
    text: str
    location: str


def render_svg(report: Report) -> str:
    """Renders the diagram of a report; empty if it has no access."""
    actors = {actor.id: actor for actor in report.actors}
    columns = [[*_svg_points(access, actors.get(access.actor))] for access in report.accesses[:3]]
    if not columns:
        return ""
    rows = max(len(column) for column in columns)
    width = len(columns) * (_COLUMN_WIDTH + _COLUMN_GAP) - _COLUMN_GAP
    height = _TOP_MARGIN + rows * _ROW_HEIGHT
    columns_svg = "".join(
        _svg_column(column, rows, index * (_COLUMN_WIDTH + _COLUMN_GAP)) for index, column in enumerate(columns)
    )
    meeting_svg = _svg_meeting_line(width, height) if len(columns) > 1 else ""
    label = output.escape_html(" and ".join(_access_label(access) for access in report.accesses[:3]))
    return (
        f'<svg class="lanes" viewBox="0 0 {width} {height + 8}" role="img" aria-label="{label}"'
        f' style="{_SVG_FONT};max-width:{width}px;width:100%;height:auto">{meeting_svg}{columns_svg}</svg>'
    )


def _access_label(access: Access) -> str:
    where = access.site.function if access.site else "an unknown location"
    return f"{access.op} in {where}"


def _svg_points(access: Access, actor: Actor | None) -> Iterator[_SvgPoint]:
    """Yields the points of a column from top to bottom: start, calls, access."""
    finished = " (finished)" if actor and actor.state is ActorState.FINISHED else ""
    created = [f for f in actor.created_at if not f.stale] if actor else []
    creator = next((f for f in created if f.origin is Origin.USER), created[0] if created else None)
    started = f"started in {creator.function}" if creator else ""
    yield _SvgPoint("start", f"{access.actor or 'unknown actor'}{finished}", started)
    calls = _interesting_frames(access)
    for frame in reversed(calls[1 : 1 + _MAX_CALLS]):
        yield _SvgPoint("call", frame.function, _frame_position(frame))
    site_frame = calls[0] if calls else None
    where = site_frame.function if site_frame else "an unknown location"
    yield _SvgPoint("access", f"{access.op.upper()}  {where}", _frame_position(site_frame) if site_frame else "")


def _interesting_frames(access: Access) -> list[Frame]:
    """The frames to show, the site first."""
    frames = [frame for frame in access.stack if not frame.stale]
    from_site = frames[frames.index(access.site) :] if access.site in frames else frames
    return [frame for frame in from_site if frame.origin not in _UNINTERESTING_ORIGINS] or from_site


def _frame_position(frame: Frame) -> str:
    return f"{frame.file}:{frame.line}" if frame.line is not None else frame.file


def _svg_column(points: list[_SvgPoint], rows: int, left: int) -> str:
    """Draws a column with its start at the top and its access at the bottom."""
    bottom = _TOP_MARGIN + (rows - 1) * _ROW_HEIGHT
    line = f'<path d="M{left + 8} {_TOP_MARGIN}V{bottom}" stroke="currentColor" stroke-opacity=".4" fill="none"/>'
    gap = rows - len(points)
    return line + "".join(
        _svg_point(point, left, _TOP_MARGIN + (number + (gap if number else 0)) * _ROW_HEIGHT)
        for number, point in enumerate(points)
    )


def _svg_point(point: _SvgPoint, left: int, top: int) -> str:
    radius, colour = {
        "start": (5, "currentColor"),
        "call": (3, "var(--muted,#888)"),
        "access": (7, "var(--race,#d33)"),
    }[point.kind]
    weight = ' font-weight="bold"' if point.kind != "call" else ""
    return (
        f"<g><title>{output.escape_html(f'{point.text} {point.location}'.strip())}</title>"
        f'<circle cx="{left + 8}" cy="{top}" r="{radius}" fill="{colour}"/>'
        f'<text x="{left + 22}" y="{top + 4}" fill="currentColor"{weight}>{_shorten_label(point.text)}</text>'
        f'<text x="{left + 22}" y="{top + 17}" fill="var(--muted,#888)">{_shorten_label(point.location)}</text></g>'
    )


def _svg_meeting_line(width: int, height: int) -> str:
    """Draws the dashed line between the unordered accesses."""
    top, bottom = height - _ROW_HEIGHT, height - 8
    return (
        f'<path d="M8 {top}V{bottom}H{width - _COLUMN_WIDTH + 8}V{top}" stroke="var(--race,#d33)"'
        ' stroke-width="2" stroke-dasharray="2 5" fill="none"/>'
    )


def _shorten_label(text: str) -> str:
    """Shortens a label at its beginning: the end of a symbol or path says more."""
    return output.escape_html(text if len(text) <= _MAX_LABEL_LENGTH else f"…{text[1 - _MAX_LABEL_LENGTH :]}")


# calls shown before and after the folded ones
_MAX_CALLS_UNFOLDED = 3
# the stack of an error does not say which operation it was
_OP_LABELS = {Op.UNKNOWN: "OBSERVED"}
_FORK_SVG = (
    '<svg class="fork" viewBox="0 0 100 28" preserveAspectRatio="none" aria-hidden="true">'
    '<path d="M50 0V10H25V28M50 10H75V28"/></svg>'
)
_MEET_SVG = (
    '<svg class="meet" viewBox="0 0 100 28" preserveAspectRatio="none" aria-hidden="true">'
    '<path d="M25 0V18H50V28M75 0V18H50"/></svg>'
)


def render_html(report: Report, snippets: list[JsonDict], variable_html: str) -> str:
    """Renders both columns with the common ancestor above and the variable below."""
    diagram = build_diagram(report)
    if not diagram.columns:
        return ""
    snippets_by_site = {(snippet["site"]["file"], snippet["site"]["line"]): snippet for snippet in snippets}
    ancestor_html = (
        f'<div class="ancestor">{_ancestor_html(diagram.ancestor)}</div>{_FORK_SVG}' if diagram.ancestor else ""
    )
    columns = "".join(_column_html(column, snippets_by_site) for column in diagram.columns)
    meet_svg = _MEET_SVG if len(diagram.columns) > 1 else ""
    return f'{ancestor_html}<div class="lanes">{columns}</div>{meet_svg}<div class="prize">{variable_html}</div>'


def _ancestor_html(frame: Frame | None) -> str:
    return f"common caller: <code>{escape_html(frame.function)}</code>" if frame else ""


def _column_html(column: DiagramColumn, snippets_by_site: dict[tuple[str, int | None], JsonDict]) -> str:
    actor = escape_html(column.access.actor or "unnamed actor")
    finished = " (finished)" if column.is_finished else ""
    if not column.access.stack:
        steps = '<p class="unknown">The detector could not restore this stack.</p>'
    else:
        steps = _steps_html(column, snippets_by_site)
    return (
        f'<section class="lane"><h3>{actor}{finished}</h3><div class="way">{steps}</div>'
        f"{_stale_frames_html(column.stale)}</section>"
    )


def _steps_html(column: DiagramColumn, snippets_by_site: dict[tuple[str, int | None], JsonDict]) -> str:
    """Renders the steps; long runs of calls are folded."""
    parts: list[str] = []
    calls: list[DiagramStep] = []
    for step in [*(s for s in column.steps if s.kind != "inner"), None]:
        if step is not None and step.kind == "call":
            calls.append(step)
            continue
        parts += _calls_html(calls, snippets_by_site, column)
        calls = []
        if step is not None:
            parts.append(_step_html(step, snippets_by_site, column))
    return "".join(parts)


def _calls_html(
    calls: list[DiagramStep], snippets_by_site: dict[tuple[str, int | None], JsonDict], column: DiagramColumn
) -> list[str]:
    steps = [_step_html(step, snippets_by_site, column) for step in calls]
    if len(steps) <= 2 * _MAX_CALLS_UNFOLDED + 1:
        return steps
    middle = "".join(steps[_MAX_CALLS_UNFOLDED:-_MAX_CALLS_UNFOLDED])
    count = len(steps) - 2 * _MAX_CALLS_UNFOLDED
    details = f"<details><summary>{count} more calls</summary>{middle}</details>"
    return [*steps[:_MAX_CALLS_UNFOLDED], details, *steps[-_MAX_CALLS_UNFOLDED:]]


def _step_html(
    step: DiagramStep, snippets_by_site: dict[tuple[str, int | None], JsonDict], column: DiagramColumn
) -> str:
    frame = step.frame
    line = f":{frame.line}" if frame.line is not None else ""
    label = {
        "start": f"<b>starts {escape_html(column.access.actor or 'it')}</b> in ",
        "access": f"<b>{escape_html(_OP_LABELS.get(column.access.op, column.access.op.upper()))}</b> in ",
    }.get(step.kind, "")
    inner = [
        inner_step.frame.function for inner_step in column.steps if inner_step.kind == "inner" and step.kind == "access"
    ]
    via = f" through {escape_html(', '.join(dict.fromkeys(inner)))}" if inner else ""
    # code is shown only where an actor starts or accesses the variable
    snippet = snippets_by_site.get((frame.file, frame.line)) if step.kind in ("start", "access") else None
    library_class = " quiet" if step.is_library else ""
    return (
        f'<div class="step {step.kind}{library_class}">{label}<code>{escape_html(frame.function)}</code>'
        f'<span class="place">{escape_html(f"{frame.file}{line}")}{via}</span>{_snippet_html(snippet)}</div>'
    )


def _snippet_html(snippet: JsonDict | None) -> str:
    if snippet is None:
        return ""
    rows = "".join(
        f'<span class="row{" at" if number == snippet["site"]["line"] else ""}">'
        f"<i>{number}</i>{escape_html(row.expandtabs(4))}</span>"
        for number, row in enumerate(snippet["lines"], snippet["first"])
    )
    return f"<pre><code>{rows}</code></pre>"


def _stale_frames_html(frames: tuple[Frame, ...]) -> str:
    """Renders frames that are left over from an earlier call, folded and grey."""
    if not frames:
        return ""
    rows = "".join(
        f"<li>{escape_html(frame.function)}"
        f" {escape_html(f'{frame.file}:{frame.line}' if frame.line else frame.file)}</li>"
        for frame in frames
    )
    return (
        f'<details class="stale"><summary>{len(frames)} stale frames, not part of this stack'
        f"</summary><ol>{rows}</ol></details>"
    )
