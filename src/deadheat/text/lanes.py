"""Splits interleaved output into streams, one per writer."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from deadheat.text import records
from deadheat.text.clean import tail
from deadheat.text.escapes import unescaped
from deadheat.text.late import regex
from deadheat.text.peel import Numbers, number, peel
from deadheat.text.records import Piece, mark
from deadheat.text.siblings import siblings
from deadheat.text.stamps import Turn
from deadheat.text.table import table as table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.text.table import Table

LaneLine = tuple[str | None, str]
_Place = tuple[str | None, int]
# words that vary between lines or writers contain a digit, or are "AM" or "PM"
_COUNTED = regex(r"\w*\d\w*|\b[AP]M\b")
# a line number without a separator: "118fatal error: concurrent map writes", "13-assert no"
_COUNT = regex(r" {0,9}(\d{1,7})[:-]?")
# spaces as `re.escape` writes them
_SPACES = regex(r"(?:\\ )+")
# the rest of a quoted string after its opening quote
_QUOTED = {'"': regex(r'((?:[^"\\]|\\.)*)"'), "'": regex(r"((?:[^'\\]|\\.)*)'")}
# an escaped tab before a source line: `"\t/src/shop/cart.go:31 +0x45"`, "^I/src/shop/cart.go"
_TAB = regex(r"^[\s\"'\[(,+-]{0,40}(?:\\t|\^I)(?=[/\w<])")
# fields that zap's console encoder appends: `main.main()\t{"job": "cart"}`
_FIELDS = regex(r'\t\{"[\w.@-]{1,60}": [^\t]{0,2000}\}$')
# positions in a prefix where another prefix may begin
_WORD = regex(r"(?<=\s)\S|(?<=[^\w\s.:/-])[\w\[]")
_KEYED = (":", "=", "=>")
# limit for a stream that never ends its line
_MAX_PARTIAL = 1 << 16
_MAX_LEARNT = 8
# "[linux] ", "[unit : test] ", "<worker> ", "(3) ", "cart: ", "cart> ", "cart | ", "pkg/cart\t"
_LABELS = tuple(
    map(
        regex,
        (
            r"\[[^\[\]]{1,80}\]\s",
            r"<[^\s<>]{1,80}>\s",
            r"\([^\s()]{1,80}\)\s",
            r"[^\s:]{1,80}(?::[^\s:]{1,80})?:\s",
            r"[^\s>]{1,80}>\s",
            r"[^\s|]{1,80} {0,40}\|\s",
            r"[^\t]{1,80}\t",
        ),
    )
)
_MAX_DEPTH = 5
# number of lines that are enough for a decision
_FEW = 8


class Lanes:
    """Splits lines by writer; remembers the writers' prefixes of one region of text."""

    def __init__(self, first: str | None = None) -> None:
        # whether lines are numbered, as the first line shows
        self._numbered = Numbers(first is None or bool(number(first)))
        self._inner = Numbers.COUNT  # the same within other prefixes
        # pending text by stream and depth: nested transports may name the same stream
        self._open: dict[_Place, str] = {}
        self._held: dict[_Place, str] = {}
        self._learnt: list[tuple[re.Pattern[str], bool]] = []
        self._table: Table | None = None  # the table whose rows the lines are
        self._tail = ""  # the suffix of every line
        self.turn = Turn.TOLD  # the order of the lines of one record
        self._head: re.Pattern[str] | None = None  # what names the writer before a known prefix
        self._deep = False  # whether known prefixes follow the learnt ones

    def heed(self, first: str, following: Sequence[str]) -> None:
        """Examines the lines of a report for repeated line numbers or tags and a common suffix."""
        probe = Lanes()
        probe._numbered = probe._inner = Numbers.NONE
        texts = [text for line in (first, *following) for _, text in probe.split(line)]
        self._tail = "" if self._table else tail(texts)
        if _comes_again(list(map(number, texts[: _FEW * (len(following) + 1)]))):
            self._numbered = self._inner = Numbers.NAME
        elif _comes_again([mark(records.tag(text)) for text in (first, *following)]):
            self._numbered = self._inner = Numbers.TAGGED

    def fork(self) -> Lanes:
        """Returns a new splitter with the same prefixes."""
        other = Lanes()
        other._numbered, other._inner = self._numbered, self._inner
        other._learnt = list(self._learnt)
        other._table = self._table
        other._tail = self._tail
        other._deep, other._head = self._deep, self._head
        other.turn = self.turn
        return other

    @property
    def form(self) -> tuple[object, ...]:
        """A key that is equal for splitters with the same prefixes."""
        learnt = ((shape.pattern, names) for shape, names in self._learnt)
        return self._numbered, self._table, self._tail, *learnt

    @property
    def waiting(self) -> bool:
        """Whether a line waits for its end."""
        return bool(self._open or self._held)

    def split(self, text: str) -> list[LaneLine]:
        """Returns the lines that a raw line completes, each with its stream."""
        pieces = peel(text, self._numbered, self.turn)
        if len(pieces) == 1 and not (self._open or self._held or self._learnt or self._table):
            lane, inner, partial, joins, nested = pieces[0]
            if not (partial or nested) and joins is None:
                return [(lane, self._bare(inner))]
        return self._peeled(None, text, _MAX_DEPTH)

    def _peeled(
        self, outer: str | None, text: str, depth: int, learnt: bool = True
    ) -> list[LaneLine]:
        """Removes nested prefixes: kubectl around CRI around JSON around a timestamp.

        Learnt prefixes are removed only once (`use_learnt`): a report's own text may look like one.
        """
        out: list[LaneLine] = []
        if self._table and depth == _MAX_DEPTH:
            row = self._cell(Piece(outer, text))
            if row is not None:
                return self._peeled(*row, depth - 1)
        numbered = self._numbered if depth == _MAX_DEPTH else self._inner
        for piece in self._owned(peel(text, numbered, self.turn)):
            piece = piece._replace(lane=_within(outer, piece.lane))
            if depth == _MAX_DEPTH and (cell := self._cell(piece)) is not None:
                out += self._peeled(*cell, depth - 1)
            elif piece.inner and depth:
                for line in self._finished(piece, depth):
                    out += self._peeled(*line, depth - 1, learnt)
            else:
                inner = self._unprefixed(piece) if learnt else piece
                if inner is not piece and self._deep and depth:
                    out += self._peeled(inner.lane, inner.text, depth - 1, False)
                else:
                    out += self._finished(inner._replace(text=self._bare(inner.text)), depth)
        return out

    def _owned(self, pieces: list[Piece]) -> list[Piece]:
        """Assigns the pieces after a writer's label to that writer's stream."""
        if self._head is None or len(pieces) < 2 or not self._head.fullmatch(pieces[0].text):
            return pieces
        lane = _within(pieces[0].lane, mark(pieces[0].text))
        return [piece._replace(lane=lane) for piece in pieces[1:]]

    def _bare(self, text: str) -> str:
        """Removes the common suffix and appended fields; resolves escaped quotes and tabs."""
        if self._tail:
            text = text.removesuffix(self._tail)
        if text.endswith("}") and (fields := _FIELDS.search(text)):
            text = text[: fields.start()]
        if '\\"' in text:
            text = text.replace('\\"', '"')
        return _TAB.sub("\t", text) if "\\t" in text or "^I" in text else text

    def _cell(self, piece: Piece) -> LaneLine | None:
        """Returns the writer and the text of a table row."""
        cells = self._table.cells(piece.text) if self._table else None
        if self._table is None or cells is None:
            return None
        writer = self._table.writer(cells)
        return "/".join(filter(None, (piece.lane, writer))) or None, cells[self._table.column]

    def tabulate(self, table: Table) -> None:
        self._table = table

    def flush(self) -> list[LaneLine]:
        """Returns the pending lines at the end of the text."""
        rest = [*self._held.items(), *self._open.items()]
        self._held, self._open = {}, {}
        return [line for (lane, _), text in rest for line in self._peeled(lane, text, _MAX_DEPTH)]

    def learn(self, prefix: str, following: Sequence[str]) -> bool:
        """Learns `prefix`, found before a report's first line, as a prefix of a writer.

        The following lines must have a prefix of the same form. If one of them has the same text
        apart from times, the text names the writer; if all differ, the digits are line numbers.
        """
        if (table := table_of(prefix, following)) is not None:
            self._table = table
            return True
        if self._learn_outer(prefix, following) or self._learn_shape(prefix, following):
            return True
        return self._learn_siblings(prefix, following)

    def counts(self, prefix: str, following: Sequence[str]) -> bool:
        """Learns `prefix` as a line number without separator, if the following lines count on."""
        begin = _COUNT.fullmatch(prefix)
        if begin is None or len(following) < _FEW // 2:
            return False
        told = enumerate(following, int(begin[1]) + 1)
        if not all(text.lstrip().startswith(str(number)) for number, text in told):
            return False
        self._learnt = [*self._learnt[1 - _MAX_LEARNT :], (_COUNT, False)]
        return True

    def _learn_outer(self, prefix: str, following: Sequence[str]) -> bool:
        """Learns a writer's label that stands before a known prefix."""
        for label in _LABELS:
            match = label.match(prefix)
            if match and match.end() < len(prefix) and _label(match[0], following) is label:
                inner = peel(prefix[match.end() :])
                again = any(text.startswith(match[0]) for text in following)
                if again and len(inner) == 1 and not inner[0].text.strip():
                    self._learnt = [*self._learnt[1 - _MAX_LEARNT :], (label, True)]
                    self._deep = True
                    return True
                break
        outer = prefix[: _known_from(prefix)]
        if outer.strip() and outer != prefix and self._learn_shape(outer, following):
            self._deep = True
            return True
        return False

    def _learn_shape(self, prefix: str, following: Sequence[str]) -> bool:
        few = max(_enough(prefix, following), 1)
        head = _COUNTED.split(prefix.rstrip(), maxsplit=1)[0]
        if sum(text.startswith(head) for text in following) < few:
            return False
        shape = _shape(prefix)
        marks = [mark(match[0]) for text in following if (match := shape.match(text + " "))]
        if len(marks) < few:
            return False
        name = mark(prefix)
        # brackets around a time are not a name
        names = name in marks and (name == prefix.strip() or any(map(str.isalnum, name)))
        if names and (label := _label(prefix, following)):
            shape = label  # the labels of other writers have the same form
        elif names:
            shape, names = siblings(prefix, following) or (shape, names)
        self._learnt = [*self._learnt[1 - _MAX_LEARNT :], (shape, names)]
        return True

    def learn_head(self, head: str, others: Sequence[str]) -> bool:
        """Learns the text before a known prefix as a label, if several writers alternate."""
        shape, names = siblings(head, others) or (None, False)
        self._head = shape if names else None
        return self._head is not None

    def _learn_siblings(self, prefix: str, following: Sequence[str]) -> bool:
        """Learns a prefix that alternates between writers: `cart-x1 app text`."""
        if (told := siblings(prefix, following)) is not None:
            self._learnt = [*self._learnt[1 - _MAX_LEARNT :], told]
        return told is not None

    def _unprefixed(self, piece: Piece) -> Piece:
        for shape, names in self._learnt:
            if match := shape.match(piece.text + " "):
                writer = mark(match[0]) if names else ""
                lane = "/".join(filter(None, (piece.lane, writer))) or None
                text = _of_string(match[0].rstrip(), piece.text[match.end() :])
                return piece._replace(lane=lane, text=text)
        return piece

    def _finished(self, piece: Piece, depth: int) -> list[LaneLine]:
        place, text = (piece.lane, depth), piece.text
        if piece.joins is not None:
            return self._hold(place, text, piece.joins)
        if before := self._open.pop(place, ""):
            text = before + text
        if piece.partial and len(text) < _MAX_PARTIAL:
            self._open[place] = text
            return []
        return [(piece.lane, text)]

    def _hold(self, place: _Place, text: str, joins: bool) -> list[LaneLine]:
        """Holds a line until the next one shows that it is complete."""
        before = self._held.pop(place, None)
        if joins and before is not None and len(before) < _MAX_PARTIAL:
            self._held[place] = before + text
            return []
        self._held[place] = text
        return [] if before is None else [(place[0], before)]


