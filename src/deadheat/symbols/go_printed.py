"""Go's frames as an undamaged report prints them: two lines each, read without patterns."""

from __future__ import annotations

from typing import Final

from deadheat.model import Frame
from deadheat.symbols import go

_new: Final = tuple.__new__
_HEX: Final = "0123456789abcdef"
# how long a line's number may be
_DIGITS: Final = 9
# the frames met lately, by their two lines: most races of a program come by the same calls
_known: Final[dict[str, Frame]] = {}
_MOST: Final = 1 << 12


def pair(text: str, at: int) -> tuple[str, str, int, int]:
    """Symbol, path and line of the frame behind the line break at `at`, and where it ends.

    "  example.com/shop/cart.(*Cart).Add()" and "      /src/shop/cart/cart.go:31 +0x45". No symbol if
    it is not exactly as printed. No pattern is as fast: this is done twenty times a report.
    """
    middle = text.find("\n", at + 1)
    gap = text.find(" ", middle + 7)
    colon = text.find(":", at + 3, gap)
    end = text.find("\n", gap)
    if end < 0:
        end = len(text)
    # a word that is looked for where it should begin, and no further, is found sooner than asked for
    if (
        text.find("\n  ", at, at + 3) != at
        or text.find("()\n      ", middle - 2, middle + 7) != middle - 2
        or text.find(" +0x", gap, gap + 4) != gap
        or text.find(" ", at + 3) != middle + 1
        or text.find("\n", middle + 1, gap) >= 0
        or colon <= middle + 7
        or text[at + 3].isspace()
        or text[middle + 7].isspace()
        or end == gap + 4
        or text[gap + 4 : end].strip(_HEX)
    ):
        return "", "", 0, at
    line = _number(text[colon + 1 : gap])
    return text[at + 3 : middle - 2] if line >= 0 else "", text[middle + 7 : colon], line, end


def _number(digits: str) -> int:
    try:
        return int(digits) if len(digits) <= _DIGITS and digits.isdigit() else -1
    except ValueError:  # "²" is a digit, too
        return -1


def frames(text: str) -> list[Frame] | None:
    """The frames of an undamaged stack, from the line break before it; None if that is not all of it."""
    made: list[Frame] = []
    at, size = 0, len(text)
    while at < size:
        end = text.find("\n", text.find("\n", at + 1) + 1)
        lines = text[at:end] if end > at else text[at:]
        known = _known.get(lines)
        if known is None:
            known = _frame(lines)
            if known is None:
                return None
            if len(_known) >= _MOST:
                _known.clear()
            _known[lines] = known
        made.append(known)
        at += len(lines)
    return made


def _frame(lines: str) -> Frame | None:
    symbol, path, line, _ = pair(lines, 0)
    slash = go.last_slash(symbol)
    dot = symbol.find(".", slash + 1)
    if dot < 0:
        return None
    cut = path.rfind("/") + 1
    name = path[cut:]
    if not cut or go.is_unusual(symbol) or "\\" in path or go.is_generated(name):
        return go.frame(symbol, path, line)
    package = symbol[:dot]
    whose, below = go.place(package, path[:cut])
    values = (symbol[slash + 1 :], package, below + name, line, whose, path, False, False)
    return _new(Frame, values)
