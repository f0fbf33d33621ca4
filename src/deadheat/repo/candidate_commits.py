"""A commit that may have fixed or introduced a race, with the reasons and a score."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deadheat.repo.commit_messages import DATA_RACE_PHRASE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.repo.commit_messages import CommitMessage

MIN_CERTAIN_SCORE = 0.8
MAX_NEAR_DISTANCE = 30
_MAX_DOUBTED_POINTS = 3.0


@dataclass(slots=True)
class CandidateCommit:
    """A commit with the reasons that it fixed or introduced the race."""

    commit: str
    subject: str
    time: int
    points: float = 0.0
    why: list[str] = field(default_factory=list)
    in_file: bool = False  # changes a file of the report
    in_function: bool = False  # changes a function of the report
    mentions_race: bool = False  # the message mentions races or synchronization
    names_data_race: bool = False  # the message says "data race"
    in_racing_function: bool = False  # changes a racing function
    closes_issue: bool = False  # closes the issue of the report
    quotes_report: bool = False  # the message contains this report
    on_variable: bool = False
    position: int = 0
    distance: int = 0

    def add_reason(self, points: float, why: str) -> None:
        """Add points for a reason. The same reason counts once."""
        if why not in self.why:
            self.points += points
            self.why.append(why)

    def limit_points(self) -> CandidateCommit:
        """Limit the points of a candidate that only its distance and message support."""
        self.points = min(self.points, _MAX_DOUBTED_POINTS)
        return self

    @property
    def is_convincing(self) -> bool:
        """Whether the commit is about a race, and about this one."""
        is_near = self.on_variable or self.distance <= MAX_NEAR_DISTANCE
        return self.closes_issue or self.quotes_report or (self.mentions_race and self.in_function and is_near)

    @property
    def score(self) -> float:
        return round(1 - math.exp(-self.points / 4), 2)


def score_message(
    commit: str, message: CommitMessage, identifiers: list[tuple[str, str]], issues: Sequence[str]
) -> CandidateCommit:
    """Score the message of a commit."""
    candidate = CandidateCommit(commit, message.subject, message.time)
    closed = message.closed_issues
    issue = next((each for each in issues if re.search(rf"(?:#|issues/){re.escape(each)}\b", message.text)), None)
    if issue is not None:
        candidate.on_variable, candidate.closes_issue = True, issue in closed
        candidate.add_reason(9.0 if issue in closed else 4.0, f"names #{issue}")
    elif issues and closed:
        candidate.add_reason(-3.0, f"closes another issue, #{closed[0]}")
    candidate.mentions_race = message.is_race_related or issue is not None
    candidate.names_data_race = message.names_data_race
    if message.names_data_race:
        points = 2.5 if DATA_RACE_PHRASE.search(message.subject) else 1.5
        candidate.add_reason(points, "says that it is about a data race")
    elif message.is_race_related:
        candidate.add_reason(1.5, "mentions synchronization")
    # "data race" does not name a variable "data"
    text = DATA_RACE_PHRASE.sub(" ", message.text) if message.names_data_race else message.text
    for identifier, role in identifiers:
        if identifier in text and re.search(rf"(?<!\w){re.escape(identifier)}(?!\w)", text):
            candidate.add_reason(1.2 if _is_distinctive(identifier) else 0.3, f"names the {role} {identifier}")
    return candidate


def _is_distinctive(word: str) -> bool:
    """Whether a name is not a common word: `cancelFunc`, not `Close`."""
    return len(word) > 5 and any(c.isupper() for c in word[1:])


def score_distance(candidate: CandidateCommit, position: int, window_position: int) -> None:
    """Add points for a short distance: most races are fixed soon after the report."""
    distance = max(0, position - window_position)
    candidate.position, candidate.distance = position, distance
    bonus = 2.5 * math.exp(-distance / 200)
    if bonus > 0.2:
        texts = {0: "in the window", 1: "the next commit after the window"}
        candidate.add_reason(bonus, texts.get(distance, f"{distance} commits after the window"))


def combine_scores(candidate: CandidateCommit) -> None:
    """Adjust the points by the combination of message and change."""
    if candidate.mentions_race and candidate.in_function:
        candidate.add_reason(1.5, "mentions a race and changes a function of the report")
    elif not candidate.mentions_race:
        candidate.points *= 0.6  # changes the same code but does not mention a race
    is_about_it = candidate.on_variable or candidate.quotes_report
    if not is_about_it and candidate.distance > MAX_NEAR_DISTANCE:
        candidate.points = min(candidate.points, 5.0)


def rank_candidates(candidates: list[CandidateCommit]) -> list[CandidateCommit]:
    """Sort by points; the earliest of the convincing candidates comes first."""
    candidates.sort(key=lambda each: -each.points)
    if not candidates:
        return []
    best = [each for each in candidates if each.is_convincing and each.points >= 0.75 * candidates[0].points]
    best.sort(key=lambda each: (not each.quotes_report, each.distance))
    return best + [each for each in candidates if each not in best]
