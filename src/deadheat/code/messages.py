"""The messages of the commits on the main line, cached with its history."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from deadheat.code import quotes, words
from deadheat.code.words import Message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.code.git import Git
    from deadheat.code.history import MainLine
    from deadheat.code.quotes import Quote, Quoted
    from deadheat.model import Report

_WORDS = "pos, subject, message, author, time, parents"


class Messages:
    """Commit messages by position."""

    def __init__(self, git: Git, main: MainLine) -> None:
        self._git, self._main = git, main
        self._said: dict[int, Message] = {}

    def said(self, pos: int) -> Message:
        self._hear()
        if pos not in self._said:
            (self._said[pos],) = self._messages("pos = ?", pos).values()
        return self._said[pos]

    def change(self, number: str) -> int | None:
        """The position of the commit whose subject names this pull request: `(#30487)`."""
        self._hear()
        rows = self._main.database.execute(
            "SELECT pos, subject FROM words WHERE subject LIKE ? AND pos <= ? ORDER BY pos",
            (f"%#{number}%", self._main.end),
        )
        return next((pos for pos, subject in rows if words.change(subject) == number), None)

    def heard(self, after: int, also: Iterable[int], numbers: Iterable[str]) -> dict[int, Message]:
        """Messages of later commits: those about races, those that name an issue, and the given ones."""
        found = {pos: said for pos, said in self._racy.items() if pos > after}
        for number in numbers:
            found |= self._messages("pos > ? AND message LIKE ?", after, f"%{number}%")
        for pos in also:
            if pos not in found:
                found[pos] = self.said(pos)
        return found

    @cached_property
    def _racy(self) -> dict[int, Message]:
        """Messages about races and synchronization."""
        self._hear()
        return self._messages("racy")

    @cached_property
    def _quotes(self) -> list[Quote]:
        return list(quotes.quotes(self._racy))

    def quoting(self, report: Report) -> Quoted:
        """The commits that quote a report, and those that quote other reports of its race."""
        return quotes.quoted(report, self._quotes)

    def _messages(self, where: str, *values: object) -> dict[int, Message]:
        rows = self._main.database.execute(
            f"SELECT {_WORDS} FROM words WHERE {where} AND pos <= ?", (*values, self._main.end)
        )
        return {row[0]: Message(*row[1:]) for row in rows}

    def _hear(self) -> None:
        """Reads messages that are not stored yet."""
        (known,) = self._main.database.execute(
            "SELECT coalesce(max(pos), -1) FROM words"
        ).fetchone()
        if known >= self._main.end:
            return
        heard = self._git.objects(self._main.commits[known + 1 :])
        rows = []
        for pos, (_, content) in enumerate(heard, known + 1):
            told = words.message(content or b"")
            rows.append(
                (pos, told.is_racy, told.subject, told.text, told.author, told.time, told.parents)
            )
        with self._main.database:
            self._main.database.executemany(
                "INSERT OR REPLACE INTO words VALUES (?, ?, ?, ?, ?, ?, ?)",
                rows,
            )
