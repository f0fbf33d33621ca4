"""A report as rules see it: both sides, and the code around them if it is available."""

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

# kinds that are races; the other kinds name their own defect
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
# limits per report; no real report needs as many
_PLACES, _CALLED = 96, 64
GO = ("go", "go-fatal", "go-error")
_KERNEL = ("kcsan",)


@lru_cache(maxsize=64)
def _parent(detector: str) -> Callable[[str], str]:
    try:
        return registry.dialect(detector).symbols.parent
    except StopIteration:  # a report of an unknown detector
        return str


class Scene:
    """One report with its two sides."""

    def __init__(
        self, report: Report, source: Source | None = None, supposed: bool = False
    ) -> None:
        self.report, self.source = report, source
        self.supposed = supposed  # one side is inferred, and so are its locks
        self.go = report.detector in GO
        self.kernel = report.detector in _KERNEL
        # maps a frame's function to the function in the source: a closure to its parent
        self.parent = _parent(report.detector)
        accesses = known(report) if source is None else report.accesses[:2]
        self.sides = sides = tuple([Side(self, access) for access in accesses])
        # both sides in either order; empty if one is missing
        self.both = (sides, (sides[1], sides[0])) if len(sides) == 2 else ()
        self.memo: dict[object, Any] = {}  # results that several rules share
        self._around: dict[tuple[str, int | None, str], Around | None] = {}
        self._defined: dict[tuple[str, str, str], Around | None] = {}
        self._sourced = None if source is not None else False
        self._shared: Shared | None = None
        self._looked = source is None
        self._what: str | None = None

    def close(self) -> None:
        """Drop references: the context and its sides refer to each other and would stay in memory."""
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
        """The function of that bare name that is called near a frame, if it is unambiguous."""
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
        """The raced variable, as far as the code names it."""
        if not self._looked and self.source is not None:
            self._shared = self.source.shared() or self._member
            self._looked = True
        return self._shared

    @property
    def _member(self) -> Shared | None:
        """The class member that both C++ lines name without an object."""
        if self.go or not self.sourced or len(self.sides) < 2:
            return None
        a, b = [_members(side.here) for side in self.sides]
        names = sorted(set(a) & set(b))
        return Shared(names[0], "field", a[names[0]], sure=False) if len(names) == 1 else None

    @property
    def sourced(self) -> bool:
        """Is the code of both racing lines available?"""
        if self._sourced is None:
            self._sourced = bool(self.sides) and all(side.here for side in self.sides)
        return self._sourced

    @property
    def what(self) -> str:
        """The variable, as the remedy names it."""
        if self._what is None:
            location = self.report.location
            name = self.shared or (location.name if location else None)
            self._what = f"`{name}`" if name else "the variable"
        return self._what

    @property
    def points(self) -> tuple[Point, ...]:
        """The locations to change: both sites; for one in a library, where its goroutine started."""
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
    """Names that a line of a method uses and its function does not declare, with the class."""
    if here is None or not here.receiver:
        return {}
    called = {c.name for c in here.calls}
    used = [u.name for u in here.uses if len(u.path) == 1 and u.name not in here.names]
    return {name: here.receiver for name in used if name not in called}


def calls_between(report: Report) -> bool:
    """Do the offsets show a call between the read and the write of one line?"""
    return any(name == "one line" for name, _ in report.facts)
