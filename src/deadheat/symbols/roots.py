"""Module roots that some frames of a report give away, applied to those that do not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.model import Frame


# packages whose name says nothing about their directory
_NOWHERE: Final = ("main", "command-line-arguments", "")


def is_absolute(path: str) -> bool:
    """Does a path begin at a root or at a drive? `/go/tidb`, `D:/a/shop`."""
    return path[:1] == "/" or path[1:3] == ":/"


def known(frames: Iterable[Frame]) -> dict[str, str]:
    """The directories that proved to be module roots, longest first, with their modules.

    `/go/tidb/` is the root of `github.com/pingcap/tidb`.
    """
    told: dict[str, str] = {}
    for frame in frames:
        if frame.file and is_absolute(frame.path) and frame.path != frame.file:
            root = frame.path.removesuffix(frame.file)
            if root.count("/") > 1:
                below = frame.file.rpartition("/")[0]
                package = frame.package.removesuffix("_test")
                module = package.removesuffix(below).rstrip("/") if below else package
                # a package that is not called like its directory tells nothing
                told[root] = told.get(root) or ("" if below and module == package else module)
    return {root: told[root] for root in sorted(told, key=lambda r: (-len(r), r))}


def below(frame: Frame, roots: dict[str, str]) -> Frame:
    """The frame with its file relative to a known root, if it lies below one.

    `main.main` in `/go/tidb/tidb-server/main.go` does not say where its module begins; another
    frame of the same report that lies in `/go/tidb/executor` does.
    """
    if not is_absolute(frame.file):
        return frame
    root = next((r for r in roots if frame.file.startswith(r)), None)
    if root is None:
        return frame
    file = frame.file.removeprefix(root)
    package = frame.package
    if roots[root] and frame.function[-1:].isdigit() and package not in _NOWHERE:
        # a closure is named after the function that its own was inlined into, in another package
        package = f"{roots[root]}/{file.rpartition('/')[0]}".rstrip("/")
    return frame._replace(file=file, package=package)
