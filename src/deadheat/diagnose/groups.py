"""Who adds to a group that is waited for? For the rules about group synchronisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around

_MOST = 4  # functions that are looked into


def added_elsewhere(side: Side) -> bool:
    """Does the code show that who waits adds nothing itself, outside of what it starts?"""
    here = side.here
    waits = [c for c in here.calls if c.name == "Wait" and c.line == here.line] if here else []
    if here is None or not waits or here.loops or side.is_worker:
        return (
            False  # who waits in a loop, or was started to wait, waits for one round after another
        )
    own = [c for c in here.calls if c.name == "Add" and c.on == waits[0].on]
    return not any(c.depth <= waits[0].depth for c in own)


def adds_for_others(side: Side) -> bool:
    """Does the code add above the line that starts the work, and so for a round of its own?

    Who is done with the group itself has added to it for itself, as it was already waited for. The
    detector may have lost the function that adds: then the line calls it.
    """
    here, site = side.here, side.site
    if here is None or site is None:
        return False
    near = [here]
    if not any(c.name == "Add" and c.line == here.line for c in here.calls):
        near = [
            one
            for c in here.calls
            if c.line == here.line and (one := side.scene.defined(c.name, site))
        ]
    return any(_for_others(seen) for seen in near[:_MOST])


def _for_others(seen: Around) -> bool:
    adds = [c for c in seen.calls if c.name == "Add"]
    starts = any(s.line >= c.line for c in adds for s in seen.starts)
    return starts and not any(c.name == "Done" and c.depth == adds[0].depth for c in seen.calls)
