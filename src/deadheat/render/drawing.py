"""HTML diagram of a race: two columns side by side with the source code of the main steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.model import Op
from deadheat.render.escape import html
from deadheat.render.ways import Lane, Step, picture

if TYPE_CHECKING:
    from deadheat.model import Frame, Report
    from deadheat.render.facts import Plain

# calls shown before and after the folded ones
_SHOWN = 3
# the stack of an error does not say which operation it was
_OPS = {Op.UNKNOWN: "OBSERVED"}
_FORK = (
    '<svg class="fork" viewBox="0 0 100 28" preserveAspectRatio="none" aria-hidden="true">'
    '<path d="M50 0V10H25V28M50 10H75V28"/></svg>'
)
_MEET = (
    '<svg class="meet" viewBox="0 0 100 28" preserveAspectRatio="none" aria-hidden="true">'
    '<path d="M25 0V18H50V28M75 0V18H50"/></svg>'
)


def drawing(report: Report, snippets: list[Plain], prize: str) -> str:
    """Renders both columns with the common ancestor above and the variable below."""
    found = picture(report)
    if not found.lanes:
        return ""
    code = {(s["site"]["file"], s["site"]["line"]): s for s in snippets}
    top = (
        f'<div class="ancestor">{_ancestor(found.ancestor)}</div>{_FORK}' if found.ancestor else ""
    )
    lanes = "".join(_lane(lane, code) for lane in found.lanes)
    meet = _MEET if len(found.lanes) > 1 else ""
    return f'{top}<div class="lanes">{lanes}</div>{meet}<div class="prize">{prize}</div>'


def _ancestor(frame: Frame | None) -> str:
    return f"common caller: <code>{html(frame.function)}</code>" if frame else ""


def _lane(lane: Lane, code: dict[tuple[str, int | None], Plain]) -> str:
    who = html(lane.access.actor or "unnamed actor")
    ended = " (finished)" if lane.is_finished else ""
    if not lane.access.stack:
        steps = '<p class="unknown">The detector could not restore this stack.</p>'
    else:
        steps = _folded(lane, code)
    return (
        f'<section class="lane"><h3>{who}{ended}</h3><div class="way">{steps}</div>'
        f"{_stale(lane.stale)}</section>"
    )


def _folded(lane: Lane, code: dict[tuple[str, int | None], Plain]) -> str:
    """Renders the steps; long runs of calls are folded."""
    out: list[str] = []
    run: list[Step] = []
    for step in [*(s for s in lane.steps if s.kind != "inner"), None]:
        if step is not None and step.kind == "call":
            run.append(step)
            continue
        out += _calls(run, code, lane)
        run = []
        if step is not None:
            out.append(_step(step, code, lane))
    return "".join(out)


def _calls(run: list[Step], code: dict[tuple[str, int | None], Plain], lane: Lane) -> list[str]:
    drawn = [_step(step, code, lane) for step in run]
    if len(drawn) <= 2 * _SHOWN + 1:
        return drawn
    middle = "".join(drawn[_SHOWN:-_SHOWN])
    count = len(drawn) - 2 * _SHOWN
    folded = f"<details><summary>{count} more calls</summary>{middle}</details>"
    return [*drawn[:_SHOWN], folded, *drawn[-_SHOWN:]]


def _step(step: Step, code: dict[tuple[str, int | None], Plain], lane: Lane) -> str:
    frame = step.frame
    line = f":{frame.line}" if frame.line is not None else ""
    label = {
        "start": f"<b>starts {html(lane.access.actor or 'it')}</b> in ",
        "access": f"<b>{html(_OPS.get(lane.access.op, lane.access.op.upper()))}</b> in ",
    }.get(step.kind, "")
    inner = [s.frame.function for s in lane.steps if s.kind == "inner" and step.kind == "access"]
    through = f" through {html(', '.join(dict.fromkeys(inner)))}" if inner else ""
    # code is shown only where an actor starts or accesses the variable
    snippet = code.get((frame.file, frame.line)) if step.kind in ("start", "access") else None
    quiet = " quiet" if step.quiet else ""
    return (
        f'<div class="step {step.kind}{quiet}">{label}<code>{html(frame.function)}</code>'
        f'<span class="place">{html(f"{frame.file}{line}")}{through}</span>{_code(snippet)}</div>'
    )


def _code(snippet: Plain | None) -> str:
    if snippet is None:
        return ""
    rows = "".join(
        f'<span class="row{" at" if number == snippet["site"]["line"] else ""}">'
        f"<i>{number}</i>{html(row.expandtabs(4))}</span>"
        for number, row in enumerate(snippet["lines"], snippet["first"])
    )
    return f"<pre><code>{rows}</code></pre>"


def _stale(frames: tuple[Frame, ...]) -> str:
    """Renders frames that are left over from an earlier call, folded and grey."""
    if not frames:
        return ""
    rows = "".join(
        f"<li>{html(f.function)} {html(f'{f.file}:{f.line}' if f.line else f.file)}</li>"
        for f in frames
    )
    return (
        f'<details class="stale"><summary>{len(frames)} stale frames, not part of this stack'
        f"</summary><ol>{rows}</ol></details>"
    )
