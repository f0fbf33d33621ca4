"""Connected components over strings, in near-linear time; knows nothing of races."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Components:
    """Names that were joined, directly or through others."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def add(self, name: str) -> None:
        self._above.setdefault(name, name)

    def root(self, name: str) -> str:
        """One name per component: its smallest, whatever the order in which names came."""
        above = self._above
        at = above.get(name)
        if at is None:  # most are never joined with any other
            return name
        while (higher := above[at]) != at:
            above[at] = at = above[higher]  # halves the way for the next one who asks
        return at

    def join(self, a: str, b: str) -> None:
        a, b = self.root(a), self.root(b)
        low, high = (a, b) if a < b else (b, a)
        self._above.setdefault(low, low)
        self._above[high] = low

    def roots(self) -> dict[str, str]:
        """Every name with its component's root."""
        return {name: self.root(name) for name in self._above}


def grouped(members: Iterable[tuple[str, Iterable[str]]]) -> dict[str, str]:
    """Every name with its component's root, where names that share a key are joined."""
    components = Components()
    first: dict[str, str] = {}
    for name, keys in members:
        components.add(name)
        for key in keys:
            other = first.setdefault(key, name)
            if other != name:
                components.join(other, name)
    return components.roots()
