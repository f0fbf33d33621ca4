"""Which frame of a stack to blame; knows frames, no detector."""

from __future__ import annotations

from typing import Final

from deadheat.model import Frame, Origin

# whose code to blame where none of it is the user's
_NO_USER: Final = ((Origin.STDLIB, Origin.GENERATED), (Origin.RUNTIME,), (Origin.TEST,))
_NAMELESS: Final = ("??", "???", "<null>")


def site(stack: tuple[Frame, ...]) -> Frame | None:
    """The innermost frame in the user's own code; failing that, the innermost that tells most."""
    for frame in stack:
        if frame.origin is Origin.USER and not frame.stale and frame.function not in _NAMELESS:
            return frame
    live = [frame for frame in stack if not frame.stale]
    for wanted in _NO_USER:
        for frame in live:
            if frame.origin in wanted and frame.function not in _NAMELESS:
                return frame
    return live[0] if live else None
