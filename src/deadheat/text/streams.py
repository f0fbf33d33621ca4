"""Splits interleaved output into streams, one per writer; learns the writers' prefixes."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from deadheat.text import lazy_compile, log_records
from deadheat.text.decoding import common_suffix
from deadheat.text.log_records import LinePiece, RecordOrder, unescape_lines, writer_name
from deadheat.text.prefixes import LineNumbering, line_number_prefix, split_prefixes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


# a cell: `text,`, `"text with ""quotes"", and commas",`
_CSV_CELL = lazy_compile(r'(?:"((?:[^"]|"")*)"|([^",]*))(,|$)')
# a prefix with a comma: "May 1, 2024 @ 12:00:00.123 ", "[1,3]<stderr>: ", "12:00:00,123 ERROR "
_PREFIX_WITH_COMMA = lazy_compile(r"[^\",]{0,200}(?:, \w|[\[(][^\])\",]{0,200},|:\d\d,\d{3} )")
# minimum number of rows with the same number of columns; maximum number of columns
_MIN_ROWS, _MAX_COLUMNS = 2, 100
# log levels do not identify a writer, and some log stores guess them
LOG_LEVELS = frozenset((
    "emergency", "alert", "critical", "fatal", "error", "err", "warning", "warn", "notice", "info",
    "debug", "trace", "default",
))  # fmt: skip


class LogTable(NamedTuple):
    """The columns of a table: the number, the one with the text, and those that identify the writer."""

    width: int
    text_column: int
    writer_columns: tuple[int, ...] = ()

    def parse_row(self, text: str) -> list[str] | None:
        """Returns the cells of a row, or None if it is not a row of this table."""
        cells = _split_cells(text) if "," in text else None
        return cells if cells is not None and len(cells) == self.width else None

    def row_writer(self, cells: Sequence[str]) -> str:
        return writer_name(",".join(cells[index] for index in self.writer_columns))


def table_after_prefix(prefix: str, following: Sequence[str]) -> LogTable | None:
    """Returns the table in which `prefix` precedes the text, if the following lines are its rows."""
    head = prefix.rstrip('"> |')
    if not head.endswith(",") or (first_cells := _split_cells(head)) is None:
        return None
    rows, column = _parse_rows(following), len(first_cells) - 1
    return _make_table(first_cells, column, rows) if rows and len(rows[0]) > column else None


def candidate_tables(first: str, following: Sequence[str]) -> Iterator[tuple[str, LogTable]]:
    """Yields each cell of a row with the table in which it is the text column."""
    cells = (None if _PREFIX_WITH_COMMA.match(first) else _split_cells(first)) or []
    rows = _parse_rows(following) if 1 < len(cells) < _MAX_COLUMNS else []
    if rows and len(rows[0]) == len(cells):
        for column, cell in enumerate(cells):
            yield cell, _make_table(cells, column, rows)


def _parse_rows(following: Sequence[str]) -> list[list[str]]:
    """The cells of the lines, if all have the same number."""
    rows = [cells for text in following if text and (cells := _split_cells(text)) is not None]
    return rows if len(rows) >= _MIN_ROWS and len({len(cells) for cells in rows}) == 1 else []


def _make_table(first_cells: list[str], column: int, rows: list[list[str]]) -> LogTable:
    names = [index for index in range(column) if _is_writer_column([first_cells, *rows], index)]
    trailing_columns = [
        index for index in range(column + 1, len(rows[0])) if _is_writer_column(rows, index, strict=True)
    ]
    return LogTable(len(rows[0]), column, (*names, *trailing_columns))


def _is_writer_column(rows: list[list[str]], index: int, strict: bool = False) -> bool:
    """Whether the values of a column repeat, as a writer's name does and a line number does not.

    `strict` requires more repetition: some log stores append many fields.
    """
    writers = [writer_name(row[index]) for row in rows]
    if writers[0].lower() in LOG_LEVELS or (strict and not any(map(str.isalpha, writers[0]))):
        return False
    return 3 * len({*writers}) <= len(writers) if strict else len({*writers}) < len(writers)


def _split_cells(text: str) -> list[str] | None:
    cells, position, separator = [], 0, ","
    while separator:
        match = _CSV_CELL.match(text, position)
        if match is None:
            return None
        quoted, unquoted, separator = match.groups()
        cells.append(unquoted if quoted is None else quoted.replace('""', '"'))
        position = match.end()
    return cells


# varies between `cart-7f9c-x1 app text` and `pay-5d6b-q9 app text`
_NAME_PART = lazy_compile(r"[\w.-]+")
# at most this many writers alternate in a sample of at least this many lines
_MAX_WRITERS, _MIN_LINES = 3, 4
_MAX_PREFIX_WORDS = 8


def alternating_prefix(prefix: str, following: Sequence[str]) -> tuple[re.Pattern[str], bool] | None:
    """Returns a pattern for the prefixes of all lines, and whether they name writers; or None.

    The text of `prefix` must be repeated. Text that all lines share is kept literally. If only the log
    level varies, there is one writer.
    """
    lines = [f"{text} " for text in following if text.strip()]
    prefix_words = prefix.split()
    if len(lines) < _MIN_LINES or not 0 < len(prefix_words) <= _MAX_PREFIX_WORDS or not prefix[-1:].isspace():
        return None
    line_words = [line.split(None, len(prefix_words))[: len(prefix_words)] for line in lines]
    if any(len(row_words) < len(prefix_words) for row_words in line_words):
        return None
    columns = list(zip(prefix_words, *line_words, strict=True))
    level_columns = [i for i, column in enumerate(columns) if len({*column}) > 1 and _are_log_levels(column)]
    prefix_writer, *line_writers = (
        _writer_of_words(row_words, level_columns) for row_words in zip(*columns, strict=True)
    )
    writer_count = len({prefix_writer, *line_writers})
    if prefix_writer not in line_writers or writer_count > _MAX_WRITERS or (writer_count > 1) is bool(level_columns):
        return None
    pattern = lazy_compile(r"\s+".join(map(_column_pattern, columns)) + r"\s")
    return (pattern, writer_count > 1) if all(map(pattern.match, lines)) else None


def _writer_of_words(row_words: Sequence[str], level_columns: Sequence[int]) -> str:
    return writer_name(" ".join(word for i, word in enumerate(row_words) if i not in level_columns))


def _are_log_levels(column: Sequence[str]) -> bool:
    """Whether these words are log levels: "INFO", "[error]", "[12:00:01]W:"."""
    levels = (writer_name(word).strip("[]():<>|-").lower() for word in column)
    return all(word in LOG_LEVELS or len(word) == 1 for word in levels)


def _column_pattern(column: Sequence[str]) -> str:
    word, *other_words = column
    if all(other_word == word for other_word in other_words):
        return re.escape(word)
    pattern_parts, position = [], 0
    for name in _NAME_PART.finditer(word):
        pattern_parts += [re.escape(word[position : name.start()]), r"[\w.-]+"]
        position = name.end()
    return "".join([*pattern_parts, re.escape(word[position:])])


StreamLine = tuple[str | None, str]
_StreamDepth = tuple[str | None, int]
# words that vary between lines or writers contain a digit, or are "AM" or "PM"
_VARYING_WORD = lazy_compile(r"\w*\d\w*|\b[AP]M\b")
# a line number without a separator: "118fatal error: concurrent map writes", "13-assert no"
_LINE_COUNT = lazy_compile(r" {0,9}(\d{1,7})[:-]?")
# spaces as `re.escape` writes them
_ESCAPED_SPACES = lazy_compile(r"(?:\\ )+")
# the rest of a quoted string after its opening quote
_QUOTED_STRING = {'"': lazy_compile(r'((?:[^"\\]|\\.)*)"'), "'": lazy_compile(r"((?:[^'\\]|\\.)*)'")}
# an escaped tab before a source line: `"\t/src/shop/cart.go:31 +0x45"`, "^I/src/shop/cart.go"
_ESCAPED_TAB = lazy_compile(r"^[\s\"'\[(,+-]{0,40}(?:\\t|\^I)(?=[/\w<])")
# fields that zap's console encoder appends: `main.main()\t{"job": "cart"}`
_ZAP_FIELDS = lazy_compile(r'\t\{"[\w.@-]{1,60}": [^\t]{0,2000}\}$')
# positions in a prefix where another prefix may begin
_WORD_START = lazy_compile(r"(?<=\s)\S|(?<=[^\w\s.:/-])[\w\[]")
_KEY_SEPARATORS = (":", "=", "=>")
# limit for a stream that never ends its line
_MAX_PARTIAL_LINE = 1 << 16
_MAX_LEARNT_PREFIXES = 8
# "[linux] ", "[unit : test] ", "<worker> ", "(3) ", "cart: ", "cart> ", "cart | ", "pkg/cart\t"
_LABEL_FORMS = tuple(
    map(
        lazy_compile,
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
_MAX_NESTING = 5
# number of lines that are enough for a decision
_SAMPLE_LINES = 8


class StreamSplitter:
    """Splits lines by writer; remembers the writers' prefixes of one region of text."""

    def __init__(self, first: str | None = None) -> None:
        # whether lines are numbered, as the first line shows
        self._numbering = LineNumbering(first is None or bool(line_number_prefix(first)))
        self._inner_numbering = LineNumbering.COUNT  # the same within other prefixes
        # pending text by stream and depth: nested transports may name the same stream
        self._partial_lines: dict[_StreamDepth, str] = {}
        self._held_lines: dict[_StreamDepth, str] = {}
        self._learnt_prefixes: list[tuple[re.Pattern[str], bool]] = []
        self._table: LogTable | None = None  # the table whose rows the lines are
        self._common_suffix = ""  # the suffix of every line
        self.record_order = RecordOrder.AUTO  # the order of the lines of one record
        self._head_pattern: re.Pattern[str] | None = None  # what names the writer before a known prefix
        self._has_inner_prefixes = False  # whether known prefixes follow the learnt ones

    def observe_report(self, first: str, following: Sequence[str]) -> None:
        """Examines the lines of a report for repeated line numbers or tags and a common suffix."""
        probe = StreamSplitter()
        probe._numbering = probe._inner_numbering = LineNumbering.NONE
        texts = [text for line in (first, *following) for _, text in probe.split_line(line)]
        self._common_suffix = "" if self._table else common_suffix(texts)
        if _repeats_first(list(map(line_number_prefix, texts[: _SAMPLE_LINES * (len(following) + 1)]))):
            self._numbering = self._inner_numbering = LineNumbering.NAME
        elif _repeats_first([writer_name(log_records.record_tag(text)) for text in (first, *following)]):
            self._numbering = self._inner_numbering = LineNumbering.TAGGED

    def copy_prefixes(self) -> StreamSplitter:
        """Returns a new splitter with the same prefixes."""
        copy = StreamSplitter()
        copy._numbering, copy._inner_numbering = self._numbering, self._inner_numbering
        copy._learnt_prefixes = list(self._learnt_prefixes)
        copy._table = self._table
        copy._common_suffix = self._common_suffix
        copy._has_inner_prefixes, copy._head_pattern = self._has_inner_prefixes, self._head_pattern
        copy.record_order = self.record_order
        return copy

    @property
    def prefix_key(self) -> tuple[object, ...]:
        """A key that is equal for splitters with the same prefixes."""
        learnt_prefixes = ((pattern.pattern, names_writer) for pattern, names_writer in self._learnt_prefixes)
        return self._numbering, self._table, self._common_suffix, *learnt_prefixes

    @property
    def has_pending(self) -> bool:
        """Whether a line waits for its end."""
        return bool(self._partial_lines or self._held_lines)

    def split_line(self, text: str) -> list[StreamLine]:
        """Returns the lines that a raw line completes, each with its stream."""
        pieces = split_prefixes(text, self._numbering, self.record_order)
        if len(pieces) == 1 and not (self._partial_lines or self._held_lines or self._learnt_prefixes or self._table):
            stream, inner_text, partial, continues_previous, is_nested = pieces[0]
            if not (partial or is_nested) and continues_previous is None:
                return [(stream, self._strip_decoration(inner_text))]
        return self._split_wrapped_line(None, text, _MAX_NESTING)

    def _split_wrapped_line(
        self, outer_stream: str | None, text: str, depth: int, use_learnt: bool = True
    ) -> list[StreamLine]:
        """Removes nested prefixes: kubectl around CRI around JSON around a timestamp.

        Learnt prefixes are removed only once (`use_learnt`): a report's own text may look like one.
        """
        stream_lines: list[StreamLine] = []
        if self._table and depth == _MAX_NESTING:
            row = self._table_cell(LinePiece(outer_stream, text))
            if row is not None:
                return self._split_wrapped_line(*row, depth - 1)
        numbering = self._numbering if depth == _MAX_NESTING else self._inner_numbering
        for piece in self._assign_writer(split_prefixes(text, numbering, self.record_order)):
            piece = piece._replace(stream=_nested_stream(outer_stream, piece.stream))
            if depth == _MAX_NESTING and (cell := self._table_cell(piece)) is not None:
                stream_lines += self._split_wrapped_line(*cell, depth - 1)
            elif piece.is_nested and depth:
                for line in self._finish_piece(piece, depth):
                    stream_lines += self._split_wrapped_line(*line, depth - 1, use_learnt)
            else:
                inner_piece = self._remove_learnt_prefix(piece) if use_learnt else piece
                if inner_piece is not piece and self._has_inner_prefixes and depth:
                    stream_lines += self._split_wrapped_line(inner_piece.stream, inner_piece.text, depth - 1, False)
                else:
                    stream_lines += self._finish_piece(
                        inner_piece._replace(text=self._strip_decoration(inner_piece.text)), depth
                    )
        return stream_lines

    def _assign_writer(self, pieces: list[LinePiece]) -> list[LinePiece]:
        """Assigns the pieces after a writer's label to that writer's stream."""
        if self._head_pattern is None or len(pieces) < 2 or not self._head_pattern.fullmatch(pieces[0].text):
            return pieces
        stream = _nested_stream(pieces[0].stream, writer_name(pieces[0].text))
        return [piece._replace(stream=stream) for piece in pieces[1:]]

    def _strip_decoration(self, text: str) -> str:
        """Removes the common suffix and appended fields; resolves escaped quotes and tabs."""
        if self._common_suffix:
            text = text.removesuffix(self._common_suffix)
        if text.endswith("}") and (fields := _ZAP_FIELDS.search(text)):
            text = text[: fields.start()]
        if '\\"' in text:
            text = text.replace('\\"', '"')
        return _ESCAPED_TAB.sub("\t", text) if "\\t" in text or "^I" in text else text

    def _table_cell(self, piece: LinePiece) -> StreamLine | None:
        """Returns the writer and the text of a table row."""
        cells = self._table.parse_row(piece.text) if self._table else None
        if self._table is None or cells is None:
            return None
        writer = self._table.row_writer(cells)
        return "/".join(filter(None, (piece.stream, writer))) or None, cells[self._table.text_column]

    def use_table(self, table: LogTable) -> None:
        self._table = table

    def flush_pending(self) -> list[StreamLine]:
        """Returns the pending lines at the end of the text."""
        rest = [*self._held_lines.items(), *self._partial_lines.items()]
        self._held_lines, self._partial_lines = {}, {}
        return [line for (stream, _), text in rest for line in self._split_wrapped_line(stream, text, _MAX_NESTING)]

    def learn_prefix(self, prefix: str, following: Sequence[str]) -> bool:
        """Learns `prefix`, found before a report's first line, as a prefix of a writer.

        The following lines must have a prefix of the same form. If one of them has the same text
        apart from times, the text names the writer; if all differ, the digits are line numbers.
        """
        if (table := table_after_prefix(prefix, following)) is not None:
            self._table = table
            return True
        if self._learn_outer_label(prefix, following) or self._learn_pattern(prefix, following):
            return True
        return self._learn_alternating(prefix, following)

    def learn_line_count(self, prefix: str, following: Sequence[str]) -> bool:
        """Learns `prefix` as a line number without separator, if the following lines count on."""
        count_match = _LINE_COUNT.fullmatch(prefix)
        if count_match is None or len(following) < _SAMPLE_LINES // 2:
            return False
        numbered_lines = enumerate(following, int(count_match[1]) + 1)
        if not all(text.lstrip().startswith(str(number)) for number, text in numbered_lines):
            return False
        self._learnt_prefixes = [*self._learnt_prefixes[1 - _MAX_LEARNT_PREFIXES :], (_LINE_COUNT, False)]
        return True

    def _learn_outer_label(self, prefix: str, following: Sequence[str]) -> bool:
        """Learns a writer's label that stands before a known prefix."""
        for label in _LABEL_FORMS:
            match = label.match(prefix)
            if match and match.end() < len(prefix) and _common_label(match[0], following) is label:
                inner_pieces = split_prefixes(prefix[match.end() :])
                is_repeated = any(text.startswith(match[0]) for text in following)
                if is_repeated and len(inner_pieces) == 1 and not inner_pieces[0].text.strip():
                    self._learnt_prefixes = [*self._learnt_prefixes[1 - _MAX_LEARNT_PREFIXES :], (label, True)]
                    self._has_inner_prefixes = True
                    return True
                break
        outer_prefix = prefix[: _known_prefix_start(prefix)]
        if outer_prefix.strip() and outer_prefix != prefix and self._learn_pattern(outer_prefix, following):
            self._has_inner_prefixes = True
            return True
        return False

    def _learn_pattern(self, prefix: str, following: Sequence[str]) -> bool:
        min_lines = max(_min_prefix_lines(prefix, following), 1)
        head = _VARYING_WORD.split(prefix.rstrip(), maxsplit=1)[0]
        if sum(text.startswith(head) for text in following) < min_lines:
            return False
        pattern = _prefix_pattern(prefix)
        writers = [writer_name(match[0]) for text in following if (match := pattern.match(text + " "))]
        if len(writers) < min_lines:
            return False
        name = writer_name(prefix)
        # brackets around a time are not a name
        names_writer = name in writers and (name == prefix.strip() or any(map(str.isalnum, name)))
        if names_writer and (label := _common_label(prefix, following)):
            pattern = label  # the labels of other writers have the same form
        elif names_writer:
            pattern, names_writer = alternating_prefix(prefix, following) or (pattern, names_writer)
        self._learnt_prefixes = [*self._learnt_prefixes[1 - _MAX_LEARNT_PREFIXES :], (pattern, names_writer)]
        return True

    def learn_head_label(self, head: str, other_heads: Sequence[str]) -> bool:
        """Learns the text before a known prefix as a label, if several writers alternate."""
        pattern, names_writer = alternating_prefix(head, other_heads) or (None, False)
        self._head_pattern = pattern if names_writer else None
        return self._head_pattern is not None

    def _learn_alternating(self, prefix: str, following: Sequence[str]) -> bool:
        """Learns a prefix that alternates between writers: `cart-x1 app text`."""
        if (alternating := alternating_prefix(prefix, following)) is not None:
            self._learnt_prefixes = [*self._learnt_prefixes[1 - _MAX_LEARNT_PREFIXES :], alternating]
        return alternating is not None

    def _remove_learnt_prefix(self, piece: LinePiece) -> LinePiece:
        for pattern, names_writer in self._learnt_prefixes:
            if match := pattern.match(piece.text + " "):
                writer = writer_name(match[0]) if names_writer else ""
                stream = "/".join(filter(None, (piece.stream, writer))) or None
                text = _string_value(match[0].rstrip(), piece.text[match.end() :])
                return piece._replace(stream=stream, text=text)
        return piece

    def _finish_piece(self, piece: LinePiece, depth: int) -> list[StreamLine]:
        stream_key, text = (piece.stream, depth), piece.text
        if piece.continues_previous is not None:
            return self._hold_line(stream_key, text, piece.continues_previous)
        if before := self._partial_lines.pop(stream_key, ""):
            text = before + text
        if piece.partial and len(text) < _MAX_PARTIAL_LINE:
            self._partial_lines[stream_key] = text
            return []
        return [(piece.stream, text)]

    def _hold_line(self, stream_key: _StreamDepth, text: str, continues_previous: bool) -> list[StreamLine]:
        """Holds a line until the next one shows that it is complete."""
        before = self._held_lines.pop(stream_key, None)
        if continues_previous and before is not None and len(before) < _MAX_PARTIAL_LINE:
            self._held_lines[stream_key] = before + text
            return []
        self._held_lines[stream_key] = text
        return [] if before is None else [(stream_key[0], before)]


