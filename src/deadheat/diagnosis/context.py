"""A report as rules see it: both sides, and the code around them if it is available."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deadheat import plugins
from deadheat.diagnosis.facts.code_facts import SharedVariable
from deadheat.diagnosis.facts.function_names import is_same_function
from deadheat.diagnosis.inferred_access import known_accesses
from deadheat.diagnosis.race_side import RaceSide, point_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.diagnosis.facts.code_facts import CodeReader, FunctionFacts
    from deadheat.diagnosis.finding import CodePoint
    from deadheat.model import Frame, Report

# kinds that are races; the other kinds name their own defect
RACE_KINDS = frozenset(
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
_MAX_FRAMES_LOOKED_UP, _MAX_FUNCTIONS_LOOKED_UP = 96, 64
GO_DETECTORS = ("go", "go-fatal", "go-error")
_KERNEL_DETECTORS = ("kcsan",)


@lru_cache(maxsize=64)
def _enclosing_function_lookup(detector: str) -> Callable[[str], str]:
    try:
        return plugins.detector_named(detector).symbols.source_function
    except StopIteration:  # a report of an unknown detector
        return str


class RaceContext:
    """One report with its two sides."""

    def __init__(self, report: Report, source: CodeReader | None = None, inferred: bool = False) -> None:
        self.report, self.source = report, source
        self.is_inferred = inferred  # one side is inferred, and so are its locks
        self.is_go = report.detector in GO_DETECTORS
        self.is_kernel = report.detector in _KERNEL_DETECTORS
        # maps a frame's function to the function in the source: a closure to its parent
        self.enclosing_function = _enclosing_function_lookup(report.detector)
        accesses = known_accesses(report) if source is None else report.accesses[:2]
        self.race_sides = race_sides = tuple([RaceSide(self, access) for access in accesses])
        # both sides in either order; empty if one is missing
        self.side_pairs = (race_sides, (race_sides[1], race_sides[0])) if len(race_sides) == 2 else ()
        self.cache: dict[object, Any] = {}  # results that several rules share
        self._facts_by_frame: dict[tuple[str, int | None, str], FunctionFacts | None] = {}
        self._facts_by_name: dict[tuple[str, str, str], FunctionFacts | None] = {}
        self._has_code = None if source is not None else False
        self._shared_variable: SharedVariable | None = None
        self._is_variable_known = source is None
        self._variable_label: str | None = None

    def release_references(self) -> None:
        """Drop references: the context and its sides refer to each other and would stay in memory."""
        self.race_sides = ()
        self.side_pairs = ()
        self.cache.clear()

    def function_at(self, frame: Frame) -> FunctionFacts | None:
        if self.source is None:
            return None
        key = (frame.file, frame.line, frame.function)
        if key not in self._facts_by_frame:
            if len(self._facts_by_frame) >= _MAX_FRAMES_LOOKED_UP:
                return None
            self._facts_by_frame[key] = self.source.function_at(frame)
        return self._facts_by_frame[key]

    def find_function(self, name: str, near_frame: Frame, owner: str = "") -> FunctionFacts | None:
        """The function of that bare name that is called near a frame, if it is unambiguous."""
        if self.source is None:
            return None
        key = (name, near_frame.file, owner)
        if key not in self._facts_by_name:
            if len(self._facts_by_name) >= _MAX_FUNCTIONS_LOOKED_UP:
                return None
            self._facts_by_name[key] = self.source.find_function(name, near_frame, owner)
        return self._facts_by_name[key]

    @property
    def shared_variable(self) -> SharedVariable | None:
        """The raced variable, as far as the code names it."""
        if not self._is_variable_known and self.source is not None:
            self._shared_variable = self.source.shared_variable() or self._common_member
            self._is_variable_known = True
        return self._shared_variable

    @property
    def _common_member(self) -> SharedVariable | None:
        """The class member that both C++ lines name without an object."""
        if self.is_go or not self.has_code or len(self.race_sides) < 2:
            return None
        a, b = [_undeclared_members(side.site_facts) for side in self.race_sides]
        names = sorted(set(a) & set(b))
        return SharedVariable(names[0], "field", a[names[0]], is_certain=False) if len(names) == 1 else None

    @property
    def has_code(self) -> bool:
        """Is the code of both racing lines available?"""
        if self._has_code is None:
            self._has_code = bool(self.race_sides) and all(side.site_facts for side in self.race_sides)
        return self._has_code

    @property
    def variable_label(self) -> str:
        """The variable, as the remedy names it."""
        if self._variable_label is None:
            location = self.report.location
            name = self.shared_variable or (location.name if location else None)
            self._variable_label = f"`{name}`" if name else "the variable"
        return self._variable_label

    @property
    def change_points(self) -> tuple[CodePoint, ...]:
        """The locations to change: both sites; for one in a library, where its goroutine started."""
        found = [
            point_of(side.start_frame) if side.has_no_user_code and side.start_frame else side.point
            for side in self.race_sides
            if side.site and (side.start_frame or not side.has_no_user_code)
        ]
        return tuple(found or [side.point for side in self.race_sides if side.site])

    @property
    def in_same_function(self) -> bool:
        return len(self.race_sides) > 1 and is_same_function(self.race_sides[0].function, self.race_sides[1].function)


def _undeclared_members(here: FunctionFacts | None) -> dict[str, str]:
    """Names that a line of a method uses and its function does not declare, with the class."""
    if here is None or not here.receiver:
        return {}
    called_names = {c.name for c in here.calls}
    used = [u.name for u in here.uses if len(u.path) == 1 and u.name not in here.declarations]
    return {name: here.receiver for name in used if name not in called_names}


def reports_call_within_line(report: Report) -> bool:
    """Do the offsets show a call between the read and the write of one line?"""
    return any(name == "one line" for name, _ in report.facts)
