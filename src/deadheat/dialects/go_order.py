"""Tells from the names in Go's stacks whether their lines stand in the order in which they were printed.

A function stands above its place. Where lines go the other way the place stands above the function, and
each could as well be that of its other neighbour; but a package is named after its folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.symbols import go
from deadheat.text.late import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from deadheat.model import Frame

# "/src/shop/cart/cart_test.go:31 +0x45", "/usr/local/go/src/runtime/asm_amd64.s:1594"
_PLACE = regex(
    r"(?:[^\s:\\/]{0,200}[:\\/]){0,40}?(?:(?P<folder>[^\s:\\/]{1,200})[\\/])?"
    r"[^\s:\\/]{1,200}?(?P<test>_test)?\.(?:go|s|c|cc|cpp|h):\d{1,9}(?!\S)"
)
# "example.com/shop/cart.(*Cart).Add()", "created by testing.(*T).Run in goroutine 1"
_FUNCTION = regex(r"(?:created by )?([^\s(]{1,1000}\.[^\s.]\S{0,1000}|[^\s(]{1,1000}\.\(\S{1,1000})")
# "errors@v0.9.1"
_VERSION = regex(r"@v.*|\.v\d+$")
# ".TestRename.func2", ".(*suite).TestRename"
_TEST = regex(r"\.(?:Test|Benchmark|Fuzz|Example)(?![a-z])")
_MAJOR = regex(r"v\d+$")
_NAMELESS = ("main", "command-line-arguments")
# more would only cost time
_ENOUGH = 400


def order(lines: Sequence[str]) -> int:
    """How many more places fit the function above them than the one below them."""
    texts = [body for line in lines[-_ENOUGH:] if (body := line.strip())]
    votes = 0
    for above, text, below in zip(["", *texts], texts, [*texts[1:], ""], strict=False):
        if place := _PLACE.match(text):
            votes += _fits(above, place) - _fits(below, place)
    return votes


def frames_fit(frames: Sequence[Frame]) -> bool:
    """Do these places not fit the function of the next frame better than their own?"""
    lines = [text for f in frames for text in (f"{f.package}.{f.function}", f"{f.path}:{f.line}")]
    return order(lines) >= 0


def _fits(text: str, place: re.Match[str]) -> int:
    """Is this a function of the package that lies in such a folder, and a test if the file has tests?"""
    match = _FUNCTION.match(text)
    if match is None:
        return 0
    package, function = go.split(match[1])
    names = package.removesuffix("_test").split("/")
    name = names[-2] if _MAJOR.match(names[-1]) and len(names) > 1 else names[-1]
    folder = _VERSION.sub("", place["folder"] or "")
    named = name not in _NAMELESS and _VERSION.sub("", name) == folder
    return named + (place["test"] is not None and _TEST.search(function) is not None)
