"""Locks that are held although neither the function nor its callers in the package took them."""

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

# A function that takes a lock rarely has arguments. Those with arguments, and C++ functions that may
# hold a guard, are followed only with such a name: "lockFor(key)", "acquire(ctx)"; not "unlock"
_TAKES = re.compile(
    r"(?<![Uu]n)[Ll]ock|[Ee]nter|[Aa]cquire|[Gg]uard|[Ee]xclusive|[Cc]ritical|[Hh]old"
)
# calls followed per function
_MOST = 8


def lent(scene: Scene, frame: Frame, seen: Around) -> Iterator[Held]:
    """The locks held at a line because a function called above it acquired and kept them.

    `defer t.enter()()`, `s.lockAll()`, and `s.unlockAll()` above the line: judged by their code.
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
    """Does it defer the unlock, in a call or a closure? Then it holds nothing when it returns."""
    return any(c.deferred and ("nlock" in c.name or not c.name.isidentifier()) for c in inner.calls)


def kept(side: Side) -> Iterator[Held]:
    """The locks of an object that owns the container whose methods another package implements.

    `s.seen.Add(n)`: a set has no lock of its own; the owner's lock guards it. If its methods call
    those of other types it is not a mere container.
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
