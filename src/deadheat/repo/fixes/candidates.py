"""Commits that may have fixed a race, with reasons and a score."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deadheat.repo.git.messages import DATA_RACE_PHRASE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.repo.clone import Clone
    from deadheat.repo.git.messages import CommitMessage

MIN_CERTAIN_SCORE = 0.8
MAX_NEAR_DISTANCE = 30
_MAX_DOUBTED_POINTS = 3.0
# the most that a commit gets that neither closes the issue nor quotes the report: a score below 0.9
_MAX_UNCONFIRMED_POINTS = 8.5
# the same if the window is later than the commit, or if the message is only about locks
_MAX_DOUBTFUL_POINTS = 6.0
# the most for a message about something else; about a race, or only about locks, that nothing ties to this one
_MAX_SILENT_POINTS, _MAX_UNRELATED_POINTS, _MAX_SYNCHRONIZATION_POINTS = 4.9, 5.0, 4.5


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
    names_race: bool = False  # it mentions a race, not only locks
    in_racing_function: bool = False  # changes a racing function
    names_function: bool = False  # the message names a function of the report
    names_issue: bool = False  # names the issue of the report
    closes_issue: bool = False
    quotes_report: bool = False  # the message contains this report
    on_variable: bool = False
    adds_synchronization: bool = False
    position: int = 0
    distance: int = 0
    before_window: bool = False

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
    def is_confirmed(self) -> bool:
        """Whether its message says that it is about this race."""
        return self.closes_issue or self.quotes_report

    @property
    def is_guarded(self) -> bool:
        """Whether it adds synchronization to a racing function."""
        return self.adds_synchronization and self.in_racing_function

    @property
    def is_convincing(self) -> bool:
        """Whether the commit is about a race, and about this one."""
        is_near = self.on_variable or self.distance <= MAX_NEAR_DISTANCE
        return self.is_confirmed or (self.mentions_race and self.in_function and is_near)

    @property
    def score(self) -> float:
        return round(1 - math.exp(-self.points / 4), 2)


def score_message(
    clone: Clone,
    commit: str,
    message: CommitMessage,
    identifiers: list[tuple[str, str]],
    issues: Sequence[str],
    *,
    in_file: bool,
) -> CandidateCommit:
    candidate = CandidateCommit(commit, message.subject, message.time)
    closed = [issue.number for issue in message.closed_issues if clone.has_tracker(issue.tracker)]
    named = {issue.number for issue in message.named_issues if clone.has_tracker(issue.tracker)} if issues else ()
    issue = next((each for each in issues if each in named or each in closed), None)
    if issue is not None:
        candidate.on_variable = candidate.names_issue = True
        candidate.closes_issue = issue in closed
        candidate.add_reason(9.0 if issue in closed else 4.0, f"names #{issue}")
    elif issues and closed:
        candidate.add_reason(-3.0, f"closes another issue, #{closed[0]}")
    candidate.mentions_race = message.is_race_related or issue is not None
    candidate.names_data_race = message.names_data_race
    candidate.names_race = message.names_race or issue is not None
    if message.names_data_race:
        points = 2.5 if DATA_RACE_PHRASE.search(message.subject) else 1.5
        candidate.add_reason(points, "says that it is about a data race")
    elif message.is_race_related:
        candidate.add_reason(1.5, "mentions synchronization")
    # "data race" does not name a variable "data"
    text = DATA_RACE_PHRASE.sub(" ", message.text) if message.names_data_race else message.text
    for identifier, role in identifiers:
        is_rare = is_distinctive(identifier)
        if not (in_file or is_rare) or identifier not in text:
            continue
        if re.search(rf"(?<!\w){re.escape(identifier)}(?!\w)", text):
            candidate.add_reason(1.2 if is_rare else 0.3, f"names the {role} {identifier}")
            candidate.on_variable |= is_rare and role == "variable" and candidate.mentions_race
            candidate.names_function |= is_rare and role == "function"
    return candidate


def is_distinctive(word: str) -> bool:
    """Whether a name is not a common word: `cancelFunc`, `in_progress_`, not `Close`."""
    return len(word) > 5 and any(c.isupper() or c == "_" for c in word[1:])


def score_distance(candidate: CandidateCommit, position: int, first: int, last: int) -> None:
    """Add points for a short distance to the window: most races are fixed soon after the report."""
    is_before = position < first
    distance = first - position if is_before else max(0, position - last)
    candidate.position, candidate.distance, candidate.before_window = position, distance, is_before
    bonus = 2.5 * math.exp(-distance / 200)
    if bonus > 0.2:
        texts = {0: "in the window"} if is_before else {0: "in the window", 1: "the next commit after the window"}
        where = "before the window; the frames fit the code that it changed, too" if is_before else "after the window"
        candidate.add_reason(bonus, texts.get(distance, f"{distance} commits {where}"))


def combine_scores(candidate: CandidateCommit) -> None:
    """Adjust the points by the combination of message and change."""
    is_near = candidate.distance <= MAX_NEAR_DISTANCE
    if candidate.mentions_race and candidate.in_function:
        candidate.add_reason(1.5, "mentions a race and changes a function of the report")
    elif not candidate.mentions_race:
        # changes the same code but does not mention a race
        share = 0.8 if candidate.is_guarded and is_near else 0.6
        candidate.points = min(share * candidate.points, _MAX_SILENT_POINTS)
    if not candidate.is_confirmed:
        candidate.points = min(candidate.points, _most_points(candidate, is_near=is_near))


def _most_points(candidate: CandidateCommit, *, is_near: bool) -> float:
    """The most that a candidate can get whose message does not say that it is about this race."""
    if not candidate.on_variable and not is_near:
        return _MAX_UNRELATED_POINTS if candidate.names_race else _MAX_SYNCHRONIZATION_POINTS
    is_certain = candidate.names_race or (is_near and (candidate.on_variable or candidate.is_guarded))
    return _MAX_UNCONFIRMED_POINTS if is_certain and not candidate.before_window else _MAX_DOUBTFUL_POINTS


def _closeness(candidate: CandidateCommit) -> tuple[bool, bool, bool, int]:
    is_at_race = candidate.on_variable or candidate.is_guarded
    is_far = candidate.distance > MAX_NEAR_DISTANCE
    return not candidate.quotes_report, is_far, not is_at_race, candidate.distance


def rank_candidates(candidates: list[CandidateCommit]) -> list[CandidateCommit]:
    """Sort by points, after the earliest of the convincing candidates got those of the best one."""
    most = max((each.points for each in candidates), default=0.0)
    best = [each for each in candidates if each.is_convincing and each.points >= 0.75 * most]
    first = min(
        best,
        key=lambda each: (not each.quotes_report, not (each.on_variable or each.is_guarded), each.distance),
        default=None,
    )
    if first is not None and first.points < most and (first.is_confirmed or not any(c.is_confirmed for c in best)):
        is_earliest = all(each.distance > first.distance for each in candidates if each.points > first.points)
        if is_earliest:
            first.add_reason(most - first.points, "the first of several that fit")
    return sorted(candidates, key=lambda each: (-each.points, each is not first, each.distance))
