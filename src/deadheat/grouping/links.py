"""Links between variants and alternate keys of reports, and their stored form.

A lake and a baseline store a link as one string. Only this module knows how it is written."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class KeyKind(StrEnum):
    """What an alternate key is computed from. The value is the prefix of its stored form."""

    FUNCTIONS = ""
    ONE_SIDED = "~"  # the only known side
    CLOSURE = "@"  # distinct for each ordinal
    LINES = ":"  # source lines, shared by all ordinals


class AlternateKey(NamedTuple):
    """A key that reports of one race share although their fingerprints differ."""

    kind: KeyKind
    value: str

    def encode(self) -> str:
        return self.kind + self.value


def is_one_sided_key(encoded: str) -> bool:
    return encoded.startswith(KeyKind.ONE_SIDED)


class LinkKind(StrEnum):
    """What a variant is linked to. The value is the prefix of the stored form."""

    VARIANT = ""  # the id that it has if that variant exists
    SHARED_NAME = "="  # a name: variants with equal names are one race
    REQUIRES = "?"  # an alternate key of races that it may belong to
    PROVIDES = "!"  # an alternate key of reports that may belong to it
    FORMER_BASE = "-"  # the base that it had in fingerprint version 2
    # of ambiguous variants:
    OTHER_VARIABLE = "<"  # the id of a variant with another variable
    POSSIBLE_BASE = "#"  # a base that it may have, with its ordinal
    KNOWN_ORDINAL = "^"  # the base of a variant at the same address whose ordinal is known


class Link(NamedTuple):
    kind: LinkKind
    key: str
    ordinal: int = 0  # of a possible base, less than 16

    def encode(self) -> str:
        if self.kind is LinkKind.POSSIBLE_BASE:
            return f"{self.kind}{self.ordinal:x}{self.key}"
        return self.kind + self.key

    @classmethod
    def decode(cls, text: str) -> Link:
        kind = _KINDS_BY_PREFIX.get(text[:1], LinkKind.VARIANT)
        if kind is LinkKind.POSSIBLE_BASE:
            return cls(kind, text[2:], int(text[1], 16))
        return cls(kind, text[len(kind) :])


_KINDS_BY_PREFIX: Final = {kind.value: kind for kind in LinkKind}


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
