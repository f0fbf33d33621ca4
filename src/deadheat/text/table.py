"""Rows of cells, as log stores export them: which of a row's cells holds a line of somebody's text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

# a cell of a row: `text,`, `"text with ""quotes"", and commas",`
_CELL = regex(r'(?:"((?:[^"]|"")*)"|([^",]*))(,|$)')


class Table(NamedTuple):
    """Rows of cells, one of which holds a line of somebody's text."""

    width: int
    column: int

    def cells(self, text: str) -> list[str] | None:
        """The cells of a row of this table."""
        cells = _cells(text)
        return cells if cells is not None and len(cells) == self.width else None


def table(prefix: str, following: Sequence[str]) -> Table | None:
    """The table that a report's line stands in behind `prefix`, if the following lines are its rows."""
    head = prefix.rstrip('"> |')
    if not head.endswith(",") or (before := _cells(head)) is None:
        return None
    widths = {len(cells) for text in following if (cells := _cells(text)) is not None}
    column = len(before) - 1
    return Table(width, column) if len(widths) == 1 and (width := widths.pop()) > column else None


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
