"""A commit that may have mended or brought a race: what speaks for it, and how much."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deadheat.code.words import RACE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.code.words import Message

SURE = 0.8
SOON = 30
_DOUBTED = 3.0


@dataclass(slots=True)
class Candidate:
    """A commit, what speaks for it, and how much."""

    commit: str
    subject: str
    time: int
    points: float = 0.0
    why: list[str] = field(default_factory=list)
    in_file: bool = False  # does it change a file of the report, a function of it,
    in_function: bool = False
    racy: bool = False
    outspoken: bool = False  # it calls the thing a data race
    in_racing: bool = False  # a racing one?
    closes: bool = False  # it says that it closes the issue that the report is in
    quotes: bool = False  # its message holds this very report
    on_variable: bool = False
    place: int = 0
    distance: int = 0

    def gain(self, points: float, why: str) -> None:
        """A reason counts once, however often it holds."""
        if why not in self.why:
            self.points += points
            self.why.append(why)

    def doubted(self) -> Candidate:
        """The candidate, as one that nothing but its nearness and its words speak for."""
        self.points = min(self.points, _DOUBTED)
        return self

    @property
    def is_convincing(self) -> bool:
        """Does it speak of a race, and is it about this one?"""
        near = self.on_variable or self.distance <= SOON
        return self.closes or self.quotes or (self.racy and self.in_function and near)

    @property
    def score(self) -> float:
        return round(1 - math.exp(-self.points / 4), 2)


def spoken(
    commit: str, message: Message, words: list[tuple[str, str]], issues: Sequence[str]
) -> Candidate:
    """What a commit says about itself."""
    candidate = Candidate(commit, message.subject, message.time)
    closed = message.closed
    issue = next(
        (i for i in issues if re.search(rf"(?:#|issues/){re.escape(i)}\b", message.text)), None
    )
    if issue is not None:
        candidate.on_variable, candidate.closes = True, issue in closed
        candidate.gain(9.0 if issue in closed else 4.0, f"names #{issue}")
    elif issues and closed:
        candidate.gain(-3.0, f"closes another issue, #{closed[0]}")
    candidate.racy = message.is_racy or issue is not None
    candidate.outspoken = message.names_race
    if message.names_race:
        candidate.gain(
            2.5 if RACE.search(message.subject) else 1.5, "says that it is about a data race"
        )
    elif message.is_racy:
        candidate.gain(1.5, "speaks of synchronisation")
    # "data race" names no variable that is called data
    said = RACE.sub(" ", message.text) if message.names_race else message.text
    for word, what in words:
        if word in said and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said):
            candidate.gain(1.2 if _is_telling(word) else 0.3, f"names the {what} {word}")
    return candidate


def _is_telling(word: str) -> bool:
    """Is a name more than an everyday word? `cancelFunc`, not `Close`."""
    return len(word) > 5 and any(c.isupper() for c in word[1:])


def timely(candidate: Candidate, place: int, at: int) -> None:
    """Most races are mended soon after they are reported."""
    distance = max(0, place - at)
    candidate.place, candidate.distance = place, distance
    near = 2.5 * math.exp(-distance / 200)
    if near > 0.2:
        candidate.gain(
            near,
            "in the window"
            if not distance
            else "the next commit after the window"
            if distance == 1
            else f"{distance} commits after the window",
        )


def settle(candidate: Candidate) -> None:
    """What words and deeds are worth together."""
    if candidate.racy and candidate.in_function:
        candidate.gain(1.5, "does so in a function of the report")
    elif not candidate.racy:
        candidate.points *= 0.6  # a change of the same code that does not speak of a race
    is_about_it = candidate.on_variable or candidate.quotes
    if not is_about_it and candidate.distance > SOON:
        candidate.points = min(candidate.points, 5.0)


def ranked(found: list[Candidate]) -> list[Candidate]:
    """By points; among the convincing the first, since what is mended cannot be mended again."""
    found.sort(key=lambda c: -c.points)
    if not found:
        return []
    top = [c for c in found if c.is_convincing and c.points >= 0.75 * found[0].points]
    top.sort(key=lambda c: (not c.quotes, c.distance))
    return top + [c for c in found if c not in top]
