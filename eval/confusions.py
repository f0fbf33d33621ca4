"""Where a rule goes wrong: races that it takes for one another, races that it splits."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from eval.score import each

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from eval.items import Item


def worst(items: Sequence[Item], groups: Sequence[Hashable], count: int = 10) -> list[str]:
    """The races that cost most, each with what became of it, as rows of a table."""
    rates = each(items, groups)
    loss: Counter[str] = Counter()
    for item, (precision, recall) in zip(items, rates, strict=True):
        loss[item.race] += 2.0 - precision - recall  # type: ignore[assignment]
    rows = []
    for race, lost in loss.most_common(count):
        if lost > 0:
            rows.append(f"| `{race}` | {lost:.1f} | {_story(race, items, groups)} |")
    return rows


def _story(race: str, items: Sequence[Item], groups: Sequence[Hashable]) -> str:
    mine: dict[Hashable, list[Item]] = defaultdict(list)
    others: Counter[str] = Counter()
    for item, group in zip(items, groups, strict=True):
        if item.race == race:
            mine[group].append(item)
    for item, group in zip(items, groups, strict=True):
        if item.race != race and group in mine:
            others[item.race] += 1
    told = []
    if others:
        taken = ", ".join(f"`{name}` ({n})" for name, n in others.most_common(3))
        told.append(f"together with {taken}")
    if len(mine) > 1:
        parts = sorted(mine.values(), key=len, reverse=True)
        strays = Counter(item.kind for part in parts[1:] for item in part)
        kinds = ", ".join(f"{kind} {n}" for kind, n in strays.most_common(4))
        sizes = " + ".join(str(len(part)) for part in parts[:5])
        told.append(f"in {len(parts)} groups ({sizes}), apart from the first: {kinds}")
    return "; ".join(told)
