"""Does one side check what the other sets, in one function? For the rules about publication."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.scene import last, words
from deadheat.diagnose.vocabulary import CHANGING, GROWING, KEYED, LAZY

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene, Side
    from deadheat.diagnose.source import Condition
    from deadheat.model import Frame

# "c.conn == nil", "!s.ready", "len(m) == 0", "p == NULL", "instance == nullptr", "!cache",
# "x.is_none()", "table_.empty()"
_ABSENT = re.compile(
    r"==\s*(?:nil|NULL|nullptr|0\b|\"\"|false)|(?:nil|NULL|nullptr)\s*=="
    r"|^\(?!\s*[\w.>()-]+\)?$|is_none|^\(?[\w.>-]{1,80}\.empty\(\)\)?$|!\s*ok\b|; !\w+$"
)
# "c.conn != nil", as in "if c.conn != nil { return c.conn }"
_PRESENT = re.compile(r"!=\s*(?:nil|NULL|nullptr)|(?:nil|NULL|nullptr)\s*!=|is_some")
# "err != nil": what was tried before, and no state
_ERROR = re.compile(r"\b\w{0,40}[eE]rr(?:or)?\b")
# "--refs == 0": what the condition itself changes is counted, not looked for
_COUNTS = re.compile(r"\+\+|--")
_FILLING = GROWING | KEYED
_LEAVES = 3
SPAN = 6  # lines between a check and what depends on it


class Check(NamedTuple):
    """A side that sets, the other that checks or sets as well, and the condition if it is known."""

    sets: Side
    other: Side
    condition: Condition | None = None
    guard: bool = False  # the condition would have left the function

    @property
    def told(self) -> str:
        """`if c.conn == nil`, `switch (x->state)`, as evidence has it."""
        text = self.condition.text[:60] if self.condition else ""
        return text if text.startswith(("switch ", "case ")) else f"if {text}"

    @property
    def absent(self) -> bool:
        """Is it checked whether the thing is there at all?"""
        told = self.condition.text if self.condition else ""
        return is_present(told) if self.guard else is_absent(told)


def is_absent(condition: str) -> bool:
    """Does a condition ask whether something is not there yet?"""
    told = condition.strip()
    return bool(_ABSENT.search(told)) and not _COUNTS.search(told)


def is_present(condition: str) -> bool:
    """Does a condition ask whether something is there already?"""
    return bool(_PRESENT.search(condition))


def check(scene: Scene) -> Check | None:
    """The check that the code shows before the write: its condition names what is raced for."""
    for sets, other in scene.both if scene.sourced else ():
        if not sets.writes or sets.here is None or not scene.same_function:
            continue
        names = {u.name for u in sets.here.uses if u.writes}
        names |= {scene.shared.name} if scene.shared else set()
        for condition in reversed(sets.here.conditions):
            if any(re.search(rf"\b{re.escape(name)}\b", condition.text) for name in names):
                return Check(sets, other, condition)
        for condition in reversed(sets.here.guards):
            if not _ERROR.search(condition.text) and any(
                re.search(rf"\b{re.escape(name)}\b", condition.text) for name in names
            ):
                return Check(sets, other, condition, guard=True)
    return None


def absent(scene: Scene) -> Check | None:
    """A write under a check whether it is there already, without a lock; the other side is elsewhere."""
    for sets, other in scene.both if scene.sourced else ():
        if not sets.writes or sets.here is None or sets.held or other.held:
            continue
        # the thing itself, or a flag beside it that the function sets as well
        stores = {u.path for u in sets.here.stores if u.line == sets.here.line}
        stores |= {u.path for u in sets.here.stores if u.line > sets.here.line}
        for condition in reversed(sets.here.conditions):
            text = condition.text.replace("->", ".")
            if _COUNTS.search(text):
                continue
            if any(".".join(path) in text for path in stores) and _ABSENT.search(text.strip()):
                return Check(sets, other, condition)
    return None


def asks_absent(scene: Scene, frame: Frame, names: set[str]) -> Condition | None:
    """The check on the way to a call that what the callee fills was not there before."""
    seen = scene.around(frame)
    for condition in reversed(seen.conditions) if seen else ():
        if is_absent(condition.text) and any(
            re.search(rf"\b{re.escape(name)}\b", condition.text) for name in names
        ):
            return condition
    return None


def stores_absent(scene: Scene, frame: Frame) -> Condition | None:
    """The check, in a function that made something, that there was no such thing before."""
    seen = scene.around(frame)
    stores = {u.path for u in seen.stores if u.line >= seen.line} if seen else set()
    for condition in reversed(seen.conditions) if seen else ():
        text = condition.text.replace("->", ".")
        if any(".".join(path) in text for path in stores) and _ABSENT.search(text.strip()):
            return condition
    for condition in reversed(seen.guards) if seen else ():
        text = condition.text.replace("->", ".")
        if any(".".join(path) in text for path in stores) and _PRESENT.search(text):
            return condition
    return None


def is_close(found: Check) -> bool:
    """Is the write in the block that the check opens? One that leaves the function needs three lines."""
    return (found.sets.point.line or 0) - (found.other.point.line or 0) < _LEAVES


def likely(scene: Scene) -> Check | None:
    """One function in two actors: one reads, and the other writes a line or two further down."""
    if Check not in scene.memo:
        scene.memo[Check] = _likely(scene)
    found: Check | None = scene.memo[Check]
    return found


def _likely(scene: Scene) -> Check | None:
    if not scene.same_function or scene.sourced:
        return None
    for sets, other in scene.both:
        if not sets.writes or not sets.site or not other.site or sets.closure:
            continue
        if verb(sets.name) in _FILLING:
            continue  # reads where a container ends, and writes there
        down = (sets.site.line or 0) - (other.site.line or 0)
        # two lines further down stands what gives it back: `}` is between them
        near = 0 < down <= SPAN or down == -2 or (-SPAN <= down < 0 and is_lazy(sets.name))
        if sets.site.file == other.site.file and near and not other.writes:
            return Check(sets, other)
    return None


def is_changing(name: str) -> bool:
    """Is a function called as if it changed something that is already there?"""
    return verb(name) in CHANGING


@lru_cache(maxsize=1 << 12)
def is_lazy(name: str) -> bool:
    """Is a function called as if it made something at first use?"""
    told = words(name)
    return bool(told) and (verb(name) in LAZY or "lazy" in told or "once" in told)


@lru_cache(maxsize=1 << 12)
def verb(name: str) -> str:
    """What a function is called to do: its first word, in C often the last (`ring_put`)."""
    told = words(name)
    if not told:
        return ""
    return told[-1] if "_" in last(name) and told[0] not in LAZY | CHANGING else told[0]
