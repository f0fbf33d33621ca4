"""Finds the site of a stack: the frame that is reported for an access."""

from __future__ import annotations

from typing import Final

from deadheat.model import Frame, Origin

# origins to fall back to if no frame is user code
_NO_USER: Final = ((Origin.STDLIB, Origin.GENERATED), (Origin.RUNTIME,), (Origin.TEST,))
_NAMELESS: Final = ("??", "???", "<null>")


def site(stack: tuple[Frame, ...]) -> Frame | None:
    """The innermost frame in user code, or else the innermost frame of a fallback origin."""
    for frame in stack:
        if frame.origin is Origin.USER and not frame.stale and frame.function not in _NAMELESS:
            return frame
    live = [frame for frame in stack if not frame.stale]
    for wanted in _NO_USER:
        for frame in live:
            if frame.origin in wanted and frame.function not in _NAMELESS:
                return frame
    return live[0] if live else None
