"""Detects from the names in Go's stacks whether their lines are in printed order.

A function stands above its source line. In reversed text the source line stands above, and could
belong to either neighbour; but a package is usually named after its folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.model import Origin
from deadheat.symbols import go
from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.model import Frame

# "/src/shop/cart/cart_test.go:31 +0x45", "/usr/local/go/src/runtime/asm_amd64.s:1594"
_PLACE = regex(
    r"(?:[^:\\/]{0,200}[:\\/]){0,40}?(?:(?P<folder>[^:\\/]{1,200})[\\/])?"
    r"[^:\\/]{1,200}?(?P<test>_test)?\.(?:go|s|c|cc|cpp|h):\d{1,9}(?!\S)"
)
_ENDINGS = (".go:", ".s:", ".c:", ".cc:", ".cpp:", ".h:")
_PATH = r"(?:[\w.~%@+-]{1,200}/){0,20}[\w%~-]{1,200}"
# "[...]", "[go.shape.int]"
_ARGUMENTS = r"(?:\[[^\s\]]{0,200}\])?"
# ".(*Batch[...])", ".func1", "..func1", "·dwrap·47", "-fm": each begins with a separator, so
# that there is no backtracking
_PART = rf"[.·-]{{1,2}}(?:\(\*?[\w.*]{{1,200}}{_ARGUMENTS}\)|\w{{1,200}}{_ARGUMENTS})"
# "example.com/shop/ledger.(*Batch).add.func1": path, package, function
NAME = rf"{_PATH}(?=\.[A-Za-z_(·.])(?:{_PART}){{1,14}}"
# "example.com/shop/cart.(*Cart).Add()", "created by testing.(*T).Run in goroutine 1", "main.f(0x1, 0x2)"
_FUNCTION = regex(rf"(?:created by )?({NAME})(?:\(.{{0,1000}}\)| in goroutine \d{{1,18}})?$")
# "errors@v0.9.1"
_VERSION = regex(r"@v.*|\.v\d+$")
# ".TestRename.func2", ".(*suite).TestRename"
_TEST = regex(r"\.(?:Test|Benchmark|Fuzz|Example)(?![a-z])")
_MAJOR = regex(r"v\d+$")
_NAMELESS = ("main", "command-line-arguments")
# more lines would only take time
_ENOUGH = 400


def order(lines: Sequence[str]) -> int:
    """How many more source lines fit the function above them than the one below them."""
    stack = [known for line in lines[-_ENOUGH:] if (known := _known(line.strip())) is not None]
    votes = 0
    for above, here, below in zip(stack, stack[1:], [*stack[2:], None], strict=False):
        if isinstance(here, _Place):
            votes += _fits(above, here) - _fits(below, here)
    return votes


def frames_fit(frames: Sequence[Frame]) -> bool:
    """Whether the source lines fit their own function at least as well as that of the next frame."""
    lines = [text for f in frames for text in (f"{f.package}.{f.function}", f"{f.path}:{f.line}")]
    return order(lines) >= 0


class _Place(NamedTuple):
    path: str
    folder: str
    tests: bool


class _Function(NamedTuple):
    package: str
    name: str
    tests: bool


def _known(text: str) -> _Place | _Function | None:
    """Parses a line of a stack; returns None for other text, which loggers may interleave."""
    if any(ending in text for ending in _ENDINGS) and (place := _PLACE.match(text)):
        folder = _VERSION.sub("", place["folder"] or "")
        return _Place(place[0], folder, place["test"] is not None)
    if call := _FUNCTION.match(text):
        package, function = go.split(call[1])
        names = package.removesuffix("_test").split("/")
        name = names[-2] if _MAJOR.match(names[-1]) and len(names) > 1 else names[-1]
        return _Function(package, _VERSION.sub("", name), _TEST.search(function) is not None)
    return None


def _fits(function: _Place | _Function | None, place: _Place) -> int:
    """Whether the function's package has the name of the folder, and both are test code."""
    if not isinstance(function, _Function):
        return 0
    tests = place.tests and function.tests
    if function.name not in _NAMELESS and function.name == place.folder:
        return 1 + tests
    # the standard library is in its folders, but the runtime contains functions of other packages
    standard = go.origin(function.package, "") is not Origin.USER
    return tests - (standard and place.folder != "" and "runtime/" not in place.path)