def _comes_again(marks: Sequence[str]) -> bool:
    """Whether a label is repeated; the first line must have one."""
    told = [mark for mark in marks if mark]
    return bool(marks and marks[0]) and len({*told}) < len(told)


def _within(outer: str | None, lane: str | None) -> str | None:
    """The name of a stream nested in another; unchanged if the label is repeated."""
    if outer and lane and (outer == lane or outer.endswith(f"/{lane}")):
        return outer
    return "/".join(filter(None, (outer, lane))) or None


def _enough(prefix: str, following: Sequence[str]) -> float:
    """The number of lines that must have the prefix.

    A log line that was not finished may share it by chance. Where every line has a label in brackets, as
    in Jenkins pipelines, writers alternate.
    """
    written = [text for text in following if text.strip()]
    return 1 if _label(prefix, written) else 0.4 * len(written)


def _label(prefix: str, following: Sequence[str]) -> re.Pattern[str] | None:
    """The label form that `prefix` and all following lines have, if there is one."""
    for label in _LABELS:
        if label.fullmatch(prefix):
            fits = all(label.match(f"{text} ") for text in following if text.strip())
            return label if fits else None
    return None


def _known_from(prefix: str) -> int:
    """The offset at which a known prefix with a writer begins; the length if there is none."""
    for word in islice(_WORD.finditer(prefix), _FEW):
        rest = peel(prefix[word.start() :])
        known = len(rest) == 1 and not rest[0].text.strip() and (rest[0].lane or rest[0].inner)
        if known and not number(prefix[word.start() :]):
            return word.start()
    return len(prefix)


def _of_string(prefix: str, text: str) -> str:
    """The contents of a string that is the value of a key; other strings are source code and stay."""
    quote = _QUOTED.get(prefix[-1:]) if prefix[:-1].rstrip().endswith(_KEYED) else None
    string = quote.match(text) if quote else None
    return unescaped(string[1]).rstrip("\n") if string else text


def _shape(prefix: str) -> re.Pattern[str]:
    """A pattern for the same prefix on other lines; it allows one space at the end."""
    body = prefix.rstrip()
    words: list[str] = []
    at = 0
    for match in _COUNTED.finditer(body):
        words += [re.escape(body[at : match.start()]), r"\w+"]
        at = match.end()
    words.append(re.escape(body[at:]))
    # numbers are right-aligned
    told = _SPACES.sub(" +", "".join(words))
    return regex(told + (r"\s" if body != prefix else ""))
