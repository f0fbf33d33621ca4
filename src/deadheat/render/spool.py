"""Stores packed JSON lines until the race ids are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.render import sheaf
from deadheat.render.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Spool:
    """Packed lines in the order in which they were added."""

    def __init__(self) -> None:
        self._shelf = Shelf()
        self._spans: list[tuple[int, int]] = []

    def add(self, packed: bytes) -> None:
        if packed:
            self._spans.append((self._shelf.put(packed), len(packed)))

    def texts(self, ids: Mapping[str, str]) -> Iterator[bytes]:
        """Yields all lines with their final race ids, in chunks."""
        for at, size in self._spans:
            yield from sheaf.texts(self._shelf.get(at, size), ids)
        self._shelf.close()
