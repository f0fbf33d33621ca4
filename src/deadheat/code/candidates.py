"""A commit that may have fixed or introduced a race, with the reasons and a score."""

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
    """A commit with the reasons that it fixed or introduced the race."""

    commit: str
    subject: str
    time: int
    points: float = 0.0
    why: list[str] = field(default_factory=list)
    in_file: bool = False  # changes a file of the report
    in_function: bool = False  # changes a function of the report
    racy: bool = False  # the message mentions races or synchronization
    outspoken: bool = False  # the message says "data race"
    in_racing: bool = False  # changes a racing function
    closes: bool = False  # closes the issue of the report
    quotes: bool = False  # the message contains this report
    on_variable: bool = False
    place: int = 0
    distance: int = 0

    def gain(self, points: float, why: str) -> None:
        """Add points for a reason. The same reason counts once."""
        if why not in self.why:
            self.points += points
            self.why.append(why)

    def doubted(self) -> Candidate:
        """Limit the points of a candidate that only its distance and message support."""
        self.points = min(self.points, _DOUBTED)
        return self

    @property
    def is_convincing(self) -> bool:
        """Whether the commit is about a race, and about this one."""
        near = self.on_variable or self.distance <= SOON
        return self.closes or self.quotes or (self.racy and self.in_function and near)

    @property
    def score(self) -> float:
        return round(1 - math.exp(-self.points / 4), 2)


def spoken(
    commit: str, message: Message, words: list[tuple[str, str]], issues: Sequence[str]
) -> Candidate:
    """Score the message of a commit."""
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
        candidate.gain(1.5, "mentions synchronization")
    # "data race" does not name a variable "data"
    said = RACE.sub(" ", message.text) if message.names_race else message.text
    for word, what in words:
        if word in said and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said):
            candidate.gain(1.2 if _is_telling(word) else 0.3, f"names the {what} {word}")
    return candidate


def _is_telling(word: str) -> bool:
    """Whether a name is not a common word: `cancelFunc`, not `Close`."""
    return len(word) > 5 and any(c.isupper() for c in word[1:])


def timely(candidate: Candidate, place: int, at: int) -> None:
    """Add points for a short distance: most races are fixed soon after the report."""
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
    """Adjust the points by the combination of message and change."""
    if candidate.racy and candidate.in_function:
        candidate.gain(1.5, "mentions a race and changes a function of the report")
    elif not candidate.racy:
        candidate.points *= 0.6  # changes the same code but does not mention a race
    is_about_it = candidate.on_variable or candidate.quotes
    if not is_about_it and candidate.distance > SOON:
        candidate.points = min(candidate.points, 5.0)


def ranked(found: list[Candidate]) -> list[Candidate]:
    """Sort by points; the earliest of the convincing candidates comes first."""
    found.sort(key=lambda c: -c.points)
    if not found:
        return []
    top = [c for c in found if c.is_convincing and c.points >= 0.75 * found[0].points]
    top.sort(key=lambda c: (not c.quotes, c.distance))
    return top + [c for c in found if c not in top]
