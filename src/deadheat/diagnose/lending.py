"""Locks that are held though neither the function nor who called it in its package took them.

For what a side holds by the code's word.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from deadheat.diagnose.naming import last

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around, Call, Held
    from deadheat.model import Frame

# what takes a lock is mostly given nothing; what is given something, and what may hold a guard of C++
# until it returns, is followed if it is called so: "lockFor(key)", "acquire(ctx)"; not "unlock"
_TAKES = re.compile(
    r"(?<![Uu]n)[Ll]ock|[Ee]nter|[Aa]cquire|[Gg]uard|[Ee]xclusive|[Cc]ritical|[Hh]old"
)
# calls of one function that are followed
_MOST = 8


def lent(scene: Scene, frame: Frame, seen: Around) -> Iterator[Held]:
    """The locks that are held at a line because something called above it took them and kept them.

    `defer t.enter()()`, `s.lockAll()`, and `s.unlockAll()` above the line: by what their code does.
    """
    own = [c for c in seen.calls if c.depth <= len(seen.closures) and c.line <= seen.line]
    # "defer t.view()()", "unlock := t.view()" and then "defer unlock()"
    undone = {c.name.partition("(")[0] for c in own if c.deferred} - {""}
    above = [c for c in own if c.line < seen.line and not c.deferred]
    taken: dict[str, tuple[Held, ...]] = {}
    for call in [c for c in above if _may_take(c, undone, scene.go)][:_MOST]:
        if taken.pop(call.name, None):
            continue  # "unlock()"
        inner = scene.defined(call.name, frame, seen.receiver)
        if inner is None:
            continue
        for name in [n for n, held in taken.items() if any(h.name in inner.frees for h in held)]:
            del taken[name]
        if inner.held and not _lets_go(inner):
            taken[call.result or call.name] = inner.held
    for held in taken.values():
        yield from held


def _may_take(call: Call, undone: set[str], go: bool) -> bool:
    plain = go and not call.arguments and call.name.isidentifier()
    return plain or bool(_TAKES.search(call.name) or {call.name, call.result} & undone)


def _lets_go(inner: Around) -> bool:
    """Does it defer the unlocking, in a call or in a closure? Then nothing is held when it returns."""
    return any(c.deferred and ("nlock" in c.name or not c.name.isidentifier()) for c in inner.calls)


def kept(side: Side) -> Iterator[Held]:
    """The locks of an object that keeps what another package's methods work on: `s.seen.Add(n)`.

    A set has no lock of its own; who keeps one beside a lock guards it so. Where its methods go on to
    those of other types it is no mere container.
    """
    own = side.site.package if side.site else ""
    kind = side.here.receiver if side.here else ""
    for (inner, code), (frame, seen) in pairwise(side.way):
        if code.receiver != kind or not kind:
            return
        if frame.package == own or inner.package != own:
            continue
        called = [c for c in seen.calls if c.line == seen.line and c.name == last(inner.function)]
        bases = {c.on.partition(".")[0] for c in called if "." in c.on}
        kinds = {seen.names[b].type.strip("*") for b in bases if b in seen.names}
        yield from (h for h in seen.held if h.name.partition(".")[0] in bases | kinds)
