"""A report as the collectors of facts see it: both sides, and the code around them if it is available."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from deadheat import plugins
from deadheat.diagnosis.facts.function_names import is_same_function
from deadheat.diagnosis.inferred_access import known_accesses
from deadheat.diagnosis.race_side import RaceSide, point_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.diagnosis.facts.code_facts import CodeReader, FunctionFacts, SharedVariable
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
        self.is_kernel = report.detector == "kcsan"
        # maps a frame's function to the function in the source: a closure to its parent
        self.enclosing_function = _enclosing_function_lookup(report.detector)
        accesses = known_accesses(report) if source is None else report.accesses[:2]
        self.race_sides = race_sides = tuple([RaceSide(self, access) for access in accesses])
        # both sides in either order; empty if one is missing
        self.side_pairs = (race_sides, (race_sides[1], race_sides[0])) if len(race_sides) == 2 else ()
        # every order in which the first side writes; both orders if both write or no operation is known
        self.role_pairs = tuple([pair for pair in self.side_pairs if pair[0].writes]) or self.side_pairs
        self.in_same_function = len(race_sides) == 2 and is_same_function(*[side.function for side in race_sides])
        self.cache: dict[object, Any] = {}  # results that several collectors share
        self._facts_by_frame: dict[tuple[str, int | None, str], FunctionFacts | None] = {}
        self._facts_by_name: dict[tuple[str, str, str], FunctionFacts | None] = {}

    def release_references(self) -> None:
        """Drop references: the context and its sides refer to each other and would stay in memory."""
        self.race_sides = ()
        self.side_pairs = self.role_pairs = ()
        self.cache.clear()

    def function_at(self, frame: Frame, line: int | None = None) -> FunctionFacts | None:
        """The facts about a frame's function at the frame's line, or at another line of it."""
        if self.source is None:
            return None
        if line is not None:
            frame = frame._replace(line=line)
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
        if self.source is None:
            return None
        if "variable" not in self.cache:
            self.cache["variable"] = self.source.shared_variable()
        variable: SharedVariable | None = self.cache["variable"]
        return variable

    @property
    def variable_name(self) -> str:
        """The bare name of the raced variable; "" if the code does not name it."""
        return self.shared_variable.name if self.shared_variable else ""

    @property
    def only_known_side(self) -> RaceSide | None:
        """The side that has a site, if the other has none."""
        known_sides = [side for side in self.race_sides if side.site]
        return known_sides[0] if len(known_sides) == 1 else None

    @property
    def has_code(self) -> bool:
        """Is the code of both racing lines available?"""
        return self.source is not None and bool(self.race_sides) and all(side.site_facts for side in self.race_sides)

    @property
    def variable_label(self) -> str:
        """The variable, as the remedy names it."""
        location = self.report.location
        name = self.shared_variable or (location.name if location else None)
        return f"`{name}`" if name else "the variable"

    @property
    def change_points(self) -> tuple[CodePoint, ...]:
        """The locations to change: both sites; for one in a library, where its goroutine started."""
        known_sides = [side for side in self.race_sides if side.site]
        starts = [side.start_frame if side.has_no_user_code else side.site for side in known_sides]
        found = [point_of(frame) for frame in starts if frame]
        return tuple(found or [side.point for side in known_sides])


Fact = TypeVar("Fact")


def once_per_report(find: Callable[[RaceContext], Fact]) -> Callable[[RaceContext], Fact]:
    """Compute a result for a report once: several collectors use it."""

    def find_cached(context: RaceContext) -> Fact:
        try:
            fact: Fact = context.cache[find_cached]
        except KeyError:
            fact = context.cache[find_cached] = find(context)
        return fact

    return find_cached
