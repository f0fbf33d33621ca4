"""The variable of a race: its name, owner and declaration."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from deadheat.code import lines, syntax, touches
from deadheat.code.asking import class_of
from deadheat.code.languages import language, spoken
from deadheat.code.scopes import declares, is_local, is_parameter, package_variable
from deadheat.code.sides import WRITING, Side, is_call, is_import, members, possible
from deadheat.code.touches import BASE, CALLEE, OPERAND, TARGET, Touch
from deadheat.code.tree import Place, Tree, bare
from deadheat.code.types import Types
from deadheat.diagnose import address
from deadheat.model import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deadheat.model import Report

# limits for a called function that is searched: its lines, number of calls
_LONG, _CALLS = 80, 8
_SHORT = 24  # lines of a function that such a function calls
# "search.(*Coordinator).Search.func1", "feed.Pump.func2.1", "seq.All-range1"
_CLOSURE = re.compile(r"\.func\d+|\.\d+$|-range\d+$")
_READ_RANKS = {OPERAND: 3, CALLEE: 2, TARGET: 1, BASE: 0}


@dataclass(frozen=True, slots=True)
class Variable:
    """The variable of a race; `sure` if both racing lines name it."""

    name: str
    owner: str | None
    kind: str  # field, captured, package, struct
    declared: Place | None
    sure: bool
    why: str
    part: str | None = None  # the part that one side accesses, if the other stores the whole


def told_by(report: Report) -> Variable | None:
    """The variable that the detector names."""
    place = report.location
    if place is None or place.kind != "global" or not place.name:
        return None
    where = Place(place.file, place.line) if place.file and place.line else None
    return Variable(place.name, None, "package", where, True, "the detector names it")


def variable(tree: Tree, both: Sequence[Side], report: Report) -> Variable | None:
    """The variable of a race, if the report or the code names it."""
    if named := told_by(report):
        return named
    if not both or any(map(_is_harness, both)):
        return None
    if len(both) == 1:
        kept = _kept(tree, both[0]) if address.is_in_program(report) else None
        return kept or _lone(tree, both[0])
    a, b = both[:2]
    return (
        _common(tree, a, b, a.touches, b.touches, "both lines touch it")
        or _struct(tree, a, b)
        or _struct(tree, b, a)
        or _hop(tree, a, b)
        or _hop(tree, b, a)
        or _passed(tree, a, b)
    )


def _is_harness(side: Side) -> bool:
    """Whether the access is inside the test harness: `w.t.Logf(text)`.

    In `assert.Equal(t, want, s.all())` the line names the value itself.
    """
    above = list(takewhile(lambda frame: frame != side.frame, side.access.stack))
    told = next((f for f in above if f.origin is not Origin.RUNTIME), None)
    return told is not None and told.origin is Origin.TEST


def supposed(tree: Tree, both: Sequence[Side]) -> Variable | None:
    """The likely variable if none is named; not used by the diagnosis rules."""
    if len(both) < 2:
        return None
    a, b = both[:2]
    return _written(tree, a, b) or _written(tree, b, a)


def _common(
    tree: Tree, a: Side, b: Side, of_a: Iterable[Touch], of_b: Iterable[Touch], why: str
) -> Variable | None:
    best: tuple[tuple[int, bool], Touch, Touch] | None = None
    theirs = list(of_b)
    for mine in of_a:
        for other in theirs:
            if mine.name != other.name or mine.rank == other.rank == BASE:
                continue
            if _is_field(mine, a) != _is_field(other, b):
                continue
            if not _is_field(mine, a) and not _is_shared(tree, a, b, mine, other):
                continue
            # each goroutine may access a different element
            weight = _weight(mine, a) + _weight(other, b)
            rank = weight, not (mine.element or other.element)
            if best is None or rank > best[0]:
                best = rank, mine, other
    if best is None:
        return None
    return _told(tree, a, b, best[1], best[2], why)


def _is_shared(tree: Tree, a: Side, b: Side, mine: Touch, other: Touch) -> bool:
    """Whether both lines may mean one variable: in one function, or of the package."""
    name = mine.name
    if (a.path, a.first) == (b.path, b.first):
        if _begins(name, a) or _begins(name, b):
            return False
        if not (_in_closure(a) or _in_closure(b)):
            # every call has its own local, but its elements may be shared
            held = mine.element or other.element
            if is_parameter(name, a) or (not held and is_local(name, a)):
                return False
        return not re.match(rb"func \(%s " % re.escape(name.encode("utf-8", "replace")), a.body)
    if is_parameter(name, a) or is_parameter(name, b):
        return False  # a parameter hides the package variable
    return package_variable(tree, a, name) is not None


def _begins(name: str, side: Side) -> bool:
    """Whether the Go line declares the variable: `r := &rules{forms: f}`. It is not shared yet."""
    if language(side.path) != "go" or side.frame.line is None:
        return False
    text = b"".join(syntax.rows(side.source, side.frame.line, side.frame.line)).lstrip()
    word = re.escape(name.encode("utf-8", "replace"))
    return re.match(rb"(?:if |switch )?%s :=|var %s\b" % (word, word), text) is not None


def _in_closure(side: Side) -> bool:
    return bool(_CLOSURE.search(side.frame.function))


def _weight(touch: Touch, side: Side) -> int:
    if side.access.op in WRITING:
        return touch.rank
    return _READ_RANKS[OPERAND if touch.again else touch.rank]


def _is_field(touch: Touch, side: Side) -> bool:
    return len(touch.path) > 1 and not is_import(touch.path[0], side)


def _told(tree: Tree, a: Side, b: Side, mine: Touch, other: Touch, why: str) -> Variable:
    if not _is_field(mine, a):
        return _plain(tree, a, b, mine.name, why)
    for side, touch in sorted([(a, mine), (b, other)], key=lambda st: len(st[1].path)):
        if found := _field(tree, side, touch):
            return Variable(mine.name, found[0], "field", found[1], True, why)
    owner = next((o for s, t in ((a, mine), (b, other)) if (o := _owner(tree, s, t))), None)
    return Variable(mine.name, owner, "field", None, True, why)


def _field(tree: Tree, side: Side, touch: Touch) -> tuple[str, Place] | None:
    tongue = spoken(side.path, side.source)
    if tongue != "go":
        owner = class_of(side.frame.function) if touch.path[0] == "this" else ""
        found = syntax.member(tongue or "c", tree.near(side.path), touch.name, owner)
        return (found[0], Place(*found[1:])) if found else None
    types = Types(tree, side.path, side.body)
    owner = types.owner(touch.path)
    field = types.field(touch.name, owner)
    return (field.owner, field.place) if field else None


def _owner(tree: Tree, side: Side, touch: Touch) -> str | None:
    if language(side.path) != "go":
        return None
    return Types(tree, side.path, side.body).owner(touch.path) or None


def _plain(tree: Tree, a: Side, b: Side, name: str, why: str) -> Variable:
    """A variable without an owner: captured by a closure, or of the package."""
    for side in (a, b):
        for row, text in enumerate(side.body.split(b"\n"), side.first):
            if declares(name, text):
                return Variable(name, None, "captured", Place(side.path, row), True, why)
    place = package_variable(tree, a, name) or package_variable(tree, b, name)
    return Variable(name, None, "package" if place else "captured", place, True, why)


def _struct(tree: Tree, a: Side, b: Side) -> Variable | None:
    """One side stores a whole struct, the other accesses a part of it."""
    for stored in a.touches:
        if not stored.whole:
            continue
        kind = bare(stored.whole)
        found = tree.struct(kind, tree.declaring(kind, a.path))
        held = (_holds(found[2], other) for other in _kinds(tree, b)) if found else iter(())
        part = next((h for h in held if h), None)
        if found is None or part is None:
            continue
        if len(stored.path) == 1:  # "c = C{}"
            why = f"one side stores a whole {kind}, the other works on its {part}"
            return Variable(part, kind, "struct", None, False, why, f"{part} of {kind}")
        name = ".".join(stored.path[1:])
        owner = Types(tree, a.path, a.body).variable(stored.path[0])
        field = _field(tree, a, stored) or _nested(tree, a, stored.name, owner)
        return Variable(
            name,
            owner or (field[0] if field else None),
            "struct",
            field[1] if field else None,
            False,
            f"one side stores a whole {kind}, the other works on its {part}",
            f"{part} of {kind}",
        )
    return None


def _nested(tree: Tree, side: Side, name: str, owner: str) -> tuple[str, Place] | None:
    """A field of an anonymous struct in the owner: `cached struct { data [2]T }`."""
    found = [f for f in tree.fields(name, tree.beside(name, side.path)) if f.owner == owner]
    return (owner, found[0].place) if len(found) == 1 else None


def _receiver(side: Side) -> str:
    told = re.match(rb"func \((?:\w+ )?\*?(\w+)", side.body)
    return told[1].decode() if told else ""


def _kinds(tree: Tree, side: Side) -> list[str]:
    """The types of the receiver and of the fields on the line."""
    types = Types(tree, side.path, side.body)
    fields = [t.path for t in side.touches if _is_field(t, side) and t.rank > CALLEE]
    kinds = [types.kind(path[-1], types.owner(path)) for path in fields]
    return [kind for kind in (_receiver(side), *kinds) if kind]


def _holds(body: bytes, kind: str) -> str | None:
    """The field of a struct that has the type; by value before by pointer."""
    word = re.escape(kind.encode("utf-8", "replace"))
    for star in (b"", rb"\*"):
        if match := re.search(
            rb"^[ \t]+(\w+)[ \t]+%s(?:\w+\.)?%s\b" % (star, word), body, re.MULTILINE
        ):
            return match[1].decode()
    return None


def _hop(tree: Tree, a: Side, b: Side, by: str = "") -> Variable | None:
    """The common variable through a call, in Go through two. Inlined functions have no frames."""
    near = tree.near(a.path)
    deeper: list[tuple[Side, str]] = []
    for call in a.calls[:_CALLS]:
        for path, source in near.items():
            tongue = language(path)
            spans = lines.functions(tongue, source, call.name) if tongue else []
            for span in [s for s in spans if s[1] - s[0] < (_SHORT if by else _LONG)]:
                rows = range(span[0], span[1] + 1)
                inner = [t for row in rows for t in touches.touches(tongue or "", source, row)]
                body = b"\n".join(syntax.rows(source, *span))
                calls = [t for t in inner if t.rank == CALLEE]
                there = Side(a.access, a.frame, path, source, body, span[0], inner, calls)
                why = f"one line touches it through {by}{call.name}"
                there = there._replace(touches=members(tree, there))
                likely = possible(there.touches, a.access.op, source)
                if named := _common(tree, there, b, likely, b.touches, why):
                    return named
                if not by and tongue == "go" and span[1] - span[0] < _SHORT:
                    deeper.append((there, f"{call.name} and "))
    found = (_hop(tree, side, b, told) for side, told in deeper)
    # a local of a function two calls away is not shared
    return next((one for one in found if one and one.kind != "captured"), None)


def _passed(tree: Tree, a: Side, b: Side) -> Variable | None:
    """The common variable through an argument that a caller passes."""
    for one, other in ((a.outer, b), (a, b.outer), (a.outer, b.outer)):
        if one is None or other is None:
            continue
        caller = one if one is a.outer else other
        why = f"one line touches it as a parameter, which {caller.frame.function} passes"
        if found := _common(tree, one, other, one.touches, other.touches, why):
            return found
    return None


def _written(tree: Tree, a: Side, b: Side) -> Variable | None:
    """The only field that the writing line stores to, if the lines have nothing in common.

    The other side uses another name or the whole object: an encoder, a copy.
    """
    if a.access.op not in WRITING or b.access.op in WRITING or is_call(a.access, a.frame):
        return None
    if not is_call(b.access, b.frame) and any(
        _is_field(t, b) and t.rank > CALLEE for t in b.touches
    ):
        return None  # that line names another field
    found = _lone(tree, a)
    if found is None or found.kind != "field":
        return None
    return replace(found, why="the line that writes stores to nothing else")


def _kept(tree: Tree, side: Side) -> Variable | None:
    """The only package variable on the line, if one access is known and in program memory."""
    if language(side.path) != "go" or is_call(side.access, side.frame):
        return None
    if any(_is_field(t, side) and t.rank > CALLEE for t in side.touches):
        return None  # the field's object may be a package variable as well
    if any(len(t.path) > 1 and is_import(t.path[0], side) for t in side.touches):
        return None
    wanted = [t for t in side.touches if t.rank == TARGET] if side.access.op in WRITING else None
    names = {t.name for t in (side.touches if wanted is None else wanted) if len(t.path) == 1}
    own = {n for n in names if not is_parameter(n, side) and not is_local(n, side)}
    found = [(name, at) for name in sorted(own) if (at := package_variable(tree, side, name))]
    if len(found) != 1:
        return None
    why = "its address is that of a package variable, and the only known line names no other"
    return Variable(found[0][0], None, "package", found[0][1], False, why)


def _is_pointer(touch: Touch, side: Side) -> bool:
    """Whether the C++ line only changes the target of the pointer: `hook->fire(now)`."""
    if language(side.path) == "go" or touch.rank == TARGET or side.access.op not in WRITING:
        return False
    text = b"".join(syntax.rows(side.source, side.frame.line or 0, side.frame.line or 0))
    return re.search(rb"\b%s\s?->" % re.escape(touch.name.encode()), text) is not None


def _copies_more(touch: Touch, side: Side) -> bool:
    """Whether a reading Go line also copies another whole value: `c, g := *all, all.group`."""
    if language(side.path) != "go" or side.access.op in WRITING or side.frame.line is None:
        return False
    return bool(touches.copied(side.source, side.frame.line) - {touch.path})


def _lone(tree: Tree, side: Side) -> Variable | None:
    """The only variable that the line can access, if one access is known."""
    if language(side.path) == "go" and is_call(side.access, side.frame):
        return None  # in C++ inlined containers have frames above the line
    wanted = TARGET if side.access.op in WRITING else OPERAND
    likely = [t for t in side.touches if t.rank == wanted] or [t for t in side.touches if t.writes]
    fields = [t for t in likely if _is_field(t, side)] or likely
    # only the longest paths
    ends = [
        t for t in fields if not any(o.path[: len(t.path)] == t.path and o != t for o in fields)
    ]
    if len(ends) != 1 or _is_pointer(ends[0], side) or _copies_more(ends[0], side):
        return None
    found = _field(tree, side, ends[0]) if _is_field(ends[0], side) else None
    return Variable(
        ends[0].name,
        found[0] if found else None,
        "field" if _is_field(ends[0], side) else "captured",
        found[1] if found else None,
        False,
        "the only known access touches nothing else",
    )
