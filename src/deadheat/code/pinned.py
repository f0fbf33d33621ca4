"""The code at the commit that a report is pinned to, looked up by frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deadheat.code.clone import Clone
    from deadheat.code.tree import Tree
    from deadheat.model import Frame


class Pinned:
    """Reads files of one commit of a clone."""

    def __init__(self, clone: Clone, tree: Tree) -> None:
        self._clone, self.tree = clone, tree

    def path(self, frame: Frame) -> str | None:
        """The path of a frame's file."""
        here = self._clone.blobs([self.tree.commit], self._clone.paths(frame))
        return next((path for _, path in here), None)

    def source(self, frame: Frame) -> bytes | None:
        """The content of a frame's file."""
        path = self.path(frame)
        return self.read(path) if path else None

    def found(self, frame: Frame) -> tuple[str, bytes] | None:
        """The path and content, if the file exists."""
        path, source = self.path(frame), self.source(frame)
        return (path, source) if path is not None and source is not None else None

    def read(self, path: str) -> bytes | None:
        return self._clone.source(self.tree.commit, path)

    def beside(self, path: str) -> dict[str, bytes]:
        """The files in the folder of a file, with their content."""
        return self.tree.near(path)
