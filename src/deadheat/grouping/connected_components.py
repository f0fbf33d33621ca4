"""Connected components of strings (union-find)."""

from __future__ import annotations


class ConnectedComponents:
    """Disjoint sets of names."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def add(self, name: str) -> None:
        self._parents.setdefault(name, name)

    def root(self, name: str) -> str:
        """The smallest name of the component, independent of the insertion order."""
        parents = self._parents
        current = parents.get(name)
        if current is None:  # the usual case
            return name
        while (parent := parents[current]) != current:
            parents[current] = current = parents[parent]  # path halving
        return current

    def join(self, a: str, b: str) -> None:
        a, b = self.root(a), self.root(b)
        smaller, larger = (a, b) if a < b else (b, a)
        self._parents.setdefault(smaller, smaller)
        self._parents[larger] = smaller

    def roots(self) -> dict[str, str]:
        """Every name with the root of its component."""
        return {name: self.root(name) for name in self._parents}
