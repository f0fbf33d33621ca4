"""Connected components of strings (union-find)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Components:
    """Disjoint sets of names."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def add(self, name: str) -> None:
        self._above.setdefault(name, name)

    def root(self, name: str) -> str:
        """The smallest name of the component, independent of the insertion order."""
        above = self._above
        at = above.get(name)
        if at is None:  # the usual case
            return name
        while (higher := above[at]) != at:
            above[at] = at = above[higher]  # path halving
        return at

    def join(self, a: str, b: str) -> None:
        a, b = self.root(a), self.root(b)
        low, high = (a, b) if a < b else (b, a)
        self._above.setdefault(low, low)
        self._above[high] = low

    def roots(self) -> dict[str, str]:
        """Every name with the root of its component."""
        return {name: self.root(name) for name in self._above}


def grouped(members: Iterable[tuple[str, Iterable[str]]]) -> dict[str, str]:
    """Return the component root of every name. Names that share a key are joined."""
    components = Components()
    first: dict[str, str] = {}
    for name, keys in members:
        components.add(name)
        for key in keys:
            other = first.setdefault(key, name)
            if other != name:
                components.join(other, name)
    return components.roots()