def _repeats_first(writers: Sequence[str]) -> bool:
    """Whether a label is repeated; the first line must have one."""
    labelled = [writer for writer in writers if writer]
    return bool(writers and writers[0]) and len({*labelled}) < len(labelled)


def _nested_stream(outer_stream: str | None, stream: str | None) -> str | None:
    """The name of a stream nested in another; unchanged if the label is repeated."""
    if outer_stream and stream and (outer_stream == stream or outer_stream.endswith(f"/{stream}")):
        return outer_stream
    return "/".join(filter(None, (outer_stream, stream))) or None


def _min_prefix_lines(prefix: str, following: Sequence[str]) -> float:
    """The number of lines that must have the prefix.

    A log line that was not finished may share it by chance. Where every line has a label in brackets, as
    in Jenkins pipelines, writers alternate.
    """
    non_blank = [text for text in following if text.strip()]
    return 1 if _common_label(prefix, non_blank) else 0.4 * len(non_blank)


def _common_label(prefix: str, following: Sequence[str]) -> re.Pattern[str] | None:
    """The label form that `prefix` and all following lines have, if there is one."""
    for label in _LABEL_FORMS:
        if label.fullmatch(prefix):
            fits = all(label.match(f"{text} ") for text in following if text.strip())
            return label if fits else None
    return None


