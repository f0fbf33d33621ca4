"""A rule: one cause, the function that looks for it, and the fixed part of its remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.traits import ALWAYS

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.diagnose.finding import Evidence, Point
    from deadheat.diagnose.scene import Scene

# Confidence levels; docs/diagnosis.md has their precision on the corpus.
SURE = 0.95  # the detector or the code states it
STRONG = 0.85  # the mechanism is visible
LIKELY = 0.7  # the pattern of the mechanism, without proof
FAIR = 0.55  # the usual cause of this pattern
EVEN = 0.45  # about as often wrong as right on unseen programs: the general cause comes first
WEAK = 0.3  # possible: not reported unless something else supports it


class Hit(NamedTuple):
    """What a rule found in a report."""

    confidence: float
    evidence: tuple[Evidence, ...]
    change: str
    where: tuple[Point, ...] = ()
    test_only: bool = False
    from_source: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One cause. A rule knows no other rule except the more general causes that it refines."""

    cause: str
    family: str
    find: Callable[[Scene], Hit | None]
    primitive: str
    price: str
    general: tuple[str, ...] = ()  # less exact causes that also apply
    when: int = ALWAYS  # it runs if the report has one of these features
