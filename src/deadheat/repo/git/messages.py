"""Commit messages of the main line, and the race reports that they quote; cached with its history."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deadheat.grouping.fingerprint import report_fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.model import Report
    from deadheat.repo.git import GitReader
    from deadheat.repo.git.history import MainLine

    SiteLines = frozenset[tuple[str, int]]

DATA_RACE_PHRASE = re.compile(r"\bdata[ -]?rac(?:e|es|ing)\b|\brac(?:e|es|y) condition", re.IGNORECASE)
SYNCHRONIZATION_PHRASE = re.compile(
    r"\b(?:data.?)?rac(?:e|es|y|ing)\b|\bthread.?safe\w*|synchroni[sz]\w*|\bmutex\b|\batomic\w*"
    r"|\bt(?:hread)?san(?:itizer)?\b|\bkcsan\b|\bhelgrind\b"
    r"|\block(?:ing|s|ed)?\b|\bconcurrent (?:access|map|read|write|use|modif)\w*",
    re.IGNORECASE,
)
_RACE_WORD = re.compile(
    r"\brac(?:e|es|y|ing)\b|\bthread.?safe\w*|\bt(?:hread)?san(?:itizer)?\b|\bkcsan\b|\bhelgrind\b", re.IGNORECASE
)
# "close #31965", "fixes pingcap/tidb#31965", "Closes https://github.com/pingcap/tidb/issues/31965"
_CLOSED_ISSUE = re.compile(r"\b(?:close|fix|resolve)[sd]?:? +(\S{0,80}?)(?:#|issues/)(\d{1,9})\b", re.IGNORECASE)
# the same without the verb
_NAMED_ISSUE = re.compile(r"(?<![\w./:-])([\w./:-]{0,100}?)(?:#|issues/)(\d{1,9})\b")
# "fix it (#30487)", "Merge pull request #30487 from …": the number of the pull request
_CHANGE_NUMBER = re.compile(r"\(#(\d{1,9})\)|^Merge pull request #(\d{1,9})\b")


class IssueName(NamedTuple):
    """An issue that a message names."""

    tracker: str  # "pingcap/tidb", "https://github.com/pingcap/tidb/", or "" for that of the repository itself
    number: str


class CommitMessage(NamedTuple):
    subject: str
    text: str
    author: str
    time: int
    parent_count: int

    @property
    def is_race_related(self) -> bool:
        return self.names_data_race or SYNCHRONIZATION_PHRASE.search(self.subject) is not None

    @property
    def names_race(self) -> bool:
        """Whether the message is about a race, and not only about locks."""
        return self.names_data_race or _RACE_WORD.search(self.subject) is not None

    @property
    def names_data_race(self) -> bool:
        """Whether the message mentions a data race or race condition."""
        return _names_data_race(self.text)

    @property
    def closed_issues(self) -> tuple[IssueName, ...]:
        return _find_closed_issues(self.text)

    @property
    def named_issues(self) -> tuple[IssueName, ...]:
        return tuple(IssueName(*found) for found in _NAMED_ISSUE.findall(self.text))


@lru_cache(maxsize=1 << 14)
def _names_data_race(text: str) -> bool:
    # fast check: most messages do not contain these letters
    return "rac" in text.lower() and DATA_RACE_PHRASE.search(text) is not None


@lru_cache(maxsize=1 << 14)
def _find_closed_issues(text: str) -> tuple[IssueName, ...]:
    return tuple(IssueName(*found) for found in _CLOSED_ISSUE.findall(text))


def parse_commit(content: bytes) -> CommitMessage:
    header, _, text = content.decode("utf-8", "replace").partition("\n\n")
    author, time, parents = "", 0, 0
    for line in header.split("\n"):
        if line.startswith("author "):
            author, _, stamp = line[7:].rpartition("> ")
            author += ">"
            first = stamp.split(" ")[0]
            time = int(first) if first.isdigit() else 0
        parents += line.startswith("parent ")
    subject = text.partition("\n")[0].strip()
    if parents > 1 and (rest := text.partition("\n")[2].strip()):
        # the subject of a merge only names the branch
        subject += f": {rest.partition(chr(10))[0]}"
    return CommitMessage(subject, text, author, time, parents)


def change_number(subject: str) -> str | None:
    """The pull request number in a subject; of several, the last, which GitHub adds."""
    found = _CHANGE_NUMBER.findall(subject)
    return next((number for pair in reversed(found) for number in pair if number), None)


# text that every report of some detector contains
_REPORT_TEXT = re.compile(
    r"[Pp]revious (?:atomic )?(?:read|write)|WARNING: DATA RACE|ThreadSanitizer|KCSAN"
    r"|Possible data race|Conflicting (?:load|store)|concurrent map"
)


class QuotedReport(NamedTuple):
    """A report in the message of the commit at a position."""

    position: int
    fingerprint: str
    sites: SiteLines


class QuotingCommits(NamedTuple):
    """Positions of commits that quote the same report, and of others that quote the same race."""

    same_report: frozenset[int] = frozenset()
    same_race: frozenset[int] = frozenset()


def racing_sites(report: Report) -> SiteLines:
    """The racing functions with their lines; empty if one of the two is unknown."""
    found = [(a.site.function, a.site.line or 0) for a in report.accesses if a.site]
    is_complete = len(found) > 1 and all(line for _, line in found)
    return frozenset(found) if is_complete else frozenset()


_COLUMNS = "pos, subject, message, author, time, parents"


class MessageStore:
    """Commit messages by position."""

    def __init__(self, git: GitReader, main: MainLine) -> None:
        self._git, self._main = git, main
        self._by_position: dict[int, CommitMessage] = {}

    def message_at(self, pos: int) -> CommitMessage:
        self._load_messages()
        if pos not in self._by_position:
            (self._by_position[pos],) = self._select_messages("pos = ?", pos).values()
        return self._by_position[pos]

    def position_of_change(self, number: str) -> int | None:
        """The position of the commit whose subject names this pull request: `(#30487)`."""
        self._load_messages()
        query = "SELECT pos, subject FROM words WHERE subject LIKE ? AND pos <= ? ORDER BY pos"
        rows = self._main.database.execute(query, (f"%#{number}%", self._main.last_position))
        return next((pos for pos, subject in rows if change_number(subject) == number), None)

    def messages_after(
        self, after_position: int, positions: Iterable[int], numbers: Iterable[str]
    ) -> dict[int, CommitMessage]:
        """Messages of later commits: those about races, those that name an issue, and the given ones."""
        found = {pos: message for pos, message in self._race_related.items() if pos > after_position}
        for number in numbers:
            found |= self._select_messages("pos > ? AND message LIKE ?", after_position, f"%{number}%")
        for pos in positions:
            if pos not in found:
                found[pos] = self.message_at(pos)
        return found

    @cached_property
    def _race_related(self) -> dict[int, CommitMessage]:
        """Messages about races and synchronization."""
        self._load_messages()
        return self._select_messages("racy")

    @cached_property
    def _quoted_reports(self) -> list[QuotedReport]:
        from deadheat.api import scan_text

        quoting = [(pos, m.text) for pos, m in self._race_related.items() if _REPORT_TEXT.search(m.text)]
        return [
            QuotedReport(pos, sighting.verdict.fingerprint, racing_sites(sighting.report))
            for pos, text in quoting
            for sighting in scan_text(text, "message", diagnose=False)
        ]

    def commits_quoting(self, report: Report) -> QuotingCommits:
        """The commits that quote a report, and those that quote other reports of its race."""
        sites, race = racing_sites(report), report_fingerprint(report)
        same_report = frozenset(q.position for q in self._quoted_reports if sites and q.sites == sites)
        same_race = frozenset(q.position for q in self._quoted_reports if q.fingerprint == race)
        return QuotingCommits(same_report, same_race - same_report)

    def _select_messages(self, where: str, *values: object) -> dict[int, CommitMessage]:
        query = f"SELECT {_COLUMNS} FROM words WHERE {where} AND pos <= ?"
        rows = self._main.database.execute(query, (*values, self._main.last_position))
        return {row[0]: CommitMessage(*row[1:]) for row in rows}

    def _load_messages(self) -> None:
        """Reads messages that are not stored yet."""
        (known,) = self._main.database.execute("SELECT coalesce(max(pos), -1) FROM words").fetchone()
        if known >= self._main.last_position:
            return
        commits = self._main.commits[known + 1 :]
        objects = self._git.track(self._git.read_objects(commits), "reading commit messages", len(commits), "commit")
        messages = (parse_commit(content or b"") for _, content in objects)
        rows = [(pos, message.is_race_related, *message) for pos, message in enumerate(messages, known + 1)]
        with self._main.database:
            self._main.database.executemany("INSERT OR REPLACE INTO words VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
