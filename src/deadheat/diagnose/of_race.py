"""Which cause a race has, from what all of its reports say first; knows no report and no table.

What they say adds up in whole numbers, so that neither their order nor the batches in which they came
make a difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deadheat.diagnose.finding import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    Plain = dict[str, Any]
    # how often each cause was said, and the sum of its confidences, in hundredths
    Votes = dict[str, tuple[int, int]]

# of so many sightings, one at least has to name a cause: fewer may be a slip
_KNOWN: Final = 3


def said(cause: str | None, confidence: float, sightings: int) -> list[Plain]:
    """What one report says, which was seen so often."""
    if cause is None:
        return []
    weight = round(100 * confidence) * sightings
    return [{"cause": cause, "sightings": sightings, "weight": weight}]


def add(votes: Votes, more: Iterable[Plain]) -> None:
    """Takes in what others say of the same race."""
    for one in more:
        sightings, sure = votes.get(one["cause"], (0, 0))
        votes[one["cause"]] = sightings + one["sightings"], sure + one["weight"]


def listed(votes: Votes) -> list[Plain]:
    """The same as rows, by the names of causes."""
    return [
        {"cause": cause, "sightings": sightings, "weight": sure}
        for cause, (sightings, sure) in sorted(votes.items())
    ]


def chosen(votes: Iterable[Plain]) -> str | None:
    """The cause for which the sum of confidences is greatest; `unknown` where hardly any is named.

    None where nobody says anything.
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