def _known_prefix_start(prefix: str) -> int:
    """The offset at which a known prefix with a writer begins; the length if there is none."""
    for word_start in islice(_WORD_START.finditer(prefix), _SAMPLE_LINES):
        rest_pieces = split_prefixes(prefix[word_start.start() :])
        is_known = (
            len(rest_pieces) == 1
            and not rest_pieces[0].text.strip()
            and (rest_pieces[0].stream or rest_pieces[0].is_nested)
        )
        if is_known and not line_number_prefix(prefix[word_start.start() :]):
            return word_start.start()
    return len(prefix)


def _string_value(prefix: str, text: str) -> str:
    """The contents of a string that is the value of a key; other strings are source code and stay."""
    quote = _QUOTED_STRING.get(prefix[-1:]) if prefix[:-1].rstrip().endswith(_KEY_SEPARATORS) else None
    string = quote.match(text) if quote else None
    return unescape_lines(string[1]).rstrip("\n") if string else text


def _prefix_pattern(prefix: str) -> re.Pattern[str]:
    """A pattern for the same prefix on other lines; it allows one space at the end."""
    body = prefix.rstrip()
    pattern_parts: list[str] = []
    position = 0
    for match in _VARYING_WORD.finditer(body):
        pattern_parts += [re.escape(body[position : match.start()]), r"\w+"]
        position = match.end()
    pattern_parts.append(re.escape(body[position:]))
    # numbers are right-aligned
    pattern = _ESCAPED_SPACES.sub(" +", "".join(pattern_parts))
    return lazy_compile(pattern + (r"\s" if body != prefix else ""))
