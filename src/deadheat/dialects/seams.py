"""Where the lines of a text were broken: at a column, or between two words; knows no detector."""

from __future__ import annotations

from deadheat.text.late import regex

# where C++, Rust and Swift always have a space: "f(int,"/"long)", "f()"/"const", "Map<int>"/"all()",
# "void"/"add()", "(anonymous"/"namespace)"; and where every detector has one: "add()"/"(cart.cc:13)"
_BY_WORDS = regex(
    r",\0|0x[0-9A-Fa-f]{1,16}:\0|[>*&]\0[A-Za-z_>]|\)\0[A-Za-z/]|\bconst\0/|::type\0[A-Za-z_]"
    r"|\(anonymous\0namespace"
    r"|\b(?:void|unsigned|signed|long|int|char|bool|short|float|double|const|operator)\0[A-Za-z_(]"
    r"|\0\((?:in /|[^():]{1,200}:\d)"
)
# what a viewer has beside a line, and a copy of it on a line of its own
_NUMBER = regex(r"\d{1,7}\s*")
_AT_COLUMN = ("", " ")
_AT_WORDS = (" ", "")
_AT_SPACE = (" ",)


class Seams:
    """Says how to put each line of a text to the one before it.

    Where a column breaks lines, all broken lines are of one width, none is wider, and spaces stay where
    they are. Otherwise words do.
    """

    def __init__(self) -> None:
        self._before = ""
        self._width = 0  # of the last line but one; nothing where a space shows how it was broken
        self._widest = 0
        self._broken: set[int] = set()
        self._number = -1  # of the last line that was nothing else

    def gaps(self, text: str) -> tuple[str, ...]:
        """What to put between the last line and this one, likeliest first."""
        before, self._before = self._before, text
        self._width = len(before.rstrip())
        self._widest = max(self._widest, self._width)
        spaced = text[:1].isspace() or before[-1:].isspace()
        if before.endswith("="):  # quoted-printable
            return _AT_SPACE if spaced else _AT_COLUMN
        if spaced:
            self._width = 0
            return _AT_SPACE
        if _NUMBER.fullmatch(text) and self._counts(int(text)):
            return _AT_SPACE
        if self._width < self._widest or self._broken - {self._width}:
            return _AT_WORDS
        if not self._broken and _BY_WORDS.search(f"{before[-40:]}\0{text[:240]}"):
            return _AT_WORDS
        return _AT_COLUMN

    def _counts(self, number: int) -> bool:
        """Is this no end of a line, but a line's number? Nobody breaks one between words, either."""
        before, self._number = self._number, number
        return number == before + 1 or self._width < self._widest

    def was_one(self) -> None:
        """The line before the last one turned out to have been broken."""
        if self._width:
            self._broken.add(self._width)
