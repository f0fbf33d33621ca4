"""Filters of the report: the values that races have of a few facts, each with a number and a count."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from deadheat.output.html.components import folded
from deadheat.output.html.markup import EMPTY, Html, element, shorten, text

if TYPE_CHECKING:
    from collections.abc import Iterable

FACETS = {"status": "Status", "detector": "Detector", "cause": "Cause", "package": "Package", "test": "Test"}
# values that are shown at once, and in all
_MAX_SHOWN, _MAX_VALUES = 8, 200
_MAX_VALUE_LENGTH = 200


class FacetIndex:
    """Numbers every value of a facet that some races have and others have not."""

    def __init__(self, races: Iterable[Iterable[tuple[str, str]]]) -> None:
        self._values = [
            {name: [*dict.fromkeys(shorten(v, _MAX_VALUE_LENGTH) for n, v in pairs if n == name)] for name in FACETS}
            for pairs in map(list, races)
        ]
        self._numbers: dict[tuple[str, str], int] = {}
        self._counts = {name: Counter(value for race in self._values for value in race[name]) for name in FACETS}
        for name, counts in self._counts.items():
            if len(counts) > 1:
                for value, _ in counts.most_common(_MAX_VALUES):
                    self._numbers[name, value] = len(self._numbers)

    def numbers_of(self, race: int) -> str:
        """The numbers of the values of a race, separated by blanks."""
        values = [(name, value) for name, values in self._values[race].items() for value in values]
        return " ".join(str(self._numbers[each]) for each in values if each in self._numbers)

    def fieldset(self, name: str) -> Html:
        """The check boxes of a facet, most frequent first; empty if all races have the same value."""
        rows = [
            self._check_box(name, value, count)
            for value, count in self._counts[name].most_common(_MAX_VALUES)
            if (name, value) in self._numbers
        ]
        if not rows:
            return EMPTY
        more = rows[_MAX_SHOWN:]
        shown = (*rows[:_MAX_SHOWN], folded(f"{len(more)} more", *more) if more else EMPTY)
        return element("fieldset", element("legend", Html(FACETS[name])), *shown)

    def _check_box(self, name: str, value: str, count: int) -> Html:
        number = str(self._numbers[name, value])
        box = Html(f'<input type="checkbox" name="{name}" value="{text(value)}" data-number="{number}">')
        return element(
            "label",
            box,
            element("span", text(value), class_="value"),
            element("span", text(str(count)), class_="count"),
        )
