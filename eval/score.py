"""B-cubed precision and recall of a grouping."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from eval.items import Item
    from eval.rules import Rule


class Score(NamedTuple):
    """The mean over reports: how pure is its group, how much of its race is in it."""

    precision: float
    recall: float
    reports: int

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def grouped(items: Sequence[Item], rule: Rule) -> list[Hashable]:
    """The group of every item; one that was lost is alone.

    What two detectors say of one variable is not compared, in the labels as in the groups.
    """
    there = [item.sighting for item in items if item.sighting]
    names = zip(rule(there), (s.report.detector for s in there), strict=True)
    return [next(names) if item.sighting else ("lost", at) for at, item in enumerate(items)]


def each(items: Sequence[Item], groups: Sequence[Hashable]) -> list[tuple[float, float]]:
    """Precision and recall of every item."""
    pairs = list(zip(groups, (item.race for item in items), strict=True))
    together, by_group = Counter(pairs), Counter(groups)
    by_race = Counter(item.race for item in items)
    return [(together[pair] / by_group[pair[0]], together[pair] / by_race[pair[1]]) for pair in pairs]


def score(items: Sequence[Item], rule: Rule, kinds: set[str] | None = None) -> Score:
    """The score of a rule over all items, averaged over those of some kinds."""
    rates = each(items, grouped(items, rule))
    wanted = [rate for item, rate in zip(items, rates, strict=True) if not kinds or item.kind in kinds]
    count = len(wanted)
    if not count:
        return Score(1.0, 1.0, 0)
    return Score(sum(p for p, _ in wanted) / count, sum(r for _, r in wanted) / count, count)
