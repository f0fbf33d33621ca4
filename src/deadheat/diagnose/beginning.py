"""Where a thread or goroutine was started, according to the code.

Helgrind reports it only once, and retold Go reports omit it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.naming import last

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around
    from deadheat.model import Frame

# "call std::thread", "call std::async", "call threads_.emplace_back": calls that take a lambda as thread
_THREAD = re.compile(r"\bj?thread$|\basync$|\bemplace_back$")

# "go hub.serve(ctx)"
_STARTED = re.compile(r"go (?:[\w.]{1,120}\.)?(\w{1,80})\(")


def begun(scene: Scene, side: Side) -> tuple[Frame, ...]:
    """The line that starts a thread in a function of this side, and the frames that lead to it."""
    if scene.kernel or scene.source is None or side.is_main:
        return ()
    if scene.go:
        return tuple(_started_above(scene, side))
    for frame in reversed(side.frames):
        here = scene.around(frame)
        lambdas = [c for c in here.closures if _THREAD.search(c.use)] if here else []
        if here is None:
            continue
        if lambdas:
            start = frame._replace(function=scene.parent(frame.function), line=lambdas[0].first)
            return (start, *_led(scene, side, here.function))
        if seen := scene.source.starter(here.function, frame):
            file = frame.file[: frame.file.rfind("/") + 1] + seen.path.rpartition("/")[2]
            start = frame._replace(function=_printed(scene, seen), file=file, path=file)
            return (start._replace(line=seen.line), *_led(scene, side, seen.function))
    return ()


def _started_above(scene: Scene, side: Side) -> Iterator[Frame]:
    """Go: the line of `go hub.serve()` if the other side is further down in the same function."""
    began = side.frames[-1] if side.frames else None
    for frame in next((s.frames for s in scene.sides if s is not side), ()) if began else ():
        seen = scene.around(frame)
        for start in seen.starts if seen else ():
            told = _STARTED.match(start.text)
            runs = told is not None and began is not None and told[1] == last(began.function)
            if runs and seen and start.line < seen.line:
                yield frame._replace(line=start.line)


def _printed(scene: Scene, seen: Around) -> str:
    """The function around a line, as the report prints it if it does."""
    for frame in [f for side in scene.sides for f in side.frames]:
        here = scene.around(frame)
        if here and (here.path, here.first) == (seen.path, seen.first):
            return frame.function
    return f"{seen.receiver}::{seen.function}" if seen.receiver else seen.function


def _led(scene: Scene, side: Side, function: str) -> Iterator[Frame]:
    """The frames of the other side whose function called another one before."""
    for frame in next((s.frames for s in scene.sides if s is not side), ()):
        seen = scene.around(frame)
        call = next((c for c in seen.calls if c.name == function), None) if seen else None
        if call is not None and call.line < (frame.line or 0):
            yield frame._replace(line=call.line)
