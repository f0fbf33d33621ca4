"""Module roots that some frames of a report give away, applied to those that do not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.model import Frame


def is_absolute(path: str) -> bool:
    """Does a path begin at a root or at a drive? `/go/tidb`, `D:/a/shop`."""
    return path[:1] == "/" or path[1:3] == ":/"


def known(frames: Iterable[Frame]) -> tuple[str, ...]:
    """The directories that proved to be module roots, longest first: `/go/tidb/`."""
    told = {f.path.removesuffix(f.file) for f in frames if f.file and is_absolute(f.path)}
    return tuple(sorted((r for r in told if r.count("/") > 1), key=len, reverse=True))


def below(frame: Frame, roots: tuple[str, ...]) -> Frame:
    """The frame with its file relative to a known root, if it lies below one.

    `main.main` in `/go/tidb/tidb-server/main.go` does not say where its module begins; another
    frame of the same report that lies in `/go/tidb/executor` does.
    """
    if not is_absolute(frame.file):
        return frame
    root = next((r for r in roots if frame.file.startswith(r)), None)
    return frame._replace(file=frame.file.removeprefix(root)) if root else frame
