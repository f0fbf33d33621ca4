"""Race reports that are quoted in commit messages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.identity.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deadheat.code.words import Message
    from deadheat.model import Report

    Sites = frozenset[tuple[str, int]]

# text that every report of some detector contains
_REPORT = re.compile(
    r"[Pp]revious (?:atomic )?(?:read|write)|WARNING: DATA RACE|ThreadSanitizer|KCSAN"
    r"|Possible data race|Conflicting (?:load|store)|concurrent map"
)


class Quote(NamedTuple):
    """A report in the message of the commit at a position."""

    place: int
    race: str
    sites: Sites


def quotes(messages: Mapping[int, Message]) -> Iterator[Quote]:
    """Every report that is quoted in these messages."""
    from deadheat.triage import scan_text

    for place, said in messages.items():
        if _REPORT.search(said.text):
            for one in scan_text(said.text, "message"):
                yield Quote(place, one.verdict.fingerprint, sites(one.report))


class Quoted(NamedTuple):
    """Positions of commits that quote the same report, and of others that quote the same race."""

    report: frozenset[int] = frozenset()
    race: frozenset[int] = frozenset()


def quoted(report: Report, known: list[Quote]) -> Quoted:
    lines, race = sites(report), fingerprint(report)
    same = frozenset(q.place for q in known if lines and q.sites == lines)
    return Quoted(same, frozenset(q.place for q in known if q.race == race) - same)


def sites(report: Report) -> Sites:
    """The racing functions with their lines; empty if one of the two is unknown."""
    found = [(a.site.function, a.site.line or 0) for a in report.accesses if a.site]
    whole = len(found) > 1 and all(line for _, line in found)
    return frozenset(found) if whole else frozenset()
