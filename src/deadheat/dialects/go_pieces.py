"""Joins lines of a Go race report that were wrapped."""

from __future__ import annotations

from deadheat.dialects.go_grammar import FIRST_HALF, SECOND_HALF
from deadheat.dialects.seams import Seams
from deadheat.text.late import regex

# the start of a wrapped symbol or path: only characters that can be in one
_CUT_TOKEN = regex(r"(?:[A-Za-z]:[\\/])?[\w./()*·\[\]%@~+,\\-]{24,}=?$")
# longer paths are recognized by `_CUT_TOKEN`
_LONG_PATH = 60
# "example.com/pool.(*Pool[go.shape.struct { example.com/web.body": type arguments that continue
_OPEN = regex(r"[^\s\[]{1,1000}\[[^\]]{0,1000}(?:\[\d*\][^\[\]]{0,200}){0,9}$")
_LONGEST = 4096
# "struct { Key" and "string; Rank int }"
_FIELD = regex(r"[{;] \w+$")
_TYPE = regex(r"[\w.*\[\]]{1,200}(?: \}|;)")


class Pieces:
    """Fragments that may continue on the next line."""

    def __init__(self) -> None:
        self.last = ""  # the last line, if it could not be parsed
        self.half = ""  # the start of a header that other output interrupts
        self._open = ""  # type arguments over several lines
        self._seams = Seams()
        self._gaps: tuple[str, ...] = ()

    def see(self, text: str) -> None:
        self._gaps = self._seams.gaps(text)

    def keep(self, body: str) -> None:
        """Keep a line that could not be parsed."""
        if half := FIRST_HALF.search(body):
            self.half = half[0]
        self.last, self._open = self._open or body, ""

    def keep_open(self, fragment: str, body: str) -> None:
        """Keep two lines that do not parse, if they may be type arguments that continue."""
        if _OPEN.match(fragment) and len(fragment) + len(body) < _LONGEST:
            self._open = self._together(fragment, body)[0]

    def token(self, rest: str) -> str:
        """The symbol or path that starts on the last line, or an empty string."""
        last = self.last
        return last.removesuffix("=") + rest if last and _CUT_TOKEN.match(last) else ""

    def paths(self, rest: str) -> list[str]:
        """Possible paths that start on the last line, wrapped at a space or at a column."""
        last = self.last
        if last[:1] != "/" or rest[:1] in "/<-" or len(last) >= _LONG_PATH:
            return []
        return [f"{last}{gap}{rest}" for gap in self._gaps]

    def header(self, rest: str) -> str:
        """The header that ends with this line, or an empty string."""
        second = SECOND_HALF.search(rest)
        return f"{self.half} {second[0]}" if second else ""

    def whole(self, rest: str) -> list[str]:
        """The last line joined with this one, likeliest first."""
        return self._together(self.last, rest)

    def _together(self, fragment: str, body: str) -> list[str]:
        tight = fragment.removesuffix("=") + body
        if fragment.endswith("="):
            return [tight]
        spaced = f"{fragment} {body}"
        # both are possible only in type arguments; there is a space before a field's type
        field = _FIELD.search(fragment) is not None and _TYPE.match(body) is not None
        cut = self._gaps[0] == "" and "[" in fragment and not field
        return [tight, spaced] if cut else [spaced, tight]

    def were_one(self) -> None:
        self._seams.was_one()
