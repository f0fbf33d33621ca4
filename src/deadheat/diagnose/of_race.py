"""The cause of a race, chosen by votes of its reports.

Votes are summed as integers, so the result does not depend on the order or the batches of reports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deadheat.diagnose.finding import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    Plain = dict[str, Any]
    # sightings of each cause, and the sum of its confidences in hundredths
    Votes = dict[str, tuple[int, int]]

# at least one of so many sightings must name a cause: fewer may be mistakes
_KNOWN: Final = 3


def said(cause: str | None, confidence: float, sightings: int) -> list[Plain]:
    """The vote of one report with that many sightings."""
    if cause is None:
        return []
    weight = round(100 * confidence) * sightings
    return [{"cause": cause, "sightings": sightings, "weight": weight}]


def add(votes: Votes, more: Iterable[Plain]) -> None:
    """Add the votes of other reports of the same race."""
    for one in more:
        sightings, sure = votes.get(one["cause"], (0, 0))
        votes[one["cause"]] = sightings + one["sightings"], sure + one["weight"]


def listed(votes: Votes) -> list[Plain]:
    """The votes as rows, sorted by cause."""
    return [
        {"cause": cause, "sightings": sightings, "weight": sure}
        for cause, (sightings, sure) in sorted(votes.items())
    ]


def chosen(votes: Iterable[Plain]) -> str | None:
    """The cause with the greatest sum of confidences; `unknown` if too few reports name one.

    None if there are no votes.
    """
    every = list(votes)
    named = [one for one in every if one["cause"] != UNKNOWN]
    if not named or _KNOWN * _sightings(named) < _sightings(every):
        return UNKNOWN if every else None
    return str(min(named, key=_rank)["cause"])


def _sightings(votes: list[Plain]) -> int:
    return sum([one["sightings"] for one in votes])


def _rank(vote: Plain) -> tuple[int, int, str]:
    return -vote["weight"], -vote["sightings"], vote["cause"]
