"""Whether one side checks what the other sets, in one function."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.conditions import is_another, is_named
from deadheat.diagnose.naming import is_test_file
from deadheat.diagnose.ordering import SLEEPS

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around, Condition
    from deadheat.model import Frame

# "c.conn == nil", "!s.ready", "len(m) == 0", "p == NULL", "instance == nullptr", "!cache",
# "x.is_none()", "table_.empty()"
_ABSENT = re.compile(
    r"==\s*(?:nil|NULL|nullptr|0\b|\"\"|false)|(?:nil|NULL|nullptr)\s*=="
    r"|^\(?!\s*[\w.>()-]+\)?$|is_none|^\(?[\w.>-]{1,80}\.empty\(\)\)?$|!\s*ok\b|; !\w+$"
)
# "c.conn != nil", as in "if c.conn != nil { return c.conn }"
_PRESENT = re.compile(r"!=\s*(?:nil|NULL|nullptr)|(?:nil|NULL|nullptr)\s*!=|is_some")
# "conn == nil", "!cores_.has_value()": an existence test; "state == 0" may be one of several states
ANY = re.compile(r"\b(?:nil|NULL|nullptr|has_value|is_none|is_some|empty)\b")
# "(table_)", "s->conn": an existence test, or a flag
_BARE = re.compile(r"\(?(?:[\w.]|->){1,80}\)?$")
# "cached_ < 0", "s.sum == -1": not set yet
_NO_VALUE = re.compile(r"(?:<\s{0,3}0|==\s{0,3}-1)\)?$")
# "t.text != \"\"", "h.sum != 0", "h.size > 0": already set
_A_VALUE = re.compile(r"(?:!=\s{0,3}(?:\"\"|0)|>\s{0,3}0)\)?$")
# "cached_ = compute();"
_WORKED_OUT = re.compile(r"(?<![=!<>])=\s{0,9}[\w.>:-]{1,80}\(")
# "err != nil": the result of an earlier call, not a state
_ERROR = re.compile(r"\b\w{0,40}[eE]rr(?:or)?\b")
# "out, err := d.decode(m); err == nil": a test for success
_FAILED = re.compile(r"\b\w{0,40}[eE]rr(?:or)?\s{0,3}==\s{0,3}nil")
# "--refs == 0": the condition changes a counter itself
_COUNTS = re.compile(r"\+\+|--")
# "lockers[i].owner = guest;", "e.phase = running": the stored value, if it is a name or a number
_STORED = re.compile(
    r"(?<![=!<>+*/|&^-])=\s{0,9}([\w.]{1,80})\s{0,9};?\s{0,9}\}?\s{0,9}(?://|/\*|$)"
)
# values that mark existence but are not objects
_FLAGS = frozenset(("true", "false", "nil", "NULL", "nullptr", "1", "TRUE", "None"))
# "l.beats(b)", "!Has(n)"
_CALL = re.compile(r"\b([A-Za-z_]\w{0,80})\(")
# "load(d." of "load(d.where(), n)": what follows is an argument of a call
_HANDED = re.compile(r"\w\([^()]{0,200}$")
_NEAR = 3  # frames from the site outwards in which a check concerns the access


class Check(NamedTuple):
    """The side that writes, the side that checks or writes as well, and the condition if known."""

    sets: Side
    other: Side
    condition: Condition | None = None
    guard: bool = False  # the condition is a guard clause: it would have returned
    asked: str = ""  # the expression that a checking function returns: "r.guest == \"\""

    @property
    def told(self) -> str:
        """The condition as evidence quotes it: `if c.conn == nil`, `switch (x->state)`."""
        text = self.condition.text[:60] if self.condition else ""
        return text if text.startswith(("switch ", "case ")) else f"if {text}"

    @property
    def where(self) -> str:
        """Where the other side is, as evidence says it."""
        return "in the same function" if self.sets.name == self.other.name else "on the same call chain"

    @property
    def absent(self) -> bool:
        """Does the check ask whether the object exists, so that it is created?"""
        told = self.asked or (self.condition.text if self.condition else "")
        if self.sets.here is not None and (claims(self.sets.here, told) or _walks(self.sets.here)):
            return False
        if not self.guard or self.asked:
            return (is_absent(told) and not self.is_flag) or self._is_kept(told, _NO_VALUE)
        if is_present(told) or self._is_kept(told, _A_VALUE):
            return True
        return bool(_BARE.match(told)) and self._makes

    def _is_kept(self, condition: str, asks: re.Pattern[str]) -> bool:
        """`if (cached_ < 0) cached_ = compute();`: is a computed value stored for the next time?"""
        here = self.sets.here
        if here is None or not asks.search(condition):
            return False
        stored = _STORED.search(here.text)
        local = here.names.get(stored[1]) if stored else None
        return bool(_WORKED_OUT.search(here.text)) or (
            local is not None and local.how != "parameter"
        )

    @property
    def is_flag(self) -> bool:
        """`if p.opened == 0 { p.opened = 1 }`: is only a flag set and nothing created?"""
        here = self.sets.here
        stored = _STORED.search(here.text) if here else None
        if here is None or stored is None or self.condition is None or ANY.search(self.told):
            return False
        own = {u.name for u in here.uses if u.writes}
        first, last = self.condition.line, self.condition.last or here.last
        others = [u for u in here.stores if first <= u.line <= last and u.name not in own]
        word = stored[1] in _FLAGS or stored[1].isdigit()
        return word and not others and not self._calls

    @property
    def _calls(self) -> bool:
        """Is a function other than a sleep called under the condition?"""
        here = self.sets.here
        first = self.condition.line if self.condition else 0
        return here is not None and any(
            first < call.line < here.line and call.name not in SLEEPS for call in here.calls
        )

    @property
    def _makes(self) -> bool:
        """`if (table_) return; … table_ = built;`: is something stored that is not a flag?"""
        here = self.sets.here
        stored = _STORED.search(here.text) if here else None
        return here is not None and "=" in here.text and not (stored and stored[1] in _FLAGS)


def _walks(here: Around) -> bool:
    """`if at.next == nil { at.next = n }` in a loop that advances `at`: is it a list traversal?"""
    through = {u.path[0] for u in here.uses if u.writes and len(u.path) > 1}
    moved = [u.line for u in here.stores if len(u.path) == 1 and u.path[0] in through]
    return any(first < line <= last for first, last in here.loops for line in moved)


def is_absent(condition: str) -> bool:
    """Does a condition ask whether something does not exist yet?"""
    told = condition.strip()
    return bool(_ABSENT.search(told)) and not _COUNTS.search(told) and not _FAILED.search(told)


def is_present(condition: str) -> bool:
    """Does a condition ask whether something already exists?"""
    return bool(_PRESENT.search(condition))


def check(scene: Scene) -> Check | None:
    """The check that the code shows before the write: its condition names the raced variable."""
    for sets, other in scene.both if scene.sourced else ():
        if not sets.writes or sets.here is None or not scene.same_function:
            continue
        names = {u.name for u in sets.here.uses if u.writes}
        names |= {scene.shared.name} if scene.shared else set()
        others = {u.name for u in sets.here.uses if u.writes and is_another(u, sets.here)}
        for condition, guard in _before(sets.here):
            if any(is_named(name, condition.text, name in others) for name in names):
                return Check(sets, other, condition, guard)
        if found := _by_question(scene, sets, other, names) or _in_caller(scene, sets, other):
            return found
    return None


def _in_caller(scene: Scene, sets: Side, other: Side) -> Check | None:
    """The check that led both sides to one function: `if !c.visited { c.mark(i) }`."""
    here, way = sets.here, sets.way
    if here is None or len(way) < 2 or sets.held or other.held or _before(here, errors=True):
        return None  # another condition decides
    (frame, caller), names = way[1], {u.name for u in here.uses if u.writes}
    same = [(code.path, code.first) for _, code in other.way[1:2]]
    if is_test_file(frame.file) or (caller.path, caller.first) not in same:
        return None
    for condition, guard in _before(caller)[:_NEAR]:
        asked = [
            scene.defined(call, frame, caller.receiver)
            for call in _CALL.findall(condition.text)[:_NEAR]
        ]
        if _about(condition, names) or any(one and names & one.mentions for one in asked):
            return Check(sets, other, condition, guard)
    return None


def _by_question(scene: Scene, sets: Side, other: Side, names: set[str]) -> Check | None:
    """`if l.beats(b) { l.best = b }`: the condition calls a function that uses the variable."""
    here, site = sets.here, sets.site
    for condition, guard in _before(here)[:_NEAR] if here and site and not sets.held else ():
        for call in _CALL.findall(condition.text)[:_NEAR] if site else ():
            inner = scene.defined(call, site, here.receiver if here else "") if site else None
            if inner and names & inner.mentions and not inner.stores:
                return Check(sets, other, condition, guard)
    return None


def claims(sets: Around, condition: str) -> bool:
    """Does a line store a parameter or one of several states, rather than something created?"""
    told = _STORED.search(sets.text)
    if told is None or told[1] in _FLAGS:
        return False
    known = sets.names.get(told[1].partition(".")[0])
    return not ANY.search(condition) if known is None else known.how == "parameter"


def asked(scene: Scene) -> Check | None:
    """A check that a function makes by a call, or before a call that writes.

    `if r.free() { r.assign(guest) }`: both sides are called by that function.
    """
    name = scene.shared.name if scene.shared else ""
    for sets, other in scene.both if scene.sourced and not scene.same_function else ():
        if not sets.writes or sets.held or other.held:
            continue
        for up, (frame, seen) in enumerate(sets.way[:_NEAR]):
            if frame != sets.site and sets.here and _before(sets.here, errors=True):
                break  # another condition decides
            for at, (where, code) in enumerate(other.way[:_NEAR]):
                if (code.path, code.first) != (seen.path, seen.first) or code.line > seen.line:
                    continue
                if is_test_file(where.file) or (at == 0 and frame == sets.site):
                    continue
                if code.line == seen.line and _callee(other, at) == _callee(sets, up):
                    continue  # one call leads to both: its result is tested only afterwards
                words = _asked_by(other, at, code) if at else {name} - {""}
                for condition, guard in _before(seen, errors=at > 0):
                    if condition.line >= code.line - 1 and _asks(condition, words):
                        text = other.here.text if other.here and at else ""
                        return Check(sets, other, condition, guard, _answer(text))
    return None


def _callee(side: Side, at: int) -> str:
    """The function that a line of the call chain calls; "" for the site itself."""
    return side.way[at - 1][1].function if at else ""


def _asked_by(side: Side, at: int, code: Around) -> set[str]:
    """The names by which a condition refers to a call: the callee, or its result variables."""
    callee = _callee(side, at)
    results = [c.result for c in code.calls if c.name == callee and c.line == code.line]
    return {callee, *(word for r in results for word in re.findall(r"\w{1,80}", r))} - {"_"}


def _before(seen: Around, errors: bool = False) -> list[tuple[Condition, bool]]:
    """The conditions under which a line runs, nearest first, and whether each is a guard clause.

    Error tests count only if they test the result of a check.
    """
    inside = [(c, False) for c in reversed(seen.conditions)]
    left = [c for c in reversed(seen.guards) if errors or not _ERROR.search(c.text)]
    return inside + [(c, True) for c in left]


def _about(condition: Condition, words: set[str]) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", condition.text) for word in words)


def _asks(condition: Condition, words: set[str]) -> bool:
    """Is one of these tested itself, not passed to another call: `load(d.where())`?"""
    text = condition.text
    found = [m for w in words for m in re.finditer(rf"\b{re.escape(w)}\b", text)]
    return any(
        text[m.end() : m.end() + 1] != "(" or not _HANDED.search(text[: m.start()]) for m in found
    )


def _answer(text: str) -> str:
    """`r.guest == ""` of `func (r *Room) free() bool { return r.guest == "" }`."""
    return text.rpartition("return")[2].strip(" ;}")


def absent(scene: Scene) -> Check | None:
    """A write without a lock under a check whether it exists; the other side is elsewhere."""
    for sets, other in scene.both if scene.sourced else ():
        if not sets.writes or sets.here is None or sets.held or other.held:
            continue
        # the variable itself, or a flag that the function sets as well
        stores = {u.path for u in sets.here.stores if u.line == sets.here.line}
        stores |= {u.path for u in sets.here.stores if u.line > sets.here.line}
        # "ip = ip.To4()": a local variable stores nothing
        stores = {p for p in stores if len(p) > 1 or not _is_own(p[0], sets.here)}
        for condition in reversed(sets.here.conditions):
            text = condition.text.replace("->", ".")
            if _COUNTS.search(text):
                continue
            if claims(sets.here, text) or _walks(sets.here):
                continue
            made = Check(sets, other, condition)
            if made.is_flag or not any(".".join(path) in text for path in stores):
                continue
            if _ABSENT.search(text.strip()):
                return made
    return None


def _is_own(name: str, here: Around) -> bool:
    """Is it a local of the function around a line, outside of closures?"""
    told = here.names.get(name)
    return told is not None and told.how == "local" and not here.closures


def asks_absent(scene: Scene, frame: Frame, names: set[str]) -> Condition | None:
    """The check before a call that what the callee fills did not exist."""
    seen = scene.around(frame)
    for condition in reversed(seen.conditions) if seen else ():
        if is_absent(condition.text) and any(
            re.search(rf"\b{re.escape(name)}\b", condition.text) for name in names
        ):
            return condition
    return None


def stores_absent(scene: Scene, frame: Frame) -> Condition | None:
    """The check, in a function that creates something, that it did not exist."""
    seen = scene.around(frame)
    stores = {u.path for u in seen.stores if u.line >= seen.line} if seen else set()
    # "t, ok = q.take()": a local variable stores nothing
    stores = {p for p in stores if len(p) > 1 or (seen and p[0] not in seen.names)}
    for condition in reversed(seen.conditions) if seen else ():
        text = condition.text.replace("->", ".")
        if any(".".join(path) in text for path in stores) and _ABSENT.search(text.strip()):
            return condition
    for condition in reversed(seen.guards) if seen else ():
        text = condition.text.replace("->", ".")
        there = _PRESENT.search(text) or _BARE.match(text)
        if there and any(".".join(path) in text for path in stores):
            return condition
    return None
