"""The cause of a race by votes of its reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deadheat.diagnosis.finding import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    JsonDict = dict[str, Any]

    # sightings of each cause, and the sum of its confidences in hundredths
    CauseVotes = dict[str, tuple[int, int]]

# at least one of so many sightings must name a cause: fewer may be mistakes
_MAX_SIGHTINGS_PER_NAMED: Final = 3


def votes_of_report(cause: str | None, confidence: float, sightings: int) -> list[JsonDict]:
    """The vote of one report with that many sightings."""
    weight = round(100 * confidence) * sightings
    return [{"cause": cause, "sightings": sightings, "weight": weight}] if cause is not None else []


def add_votes(votes: CauseVotes, new_votes: Iterable[JsonDict]) -> None:
    """Add the votes of other reports of the same race."""
    for vote in new_votes:
        sightings, weight = votes.get(vote["cause"], (0, 0))
        votes[vote["cause"]] = sightings + vote["sightings"], weight + vote["weight"]


def votes_as_rows(votes: CauseVotes) -> list[JsonDict]:
    """The votes as rows, sorted by cause."""
    return [
        {"cause": cause, "sightings": number, "weight": weight} for cause, (number, weight) in sorted(votes.items())
    ]


def choose_cause(votes: Iterable[JsonDict]) -> str | None:
    """The cause with the greatest sum of confidences; `unknown` if too few reports name one, None without votes."""
    all_votes = list(votes)
    named_votes = [vote for vote in all_votes if vote["cause"] != UNKNOWN]
    if not named_votes or _MAX_SIGHTINGS_PER_NAMED * _count_sightings(named_votes) < _count_sightings(all_votes):
        return UNKNOWN if all_votes else None
    return str(min(named_votes, key=lambda vote: (-vote["weight"], -vote["sightings"], vote["cause"]))["cause"])


def _count_sightings(votes: list[JsonDict]) -> int:
    return sum([vote["sightings"] for vote in votes])
