"""A report as rules see it: its two sides, and the code around them where it is at hand."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deadheat import registry
from deadheat.diagnose.bounds import known
from deadheat.diagnose.naming import is_same
from deadheat.diagnose.side import Side, point
from deadheat.diagnose.source import Shared

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.diagnose.finding import Point
    from deadheat.diagnose.source import Around, Source
    from deadheat.model import Frame, Report

# what detectors call a race; whatever else they report names its own defect
RACES = frozenset(
    (
        "data-race",
        "data-race-on-vptr",
        "data-race-on-swift-object",
        "race-on-external-object",
        "use-after-free",
        "use-after-free-on-vptr",
        "assert-race",
        "mixed-size-race",
        "concurrent-map",
        "waitgroup-misuse",
        "error-stack",
    )
)
# places and functions that are looked up for one report; no report of a program needs as many
_PLACES, _CALLED = 96, 64
GO = ("go", "go-fatal", "go-error")
_KERNEL = ("kcsan",)


@lru_cache(maxsize=64)
def _parent(detector: str) -> Callable[[str], str]:
    try:
        return registry.dialect(detector).symbols.parent
    except StopIteration:  # a report from elsewhere, of a detector that nobody here knows
        return str


class Scene:
    """One report with its two sides."""

    def __init__(
        self, report: Report, source: Source | None = None, supposed: bool = False
    ) -> None:
        self.report, self.source = report, source
        self.supposed = supposed  # one side is no word of the detector's: nor are its locks
        self.go = report.detector in GO
        self.kernel = report.detector in _KERNEL
        # the function that a programmer wrote, of a frame's
        self.parent = _parent(report.detector)
        accesses = known(report) if source is None else report.accesses[:2]
        self.sides = sides = tuple([Side(self, access) for access in accesses])
        # the two sides either way round; none where one is missing
        self.both = (sides, (sides[1], sides[0])) if len(sides) == 2 else ()
        self.memo: dict[object, Any] = {}  # what more than one rule asks, answered once
        self._around: dict[tuple[str, int | None, str], Around | None] = {}
        self._defined: dict[tuple[str, str, str], Around | None] = {}
        # is the code of both racing lines at hand, and what variable does it name? None: not asked yet
        self._sourced = None if source is not None else False
        self._shared: Shared | None = None
        self._looked = source is None
        self._what: str | None = None

    def close(self) -> None:
        """Nobody will ask any more: a scene and its sides hold each other, and would stay in memory."""
        self.sides = ()
        self.both = ()
        self.memo.clear()

    def around(self, frame: Frame) -> Around | None:
        if self.source is None:
            return None
        key = (frame.file, frame.line, frame.function)
        if key not in self._around:
            if len(self._around) >= _PLACES:
                return None
            self._around[key] = self.source.around(frame)
        return self._around[key]

    def defined(self, name: str, beside: Frame, owner: str = "") -> Around | None:
        """The function of that bare name that is called near a frame, if there is one to be sure of."""
        if self.source is None:
            return None
        key = (name, beside.file, owner)
        if key not in self._defined:
            if len(self._defined) >= _CALLED:
                return None
            self._defined[key] = self.source.defined(name, beside, owner)
        return self._defined[key]

    @property
    def shared(self) -> Shared | None:
        """The variable that is raced for, as far as the code names it."""
        if not self._looked and self.source is not None:
            self._shared = self.source.shared() or self._member
            self._looked = True
        return self._shared

    @property
    def _member(self) -> Shared | None:
        """The member of their class that both lines of C++ name without an object."""
        if self.go or not self.sourced or len(self.sides) < 2:
            return None
        a, b = [_members(side.here) for side in self.sides]
        names = sorted(set(a) & set(b))
        return Shared(names[0], "field", a[names[0]], sure=False) if len(names) == 1 else None

    @property
    def sourced(self) -> bool:
        """Is the code of both racing lines at hand?"""
        if self._sourced is None:
            self._sourced = bool(self.sides) and all(side.here for side in self.sides)
        return self._sourced

    @property
    def what(self) -> str:
        """The variable as the remedy calls it."""
        if self._what is None:
            location = self.report.location
            name = self.shared or (location.name if location else None)
            self._what = f"`{name}`" if name else "the variable"
        return self._what

    @property
    def points(self) -> tuple[Point, ...]:
        """The places to change: the two sites; of one in a library, where its goroutine was started."""
        found = [
            point(side.creator) if side.is_foreign and side.creator else side.point
            for side in self.sides
            if side.site and (side.creator or not side.is_foreign)
        ]
        return tuple(found or [side.point for side in self.sides if side.site])

    @property
    def same_function(self) -> bool:
        return len(self.sides) > 1 and is_same(self.sides[0].name, self.sides[1].name)


def _members(here: Around | None) -> dict[str, str]:
    """What a line of a method touches that its function does not declare, with the class."""
    if here is None or not here.receiver:
        return {}
    called = {c.name for c in here.calls}
    used = [u.name for u in here.uses if len(u.path) == 1 and u.name not in here.names]
    return {name: here.receiver for name in used if name not in called}


def calls_between(report: Report) -> bool:
    """Is something called between the read and the write of one line, by their offsets?"""
    return any(name == "one line" for name, _ in report.facts)
