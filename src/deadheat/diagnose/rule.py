"""What a rule is: a cause, a look at a scene, and what never changes about its remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.traits import ALWAYS

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.diagnose.finding import Evidence, Point
    from deadheat.diagnose.scene import Scene

# How sure a rule is; what these have been worth on the corpus stands in docs/diagnosis.md.
SURE = 0.95  # the detector or the code says so itself
STRONG = 0.85  # the mechanism is in plain sight
LIKELY = 0.7  # the shape of the mechanism, without its proof
FAIR = 0.55  # the usual reason for this shape
EVEN = 0.45  # about as often wrong as right on unseen programs: the general cause goes first
WEAK = 0.3  # possible: not said aloud unless something else supports it


class Hit(NamedTuple):
    """What a rule found in a scene."""

    confidence: float
    evidence: tuple[Evidence, ...]
    change: str
    where: tuple[Point, ...] = ()
    test_only: bool = False
    from_source: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One cause. Rules know nothing of each other but the more general cause that they refine."""

    cause: str
    family: str
    find: Callable[[Scene], Hit | None]
    primitive: str
    price: str
    general: tuple[str, ...] = ()  # what is not wrong to say, only less exact
    when: int = ALWAYS  # it is asked where the report has one of these traits
