"""Lines of a Go race report that something broke in two, and how to put them together again.

Knows what was kept of the lines before, and nothing of what a line that is whole again means.
"""

from __future__ import annotations

from deadheat.dialects.go_grammar import FIRST_HALF, SECOND_HALF
from deadheat.dialects.seams import Seams
from deadheat.text.late import regex

# a symbol or path that a wrapping cut in two: nothing but the characters of one
_CUT_TOKEN = regex(r"(?:[A-Za-z]:[\\/])?[\w./()*·\[\]%@~+,\\-]{24,}=?$")
# a path that is longer was cut at a column, which is told by its characters alone
_LONG_PATH = 60
# "example.com/pool.(*Pool[go.shape.struct { example.com/web.body": type arguments that go on
_OPEN = regex(r"[^\s\[]{1,1000}\[[^\]]{0,1000}(?:\[\d*\][^\[\]]{0,200}){0,9}$")
_LONGEST = 4096
# "struct { Key" and "string; Rank int }"
_FIELD = regex(r"[{;] \w+$")
_TYPE = regex(r"[\w.*\[\]]{1,200}(?: \}|;)")


class Pieces:
    """What may go on in the next line."""

    def __init__(self) -> None:
        self.last = ""  # the last line, if it was nothing on its own
        self.half = ""  # the first half of a header between whose halves others wrote
        self._open = ""  # type arguments over several lines
        self._seams = Seams()
        self._gaps: tuple[str, ...] = ()

    def see(self, text: str) -> None:
        self._gaps = self._seams.gaps(text)

    def keep(self, body: str) -> None:
        """A line that was nothing on its own."""
        if half := FIRST_HALF.search(body):
            self.half = half[0]
        self.last, self._open = self._open or body, ""

    def keep_open(self, fragment: str, body: str) -> None:
        """Two lines that are nothing together, unless they are type arguments and a third follows."""
        if _OPEN.match(fragment) and len(fragment) + len(body) < _LONGEST:
            self._open = self._together(fragment, body)[0]

    def token(self, rest: str) -> str:
        """The symbol or path of which the last line is the first part, if it is one."""
        last = self.last
        return last.removesuffix("=") + rest if last and _CUT_TOKEN.match(last) else ""

    def paths(self, rest: str) -> list[str]:
        """The path of which the last line is the first part, broken at a space in it or at a column."""
        last = self.last
        if last[:1] != "/" or rest[:1] in "/<-" or len(last) >= _LONG_PATH:
            return []
        return [f"{last}{gap}{rest}" for gap in self._gaps]

    def header(self, rest: str) -> str:
        """The header whose second half this is."""
        second = SECOND_HALF.search(rest)
        return f"{self.half} {second[0]}" if second else ""

    def whole(self, rest: str) -> list[str]:
        """The last line and this one as one, in the likeliest way first."""
        return self._together(self.last, rest)

    def _together(self, fragment: str, body: str) -> list[str]:
        tight = fragment.removesuffix("=") + body
        if fragment.endswith("="):
            return [tight]
        spaced = f"{fragment} {body}"
        # only within type arguments may both be right; a field's type stands behind a space
        field = _FIELD.search(fragment) is not None and _TYPE.match(body) is not None
        cut = self._gaps[0] == "" and "[" in fragment and not field
        return [tight, spaced] if cut else [spaced, tight]

    def were_one(self) -> None:
        self._seams.was_one()
