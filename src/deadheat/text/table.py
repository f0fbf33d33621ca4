"""CSV rows as log stores export them: finds the column that contains the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.text.late import regex
from deadheat.text.records import mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# a cell: `text,`, `"text with ""quotes"", and commas",`
_CELL = regex(r'(?:"((?:[^"]|"")*)"|([^",]*))(,|$)')
# a prefix with a comma: "May 1, 2024 @ 12:00:00.123 ", "[1,3]<stderr>: ", "12:00:00,123 ERROR "
_PREFIX = regex(r"[^\",]{0,200}(?:, \w|[\[(][^\])\",]{0,200},|:\d\d,\d{3} )")
# minimum number of rows with the same number of columns; maximum number of columns
_FEW, _WIDE = 2, 100
# log levels do not identify a writer, and some log stores guess them
LEVELS = frozenset((
    "emergency", "alert", "critical", "fatal", "error", "err", "warning", "warn", "notice", "info",
    "debug", "trace", "default",
))  # fmt: skip


class Table(NamedTuple):
    """The columns of a table: the number, the one with the text, and those that identify the writer."""

    width: int
    column: int
    names: tuple[int, ...] = ()

    def cells(self, text: str) -> list[str] | None:
        """Returns the cells of a row, or None if it is not a row of this table."""
        cells = _cells(text) if "," in text else None
        return cells if cells is not None and len(cells) == self.width else None

    def writer(self, cells: Sequence[str]) -> str:
        return mark(",".join(cells[i] for i in self.names))


def table(prefix: str, following: Sequence[str]) -> Table | None:
    """Returns the table in which `prefix` precedes the text, if the following lines are its rows."""
    head = prefix.rstrip('"> |')
    if not head.endswith(",") or (before := _cells(head)) is None:
        return None
    rows, column = _rows(following), len(before) - 1
    return _table(before, column, rows) if rows and len(rows[0]) > column else None


def tables(first: str, following: Sequence[str]) -> Iterator[tuple[str, Table]]:
    """Yields each cell of a row with the table in which it is the text column."""
    cells = (None if _PREFIX.match(first) else _cells(first)) or []
    rows = _rows(following) if 1 < len(cells) < _WIDE else []
    if rows and len(rows[0]) == len(cells):
        for column, cell in enumerate(cells):
            yield cell, _table(cells, column, rows)


def _rows(following: Sequence[str]) -> list[list[str]]:
    """The cells of the lines, if all have the same number."""
    rows = [cells for text in following if text and (cells := _cells(text)) is not None]
    return rows if len(rows) >= _FEW and len({len(cells) for cells in rows}) == 1 else []


def _table(before: list[str], column: int, rows: list[list[str]]) -> Table:
    names = [i for i in range(column) if _is_name([before, *rows], i)]
    behind = [i for i in range(column + 1, len(rows[0])) if _is_name(rows, i, few=True)]
    return Table(len(rows[0]), column, (*names, *behind))


def _is_name(rows: list[list[str]], i: int, few: bool = False) -> bool:
    """Whether the values of a column repeat, as a writer's name does and a line number does not.

    `strict` requires more repetition: some log stores append many fields.
    """
    told = [mark(row[i]) for row in rows]
    if told[0].lower() in LEVELS or (few and not any(map(str.isalpha, told[0]))):
        return False
    return 3 * len({*told}) <= len(told) if few else len({*told}) < len(told)


def _cells(text: str) -> list[str] | None:
    cells, at, last = [], 0, ","
    while last:
        match = _CELL.match(text, at)
        if match is None:
            return None
        quoted, plain, last = match.groups()
        cells.append(plain if quoted is None else quoted.replace('""', '"'))
        at = match.end()
    return cells
