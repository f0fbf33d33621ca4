"""Parses the frames of an undamaged Go stack, without regular expressions."""

from __future__ import annotations

from typing import Final

from deadheat.model import Frame
from deadheat.symbols import go

_new: Final = tuple.__new__
_DIGITS: Final = "0123456789"
_HEX: Final = "0123456789abcdef"
_LONGEST: Final = 9
# cache of frames by their two lines; a frame is only cached when it occurs for the second time
_known: Final[dict[str, Frame]] = {}
_met: Final[set[str]] = set()
_MOST_KNOWN: Final = 1 << 12
_MOST_MET: Final = 1 << 11


def two_lines(text: str, at: int) -> str:
    """The two lines of the frame that starts with the line break at `at`."""
    end = text.find("\n", text.find("\n", at + 1) + 1)
    return text[at:end] if end > at else text[at:]


def pieces(lines: str) -> tuple[str, str, int]:
    """Symbol, path and line of a frame; the symbol is empty if the lines are not exactly as printed.

    "  example.com/shop/cart.(*Cart).Add()" and "      /src/shop/cart/cart.go:31 +0x45", each after a
    line break. Faster than a regular expression, and called about twenty times per report.
    """
    middle = lines.find("\n", 3)
    gap = lines.find(" ", middle + 7)
    colon = lines.find(":", 3, gap)
    # `find` with bounds is faster than `startswith`
    if (
        lines.find("\n  ", 0, 3) != 0
        or lines.find("()\n      ", middle - 2, middle + 7) != middle - 2
        or lines.find(" +0x", gap, gap + 4) != gap
        or lines.find(" ", 3) != middle + 1
        or colon <= middle + 7
        or lines[3].isspace()
        or lines[3] == "+"  # the start of an offset
        or lines[middle + 7].isspace()
        or gap + 4 == len(lines)
        or lines[gap + 4 :].strip(_HEX)
    ):
        return "", "", 0
    line = _number(lines[colon + 1 : gap])
    return lines[3 : middle - 2] if line >= 0 else "", lines[middle + 7 : colon], line


def _number(digits: str) -> int:
    """A line number; -1 if the text is not one."""
    return int(digits) if 0 < len(digits) <= _LONGEST and not digits.strip(_DIGITS) else -1


def frames(text: str) -> list[Frame] | None:
    """Parse an undamaged stack, starting at the line break before it; None if it is damaged."""
    made: list[Frame] = []
    at, size = 0, len(text)
    # tested once per stack
    is_odd = "%" in text or "[" in text or "\\" in text
    while at < size:
        lines = two_lines(text, at)
        known = _known.get(lines)
        if known is None:
            known = _frame(lines, is_odd)
            if known is None:
                return None
            _keep(lines, known)
        made.append(known)
        at += len(lines)
    return made


def _keep(lines: str, frame: Frame) -> None:
    """Cache a frame when it occurs for the second time."""
    if lines in _met:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[lines] = frame
        return
    if len(_met) >= _MOST_MET:
        _met.clear()
    _met.add(lines)


def _frame(lines: str, is_odd: bool) -> Frame | None:
    """Build a frame from its two lines; None if they are not a frame."""
    symbol, path, line = pieces(lines)
    slash = go.last_slash(symbol)
    dot = symbol.find(".", slash + 1)
    if dot < 0:
        return None
    cut = path.rfind("/") + 1
    name = path[cut:]
    if not cut or is_odd or ("_" in symbol and "(_" in symbol) or go.is_generated(name):
        return go.frame(symbol, path, line)
    package = symbol[:dot]
    whose, below = go.place(package, path[:cut])
    values = (symbol[slash + 1 :], package, below + name, line, whose, path, False, False)
    return _new(Frame, values)
