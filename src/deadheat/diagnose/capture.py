"""Races between a closure and the function around it on a captured variable."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose import address, calls
from deadheat.diagnose.naming import is_same, is_test_file, last, of_value, short

if TYPE_CHECKING:
    from deadheat.diagnose.finding import Evidence
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around, Closure, Declared, Use

# "err", "e", "firstErr", "lastError"
_ERROR = re.compile(r"(?:^|[a-z_])[eE]rr(?:or)?s?\d?$")
# "stats", "cache.Stats", "Stats{}", "struct{ n int }": a value, and no pointer, call or map
_VALUE = re.compile(r"(?:\w+\.)?[A-Za-z_]\w*(?:\{.*)?$|struct\b")
# "r.v", "p->n"
_MEMBER = re.compile(r"\w(?:\.|->)\w")
_BEHIND = 8  # lines from a closure's write to the read in its function
_OWN = ("loop", "result", "local", "parameter")


class Capture(NamedTuple):
    """The closure's side, the other side, and the variable if the code names it."""

    inner: Side
    outer: Side
    name: str = ""
    declared: Declared | None = None

    @property
    def is_error(self) -> bool:
        if self.declared is None:
            return False
        kind = self.declared.type.strip()
        # a slice of errors is treated as a slice
        return kind == "error" or (not kind.startswith("[") and bool(_ERROR.search(self.name)))

    def evidence(self) -> tuple[Evidence, ...]:
        """The declaration of the variable, and the two accesses."""
        inner, outer = self.inner, self.outer
        where = short(inner.name)
        both = "the function itself"
        if outer.closure:
            same = inner.site and outer.site and inner.site.function == outer.site.function
            both = "another goroutine of the same closure" if same else "another closure there"
        found = [inner.told(f"{inner.does} from a closure in `{where}`")]
        if self.name and self.declared:
            what = {"loop": "a loop variable", "result": "a named result"}
            kind = what.get(self.declared.how, f"a {self.declared.how} variable")
            found.append(
                inner.told(f"`{self.name}` is {kind} of `{where}`, line {self.declared.line}")
            )
        found.append(outer.told(f"the other access is by {both}"))
        return tuple(found)


def captured(scene: Scene) -> Capture | None:
    """The captured variable that the code shows; None if there is none or no code."""
    for inner, outer in scene.both if scene.sourced else ():
        mine, other = inner.here, outer.here
        if mine is None or other is None or not mine.closures:
            continue
        if (mine.path, mine.first) != (other.path, other.first):
            continue
        paths = {u.path for u in other.uses}
        for use in _stored_first(mine):
            base = use.path[0]
            told = mine.names.get(base)
            if told is None or told.how not in _OWN or (len(use.path) > 1 and _points(told)):
                continue
            around = _around(base, mine)
            inside = told.depth >= len(around) and any(
                c.first <= told.line <= c.last for c in around[-1:]
            )
            if not around:
                continue
            if not scene.go and _is_object(told, base, mine):
                continue
            if scene.go and _begins(base, other.text):
                continue  # declared there: no closure had it before
            if not _stored(use, mine, other) or _is_behind(scene, use):
                continue  # only the base of what is stored
            returned = told.how == "result" and other.text.startswith("return")
            if not inside and (use.path in paths or returned):
                return Capture(inner, outer, base, told)
    return None


def _is_behind(scene: Scene, use: Use) -> bool:
    """`Should(pending)`: is it a field of the object the variable points to, used by the callee?"""
    shared = scene.shared
    told = shared is not None and shared.sure and shared.kind == "field"
    return told and shared is not None and shared.name not in use.path and not use.writes


def _stored(use: Use, mine: Around, other: Around) -> bool:
    """`r.v++` stores to what `r` points to: does one of the lines store the variable itself?"""
    if len(use.path) > 1 or not _MEMBER.search(mine.text):
        return True
    both = [u for u in (*mine.uses, *other.uses) if u.path[0] == use.path[0]]
    deeper = any(u.writes and len(u.path) > 1 for u in both)
    return not deeper or any(u.writes for u in both if u.path == use.path)


