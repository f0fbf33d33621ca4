"""Is a lock held that a function took for its caller? For what a side holds by the code's word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.source import Around, Held
    from deadheat.model import Frame

# "lockAll", "enter", "acquire", "guarded"; not "unlock"
_TAKES = re.compile(
    r"(?<![Uu]n)[Ll]ock|[Ee]nter|[Aa]cquire|[Gg]uard|[Ee]xclusive|[Cc]ritical|[Hh]old"
)
# "unlockAll", "leave", "release"
_LEAVES = re.compile(r"[Uu]nlock|[Ll]eave|[Ee]xit|[Rr]elease")
# calls of one function that are followed
_MOST = 6


def lent(scene: Scene, frame: Frame, seen: Around) -> Iterator[Held]:
    """The locks that are held at a line because something called above it took them and kept them.

    `defer t.enter()()`, `s.lockAll()`: by their names, and by what their code does.
    """
    own = [c for c in seen.calls if c.depth <= len(seen.closures) and c.line <= seen.line]
    # "defer t.view()()", "unlock := t.view()" and then "defer unlock()"
    undone = {c.name.partition("(")[0] for c in own if c.deferred} - {""}
    taking = [c for c in own if c.line < seen.line and not c.deferred]
    taking = [c for c in taking if _TAKES.search(c.name) or {c.name, c.result} & undone]
    for call in taking[:_MOST]:
        inner = scene.defined(call.name, frame, seen.receiver)
        if inner is None or not inner.held or _lets_go(inner):
            continue
        between = [c for c in own if call.line < c.line and not c.deferred]
        if not any(_LEAVES.search(c.name) for c in between):
            yield from inner.held


def _lets_go(inner: Around) -> bool:
    """Does it defer the unlocking, in a call or in a closure? Then nothing is held when it returns."""
    return any(c.deferred and ("nlock" in c.name or not c.name.isidentifier()) for c in inner.calls)
