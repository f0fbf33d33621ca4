"""B-cubed precision and recall of a grouping, and the races with the largest errors."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from eval.grouping_rules import Rule
    from eval.labelled_reports import LabelledReport


class Score(NamedTuple):
    """Precision and recall, averaged over the reports."""

    precision: float
    recall: float
    reports: int

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def group_reports(items: Sequence[LabelledReport], rule: Rule) -> list[Hashable]:
    """The group of every report. A lost report is a group of its own.

    Reports of different detectors are never in one group, neither in the labels nor here.
    """
    sightings = [item.sighting for item in items if item.sighting]
    names = zip(rule(sightings), (s.report.detector for s in sightings), strict=True)
    return [next(names) if item.sighting else ("lost", at) for at, item in enumerate(items)]


def report_scores(items: Sequence[LabelledReport], groups: Sequence[Hashable]) -> list[tuple[float, float]]:
    """Precision and recall of every report."""
    pairs = list(zip(groups, (item.race for item in items), strict=True))
    together, by_group = Counter(pairs), Counter(groups)
    by_race = Counter(item.race for item in items)
    return [(together[pair] / by_group[pair[0]], together[pair] / by_race[pair[1]]) for pair in pairs]


def score_rule(items: Sequence[LabelledReport], rule: Rule, kinds: set[str] | None = None) -> Score:
    """Group all reports by a rule; the score is the mean over the reports of some kinds."""
    scores = report_scores(items, group_reports(items, rule))
    chosen = [one for item, one in zip(items, scores, strict=True) if not kinds or item.kind in kinds]
    count = len(chosen)
    if not count:
        return Score(1.0, 1.0, 0)
    return Score(sum(p for p, _ in chosen) / count, sum(r for _, r in chosen) / count, count)


def largest_losses(items: Sequence[LabelledReport], groups: Sequence[Hashable], count: int = 10) -> list[str]:
    """Table rows of the races with the largest loss of precision and recall."""
    loss: dict[str, float] = defaultdict(float)
    for item, (precision, recall) in zip(items, report_scores(items, groups), strict=True):
        loss[item.race] += 2.0 - precision - recall
    ranked = sorted(loss.items(), key=lambda entry: -entry[1])[:count]
    return [f"| `{race}` | {lost:.1f} | {_describe_groups(race, items, groups)} |" for race, lost in ranked if lost > 0]


def _describe_groups(race: str, items: Sequence[LabelledReport], groups: Sequence[Hashable]) -> str:
    by_group: dict[Hashable, list[LabelledReport]] = defaultdict(list)
    for item, group in zip(items, groups, strict=True):
        if item.race == race:
            by_group[group].append(item)
    others = Counter(
        item.race for item, group in zip(items, groups, strict=True) if item.race != race and group in by_group
    )
    notes = []
    if others:
        names = ", ".join(f"`{name}` ({n})" for name, n in others.most_common(3))
        notes.append(f"together with {names}")
    if len(by_group) > 1:
        parts = sorted(by_group.values(), key=len, reverse=True)
        outside_first = Counter(item.kind for part in parts[1:] for item in part)
        kinds = ", ".join(f"{kind} {n}" for kind, n in outside_first.most_common(4))
        sizes = " + ".join(str(len(part)) for part in parts[:5])
        notes.append(f"in {len(parts)} groups ({sizes}), apart from the first: {kinds}")
    return "; ".join(notes)