def _stored_first(here: Around) -> list[Use]:
    """The uses of a line, stored variables before elements: `km[i], err = leg(i)`."""
    stored = {u.path for u in here.stores if u.line == here.line}
    return sorted(here.uses, key=lambda u: not u.writes or u.element or u.path not in stored)


def _begins(name: str, text: str) -> bool:
    """`r := &rules{forms: f}`: does a line of Go declare it alone, so that it is new each time?"""
    word = re.escape(name)
    return re.match(rf"(?:if |switch )?{word} :=|var {word}\b", text) is not None


def _around(name: str, here: Around) -> tuple[Closure, ...]:
    """The closures around a name: in `err = each(func(r row) error {` not the one that begins there."""
    begins = here.closures[-1].first == here.line and not _within(name, here.text)
    return here.closures[:-1] if begins else here.closures


def _within(name: str, text: str) -> bool:
    """`d.On("click", [] { clicks++; });`: is a name used in the closure's body?"""
    body = text.partition("{")[2]
    return not body or re.search(rf"\b{re.escape(name)}\b", body) is not None


def _is_object(told: Declared, name: str, here: Around) -> bool:
    """`Log log; … log.line(text);`: does the closure use it only through methods of its class?"""
    if told.type.startswith("std::") or not told.type[:1].isupper():
        return False
    methods = {c.name for c in here.calls if c.line == here.line and c.on == name}
    paths = [u.path for u in here.uses if u.path[0] == name and len(u.path) > 1]
    return bool(paths) and all(path[1] in methods for path in paths)


def _points(told: Declared) -> bool:
    """May it point to an object that is also shared in other ways? Then the race is not on it."""
    kind = told.type.strip()
    return told.how != "local" or not (_VALUE.match(kind) and "&" not in kind)


def likely(scene: Scene) -> Capture | None:
    """The capture that function names suggest: `F.func1` and `F`, which started it."""
    if Capture not in scene.memo:
        scene.memo[Capture] = _likely(scene)
    found: Capture | None = scene.memo[Capture]
    return found


def _likely(scene: Scene) -> Capture | None:
    for inner, outer in scene.both:
        if not inner.closure or not inner.site or not outer.site:
            continue
        if not is_same(inner.name, outer.name):
            continue
        if inner.site.file != outer.site.file or last(inner.name) == "init":
            continue  # closures of `init` share package variables
        if calls.are_two(inner, outer, inner.name):
            continue  # each call has its own variables
        if outer.closure and inner.site.function != outer.site.function:
            return Capture(inner, outer)  # two closures of one function most likely share its variable
        started = [scene.parent(f.function) for f in inner.actor.created_at[:NEAR]]
        if any(is_same(inner.name, name) for name in started):
            return Capture(inner, outer)
        if scene.go and not inner.actor.created_at and _is_used_below(inner, outer):
            return Capture(inner, outer)  # its start is not reported
        if outer.closure and _is_given_back(scene, inner):
            return Capture(inner, outer)
    return None


def _is_used_below(inner: Side, outer: Side) -> bool:
    """Does the function read, just below its closure, what the closure writes?"""
    down = (outer.point.line or 0) - (inner.point.line or 0)
    return inner.writes and not outer.closure and not outer.writes and 0 < down <= _BEHIND


def _is_given_back(scene: Scene, inner: Side) -> bool:
    """Is it a closure that others run, of a function that is not a method?

    Its variables are that function's. A closure of a method mostly uses the method's object.
    """
    given = inner.site is not None and not is_test_file(inner.site.file)
    method = "(" in inner.name or of_value(inner.name)
    return given and not method and address.is_packages(scene) is False


NEAR = 5


def creation_line(scene: Scene, capture: Capture) -> int | None:
    """The line in the function around the closure that started its goroutine."""
    for frame in capture.inner.actor.created_at[:NEAR]:
        if is_same(scene.parent(frame.function), capture.inner.name):
            return frame.line
    return None
