"""Finds module roots from some frames of a report and applies them to the other frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.model import Frame


# packages whose name does not imply a folder
_NOWHERE: Final = ("main", "command-line-arguments", "")


def is_absolute(path: str) -> bool:
    """Does a path start at the root or at a drive? `/go/tidb`, `D:/a/shop`."""
    return path[:1] == "/" or path[1:3] == ":/"


def known(frames: Iterable[Frame]) -> dict[str, str]:
    """Map module roots to modules, longest first: `/go/tidb/` to `github.com/pingcap/tidb`."""
    told: dict[str, str] = {}
    for frame in frames:
        if frame.file and is_absolute(frame.path) and frame.path != frame.file:
            root = frame.path.removesuffix(frame.file)
            if root.count("/") > 1:
                below = frame.file.rpartition("/")[0]
                package = frame.package.removesuffix("_test")
                module = package.removesuffix(below).rstrip("/") if below else package
                # unknown if the package name differs from the folder
                told[root] = told.get(root) or ("" if below and module == package else module)
    return {root: told[root] for root in sorted(told, key=lambda r: (-len(r), r))}


def below(frame: Frame, roots: dict[str, str]) -> Frame:
    """The frame with its file relative to a known module root, if it is below one.

    The module root of `/go/tidb/tidb-server/main.go` is not known from `main.main`, but from another
    frame of the same report in `/go/tidb/executor`.
    """
    if not is_absolute(frame.file):
        return frame
    root = next((r for r in roots if frame.file.startswith(r)), None)
    if root is None:
        return frame
    file = frame.file.removeprefix(root)
    package = frame.package
    if roots[root] and frame.function[-1:].isdigit() and package not in _NOWHERE:
        # a closure has the name of a function in another package that it was inlined into
        package = f"{roots[root]}/{file.rpartition('/')[0]}".rstrip("/")
    return frame._replace(file=file, package=package)
