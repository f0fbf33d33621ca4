"""Determines whether wrapped lines were broken at a column or between words."""

from __future__ import annotations

from deadheat.text.late import regex

# where C++, Rust and Swift have a space: "f(int,"/"long)", "f()"/"const", "Map<int>"/"all()",
# "void"/"add()", "(anonymous"/"namespace)"; and where every detector has one: "add()"/"(cart.cc:13)"
_BY_WORDS = regex(
    r",\0|0x[0-9A-Fa-f]{1,16}:\0|[>*&]\0[A-Za-z_>]|\)\0[A-Za-z/]|\bconst\0/|::type\0[A-Za-z_]"
    r"|\(anonymous\0namespace"
    r"|\b(?:void|unsigned|signed|long|int|char|bool|short|float|double|const|operator)\0[A-Za-z_(]"
    r"|\0\((?:in /|[^():]{1,200}:\d)"
)
# a viewer's line number, copied onto a line of its own
_NUMBER = regex(r"\d{1,7}\s*")
_AT_COLUMN = ("", " ")
_AT_WORDS = (" ", "")
_AT_SPACE = (" ",)


class Seams:
    """Determines how to join each line of a text to the previous one.

    If lines were broken at a column, all broken lines have the same width, none is wider, and spaces are
    kept. Otherwise they were broken between words.
    """

    def __init__(self) -> None:
        self._before = ""
        self._width = 0  # of the previous line; 0 if a space shows how it was broken
        self._widest = 0
        self._broken: set[int] = set()
        self._number = -1  # of the last line that was only a number

    def gaps(self, text: str) -> tuple[str, ...]:
        """The separators to try between the previous line and this one, most likely first."""
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
        """Whether this is a line number, not the end of a broken line."""
        before, self._number = self._number, number
        return number == before + 1 or self._width < self._widest

    def was_one(self) -> None:
        """Records that the previous line was broken."""
        if self._width:
            self._broken.add(self._width)
