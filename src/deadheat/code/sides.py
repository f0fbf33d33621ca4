"""The racing lines of a report at its pin, with what they may access."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.code import lines, passing, syntax, touches
from deadheat.code.asking import class_of, declared
from deadheat.code.languages import language, spoken
from deadheat.code.touches import BASE, CALLEE, OPERAND, Touch
from deadheat.model import Access, Frame, Op, Origin

if TYPE_CHECKING:
    from deadheat.code.clone import Clone
    from deadheat.code.tree import Tree
    from deadheat.model import Report

WRITING = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)
_NO_VARIABLE = frozenset(
    (
        "nil",
        "true",
        "false",
        "this",
        "self",
        "len",
        "cap",
        "append",
        "make",
        "new",
        "panic",
        "string",
    )
)
# `	"github.com/pingcap/tidb/kv"`, `	plannercore "github.com/…/core"`
_IMPORT = re.compile(rb'^(?:import )?[ \t]*(\w+)?[ \t]*"(?:[^"\n]*/)?([\w.-]+)"$', re.MULTILINE)

# "Feed(int n) : limit_(n), ": member initializers follow the parameters
_INITIAL = re.compile(rb"\)\s{0,99}:(?!:)")


class Side(NamedTuple):
    """One access of a report in the source at the pin."""

    access: Access
    frame: Frame
    path: str
    source: bytes
    body: bytes  # of the function
    first: int  # its line
    touches: list[Touch]
    calls: list[Touch]
    outer: Side | None = None  # the calling line, accessing the arguments it passes


def sides(clone: Clone, tree: Tree, report: Report) -> list[Side]:
    """The racing lines of a report whose source is available."""
    found: dict[int, Side] = {}
    for number, access in enumerate(report.accesses):
        for frame in access.stack:
            blobs = clone.blobs([tree.commit], clone.paths(frame))
            if side := next(
                (_side(clone, access, frame, p, b) for (_, p), b in blobs.items()), None
            ):
                own = members(tree, side)
                found[number] = side._replace(touches=own, outer=_outer(clone, tree, side))
                break
    for number, access in enumerate(report.accesses):
        if number not in found and found and access.stack:
            side = _unplaced(clone, tree, access, next(iter(found.values())).path)
            found |= {number: side} if side else {}
    return [found[number] for number in sorted(found)]


def members(tree: Tree, side: Side) -> list[Touch]:
    """The accesses of a line, with unqualified C++ members resolved to `this`."""
    tongue = spoken(side.path, side.source)
    owner = class_of(side.frame.function)
    head = _INITIAL.split(side.body.partition(b"{")[0])[0]
    if tongue != "cpp" or not owner:
        return side.touches

    def is_member(touch: Touch) -> bool:
        if len(touch.path) > 1 or lines.names(touch.name, head):
            return False  # member of a named object, or a parameter
        return syntax.member(tongue, tree.near(side.path), touch.name, owner) is not None

    return [t._replace(path=("this", t.name)) if is_member(t) else t for t in side.touches]


def _outer(clone: Clone, tree: Tree, side: Side) -> Side | None:
    """The line that calls the racing function, with the arguments it passes."""
    stack = side.access.stack
    after = stack.index(side.frame) + 1
    name = declared(side.frame.function, "go").rpartition(".")[2]
    if after >= len(stack) or not name or stack[after].line is None or stack[after].stale:
        return None
    caller = stack[after]
    for (_, path), blob in clone.blobs([tree.commit], clone.paths(caller)).items():
        source, span = clone.git.object(blob), None
        if source is not None and language(path) == language(side.path) == "go":
            span = _span("go", source, caller)
        if source is None or span is None:
            continue
        found = passing.passed(
            side.touches, side.source, side.first, name, source, caller.line or 0
        )
        body = b"\n".join(syntax.rows(source, *span))
        return Side(side.access, caller, path, source, body, span[0], found, []) if found else None
    return None


def _unplaced(clone: Clone, tree: Tree, access: Access, beside: str) -> Side | None:
    """Find an access without a line number by its function, in the folder of the other access."""
    frame = access.stack[0]
    if frame.line is not None or not declared(frame.function, "go"):
        return None
    for path in tree.folder(beside):
        blob = clone.blobs([tree.commit], [path]).get((tree.commit, path), "")
        if side := _side(clone, access, frame, path, blob):
            return side
    return None


def _side(clone: Clone, access: Access, frame: Frame, path: str, blob: str) -> Side | None:
    source = clone.git.object(blob)
    tongue = spoken(path, source) if source is not None else None
    if source is None or tongue is None:
        return None
    span = _span(tongue, source, frame)
    if span is None:
        return None
    body = b"\n".join(syntax.rows(source, *span))
    rows = [frame.line] if frame.line is not None else range(span[0], span[1] + 1)
    found = [t for row in rows for t in touches.touches(tongue, source, row)]
    calls = [t for t in found if t.rank == CALLEE]
    likely = possible(found, access.op, source)
    if tongue == "go" and is_call(access, frame):
        # the race is inside the call, not on its result or name
        likely = [t for t in likely if t.rank in (OPERAND, BASE)]
    return Side(access, frame, path, source, body, span[0], likely, calls)


def is_call(access: Access, frame: Frame) -> bool:
    """Whether the line only calls the function that made the access."""
    above = access.stack[: access.stack.index(frame)] if frame in access.stack else ()
    return any(f.origin not in (Origin.RUNTIME, Origin.GENERATED) for f in above)


def _span(tongue: str, source: bytes, frame: Frame) -> tuple[int, int] | None:
    name = declared(frame.function, tongue)
    if tongue == "go" and name:
        return lines.go_extent(name, source)
    spans = lines.functions(tongue, source, name)
    line = frame.line or 0
    return next((s for s in spans if s[0] <= line <= s[1]), spans[0] if spans else None)


def possible(found: list[Touch], op: Op, source: bytes) -> list[Touch]:
    """The accesses that match the operation, without packages, calls and builtins."""
    imports = {(m[0] or m[1]).decode() for m in _IMPORT.findall(source)}
    kept = [
        t
        for t in found
        if t.name not in _NO_VARIABLE
        and not (len(t.path) == 1 and (t.name in imports or t.rank == CALLEE))
        and not (len(t.path) == 2 and t.path[0] in imports and t.rank == CALLEE)
        and t.name[:1] != "_"
    ]
    if op in WRITING:
        return [t for t in kept if t.writes] or kept
    return kept


def is_import(name: str, side: Side) -> bool:
    return any((m[0] or m[1]).decode() == name for m in _IMPORT.findall(side.source))
