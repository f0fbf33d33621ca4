"""What a line does to a slice or array: append, reslice, share a part, reuse it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.checking import ANY
from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.naming import short
from deadheat.diagnose.side import point

if TYPE_CHECKING:
    from deadheat.diagnose.checking import Check
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around

# "[]int", "[8]Row"
SLICE = re.compile(r"\[\]")
# "append(r.rows, row)", "append(*to, v)", "append((*h).items, x)"
APPEND = re.compile(r"\bappend\(\s*\(?\*?\(?([\w.\[\]]{1,100})\)?\s*[,)]")
# "q.items = q.items[1:]", "d.rows = d.rows[:n-1]"
_CUT = re.compile(r"(?<![=!<>:])=\s{0,9}([\w.]{1,80})\[[^\]:]{0,80}:")
# "b.rows = b.rows[:0]"
_EMPTIED = re.compile(r"\[(?:0\s?)?:\s?0\]")
# "q.items = append(q.items, v)", "q.items = q.items[1:]"
_RESIZED = re.compile(r"=\s{0,9}(?:append\(|[\w.]{1,80}\[[^\]:]{0,80}:)")
# "a[i], a[j] = a[j], a[i]", "a[j] = a[j-1]": from one element to another
_MOVED = re.compile(r"(?<![\w.])([\w.]{1,80})\[[^=]{1,200}\] = \1\[")
# "t->rows[t->length++] = row;", "queue[(*n)++] = job;"
_PLACED = re.compile(r"\[[\w.>*()-]{0,80}?\b(\w{1,80})\)?\+\+\]\s{0,9}=(?!=)")
# "go s.handle(buf[:n])"
_PART = re.compile(r"\b(\w{1,80})\[[^\]:]{0,80}:")
_NEAR = 3  # frames, and stores per frame, that are examined


def resizes(scene: Scene, found: Check) -> bool:
    """`if len(q.items) > 0 { q.items = q.items[1:] }`: does the check only guard a resize or sort?

    Then the race is on the slice; whether it exists at all is another question.
    """
    here, shared = found.sets.here, scene.shared
    if not scene.go:
        return here is not None and puts_at(here)
    if here is not None and _MOVED.search(here.text):
        return True  # a swap: the comparison decides the order of the elements
    if here is None or shared is None or not shared.type.startswith("["):
        return False
    asked = ANY.search(found.told) and re.search(rf"\b{re.escape(shared.name)}\b", found.told)
    return bool(_RESIZED.search(here.text)) and not asked


def puts_at(here: Around) -> bool:
    """`t->rows[t->length++] = row`: does a line of C store at a counter and increment it?"""
    told = _PLACED.search(here.text)
    return told is not None and any(u.writes and u.name == told[1] for u in here.uses)


def parts(scene: Scene) -> Evidence | None:
    """Do two calls of one function use elements of slice parameters? Then the slices overlap."""
    if not scene.go or not scene.same_function or any(side.held for side in scene.sides):
        return None
    told = []
    for side in scene.sides:
        here = side.here
        rows = [
            name
            for name, known in (here.names.items() if here else ())
            if known.how == "parameter" and known.type.startswith("[]")
        ]
        written = [u.path[0] for u in here.uses if u.writes and u.element] if here else []
        used = [n for n in rows if here and (n in written if side.writes else f"{n}[" in here.text)]
        if not used:
            return None
        told += used[:1]
    both = " and ".join(f"`{name}`" for name in dict.fromkeys(told))
    side = scene.sides[0]
    return side.told(
        f"two calls of `{short(side.name)}` use elements of {both}, which are parameters"
    )


def cuts(scene: Scene, side: Side) -> Evidence | None:
    """Does its line reslice: `q.items = q.items[1:]`?"""
    here, shared = side.here, scene.shared
    if not scene.go or here is None or shared is None or not SLICE.match(shared.type.strip()):
        return None
    # "s.rows = s.rows[:0]" prepares it for reuse: that is a lifetime question
    told = None if _EMPTIED.search(here.text) else _CUT.search(here.text)
    stores = any(u.name == shared.name and u.line == here.line for u in here.stores)
    if told is None or not stores or told[1].rpartition(".")[2] != shared.name:
        return None
    return side.told(f"`{here.text[:80]}` reslices the slice")


def room(scene: Scene, side: Side) -> Evidence | None:
    """`args := append(t.base, a)`: does it write into the spare capacity of another slice?"""
    here, shared = side.here, scene.shared
    told = APPEND.search(here.text) if here else None
    if not scene.go or here is None or told is None or not side.writes:
        return None
    made = {n for n, d in here.names.items() if d.how == "local" and d.line == here.line}
    if not made or (shared is not None and shared.name not in made):
        return None
    if told[1].partition(".")[0] in made:
        return None
    base = here.names.get(told[1])
    if base is not None and base.how == "local":
        return None  # a local slice
    return side.told(f"`{here.text[:80]}` writes into the spare capacity of `{told[1]}`")


def lent_again(scene: Scene) -> Evidence | None:
    """`n := read(buf); go handle(buf[:n])` in a loop: is a buffer refilled that a worker reads?"""
    for fills, worker in scene.both if scene.go and scene.sourced else ():
        began = worker.creator if worker.is_worker and fills.writes and not worker.writes else None
        seen = scene.around(began) if began else None
        if seen is None or began is None or fills.held:
            continue
        text = next((s.text for s in seen.starts if s.line == seen.line), "")
        for name in _PART.findall(text):
            made = seen.names.get(name)
            loop = next((one for one in seen.loops if made and one[0] > made.line), None)
            if made is None or made.how != "local" or loop is None:
                continue
            if any(_fills(code, seen, name, loop) for _, code in fills.way):
                told = f"`{text[:60]}` passes a part of `{name}`, which the next iteration overwrites"
                return Evidence(told, point(began))
    return None


def _fills(code: Around, seen: Around, name: str, loop: tuple[int, int]) -> bool:
    """Is it the loop that passes the buffer on, at a line that uses the buffer?"""
    if (code.path, code.first) != (seen.path, seen.first) or not loop[0] <= code.line <= loop[1]:
        return False
    return re.search(rf"\b{re.escape(name)}\b", code.text) is not None


def filled_anew(scene: Scene) -> Evidence | None:
    """`full := b.rows; b.rows = b.rows[:0]; go send(full)`: is the array still in use elsewhere?"""
    name = scene.shared.name if scene.shared else ""
    for grows, other in scene.both if scene.go and scene.sourced else ():
        told = APPEND.search(grows.here.text) if grows.here and grows.writes else None
        began = other.creator if other.is_worker else None
        if told is None or (name and told[1].rpartition(".")[2] != name):
            continue
        grown = told[1].rpartition(".")[2]
        ways = [*([began] if began else []), *(frame for frame, _ in grows.way)]
        for frame in ways[:_NEAR]:
            seen = scene.around(frame)
            for use in [u for u in seen.stores if u.name == grown][:_NEAR] if seen else ():
                line = scene.around(frame._replace(line=use.line))
                if line and _EMPTIED.search(line.text):
                    text = f"`{line.text[:60]}` keeps the array that the other side still reads"
                    return Evidence(text, point(frame)._replace(line=use.line))
    return None
