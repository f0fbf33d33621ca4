"""A fact about a race: a statement with its evidence, tied to the raced variable or not."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import point_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.diagnosis.race_side import RaceSide
    from deadheat.model import Frame


class About(StrEnum):
    """What a fact is about."""

    RACE = ""  # the raced variable, or the report as a whole
    OTHER = "about something else"  # another variable, lock or object than the raced one
    UNKNOWN = "not known"  # whether it holds, or what it is about, is not known


class Fact(NamedTuple):
    """A statement that holds for a race. `name` is one of a fixed set; causes and weights refer to it."""

    name: str
    evidence: Evidence | None = None
    about: About = About.RACE
    side: RaceSide | None = None  # the side that it is a fact about, if it is about one
    subject: str = ""  # what the sentences of a remedy name: a lock, a call, a variable

    @property
    def feature(self) -> str:
        """The name under which the ranker weighs it."""
        return f"{self.name} ({self.about})" if self.about else self.name


def fact_at(
    name: str, frame: Frame, text: str, side: RaceSide | None = None, line: int | None = None, subject: str = ""
) -> Fact:
    """A fact whose evidence is a frame, or another line of its file."""
    return Fact(name, Evidence(text, point_of(frame, line)), side=side, subject=subject)


def fact_of_side(name: str, side: RaceSide, text: str, about: About = About.RACE, subject: str = "") -> Fact:
    """A fact whose evidence is the site of a side."""
    return Fact(name, side.evidence_at_site(text), about, side, subject)


class FactBase:
    """The facts about one race, by name."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.by_feature: dict[str, Fact] = {}
        for fact in facts:
            self.by_feature.setdefault(fact.feature, fact)

    def holds(self, name: str) -> bool:
        """Does it hold for the raced variable? A fact about something else does not."""
        return name in self.by_feature

    def get(self, name: str) -> Fact | None:
        return self.by_feature.get(name)

    def matching(self, names: Iterable[str]) -> Iterator[Fact]:
        for name in names:
            if (fact := self.by_feature.get(name)) is not None:
                yield fact

    @property
    def features(self) -> frozenset[str]:
        return frozenset(self.by_feature)
