"""A sighting as one line of JSON: what `wire` has as dicts, written directly, as there may be many."""

from __future__ import annotations

import json
from json.encoder import encode_basestring as _quoted
from typing import TYPE_CHECKING, Final

from deadheat import serialization

if TYPE_CHECKING:
    from deadheat.model import Access, Actor, Cause, Frame, Report, Sighting, Verdict

# what JSON does not have in a string as it is
_ESCAPED: Final = ('"', "\\", *map(chr, range(32)))

# `Final`, since compiled code looks up other names each time
_NO_REST: Final = ', "location": null, "locks": [], "cycle": [], "facts": {}'
# around the texts of a frame; what is hardly ever true is told only where it is
_FUNCTION: Final = '{"function": "'
_PACKAGE: Final = '", "package": "'
_FILE: Final = '", "file": "'
_LINE: Final = '", "line": '
_ORIGIN: Final = ', "origin": "'
_REAL: Final = '", "stale": false, "path": "'
_STALE: Final = '", "stale": true, "path": "'
_END: Final = '"}'
_NEXT: Final = '"}, {"function": "'
_INLINED: Final = '", "inlined": true}'


class _Pieces:
    """A line in the making: our own words and texts of the report, in turns.

    So all texts, of which there are a hundred, are looked at together.
    """

    def __init__(self, turns: list[str], own: str) -> None:
        self.turns = turns
        self.own = own  # our words that wait for the next text

    def text(self, before: str, text: str) -> None:
        self.turns.append(self.own + before)
        self.turns.append(text)
        self.own = ""

    def string(self, before: str, text: str | None) -> None:
        """A text in quotes, or null."""
        if text is None:
            self.own += before + "null"
        else:
            self.turns.append(f'{self.own}{before}"')
            self.turns.append(text)
            self.own = '"'

    def strings(self, before: str, texts: tuple[str, ...]) -> None:
        """An array of texts."""
        self.own += before + "["
        comma = ""
        for text in texts:
            self.string(comma, text)
            comma = ", "
        self.own += "]"

    def stack(self, before: str, stack: tuple[Frame, ...]) -> None:
        """An array of frames."""
        if not stack:
            self.own += before + "[]"
            return
        turns, begin, end = self.turns, f"{self.own}{before}[{_FUNCTION}", _END
        for function, package, file, line, origin, path, stale, inlined in stack:
            # one by one, since compiled code makes nothing else of a list that is added
            turns.append(begin)
            turns.append(function)
            turns.append(_PACKAGE)
            turns.append(package)
            turns.append(_FILE)
            turns.append(file)
            turns.append(_LINE)
            turns.append("null" if line is None else str(line))
            turns.append(_ORIGIN)
            turns.append(origin)
            turns.append(_STALE if stale else _REAL)
            turns.append(path)
            begin, end = (f"{_INLINED}, {_FUNCTION}", _INLINED) if inlined else (_NEXT, _END)
        self.own = end + "]"

    def escape(self) -> None:
        """Makes of all texts what may stand between quotes; few have anything to escape."""
        texts = self.turns[1::2]
        joined = "".join(texts)
        for character in _ESCAPED:
            if character in joined:
                self.turns[1::2] = [_quoted(text)[1:-1] for text in texts]
                return

    def cut(self, at: int) -> tuple[str, str]:
        """What comes before and behind one of the pieces; it is done then."""
        front = "".join(self.turns[:at])
        del self.turns[: at + 1]
        self.turns.append(self.own)
        return front, "".join(self.turns)


def sighting_to_json(sighting: Sighting) -> str:
    """`sighting_to_wire` as a line of JSON."""
    return sighting.verdict.race.join(around_race(sighting))


def around_race(sighting: Sighting) -> tuple[str, str]:
    """What comes before and behind the race in a sighting's line."""
    offset, length, lane = sighting.span
    before, between, behind = document_around(sighting.uri, lane)
    report = sighting.report  # which may be read only now
    pieces = _report(report, sighting.verdict)
    pieces.own += f"{before}{offset}{between}{length}{behind}{_damage(report)}"
    if sighting.document is not None:
        author = json.dumps(serialization.bug_report_to_wire(sighting.document), ensure_ascii=False)
        pieces.own += f", {author[1:-1]}"
    pieces.own += "}"
    return pieces.cut(_RACE)


def report_around(report: Report, verdict: Verdict) -> tuple[str, str, str]:
    """What comes before the race, between race and document, and behind the document."""
    front, head = _report(report, verdict).cut(_RACE)
    return front, head, f"{_damage(report)}}}"


def document_around(uri: str, lane: str | None) -> tuple[str, str, str]:
    """What comes before, between and behind the offset and the length of a report in a document."""
    named = "null" if lane is None else _quoted(lane)
    return f'{{"uri": {_quoted(uri)}, "offset": ', ', "length": ', f', "lane": {named}}}'


def _report(report: Report, verdict: Verdict) -> _Pieces:
    """All that comes before the document."""
    begin = [
        f'{{"schema": {serialization.SCHEMA_VERSION}, "detector": "', report.detector,
        '", "kind": "', report.kind, '", "title": "', verdict.title,
        '", "fingerprint": "', verdict.fingerprint, '", "race": "', verdict.race,
    ]  # fmt: skip
    pieces = _Pieces(begin, '"')
    _accesses(pieces, report.accesses)
    _actors(pieces, report.actors)
    pieces.own += _rest(report)
    pieces.string(', "test": ', report.test)
    _causes(pieces, serialization.causes_of(report))
    pieces.own += ', "document": '
    pieces.escape()
    return pieces


_RACE: Final = 9  # where among the pieces that are made first


def _damage(report: Report) -> str:
    told = [f'"{damage.value}"' for damage in report.damage]
    return f', "damage": [{", ".join(told)}]'


def _accesses(pieces: _Pieces, accesses: tuple[Access, ...]) -> None:
    before = ', "accesses": ['
    for access in accesses:
        pieces.text(f'{before}{{"op": "', access.op)
        size = "null" if access.size is None else str(access.size)
        pieces.string(f'", "size": {size}, "address": ', access.address)
        pieces.string(', "actor": ', access.actor)
        pieces.strings(', "locks": ', access.locks)
        _site(pieces, access.site)
        pieces.stack(', "stack": ', access.stack)
        if access.test:
            pieces.string(', "test": ', access.test)
        before = "}, "
    pieces.own += "}]" if accesses else f"{before}]"


def _site(pieces: _Pieces, site: Frame | None) -> None:
    if site is None:
        pieces.own += ', "site": null'
        return
    pieces.text(f', "site": {_FUNCTION}', site.function)
    pieces.text(_PACKAGE, site.package)
    pieces.text(_FILE, site.file)
    pieces.own = f"{_LINE}{'null' if site.line is None else site.line}}}"


def _actors(pieces: _Pieces, actors: tuple[Actor, ...]) -> None:
    before = ', "actors": ['
    for actor in actors:
        pieces.string(f'{before}{{"id": ', actor.id)
        pieces.text(', "state": "', actor.state)
        pieces.stack('", "created_at": ', actor.created_at)
        before = "}, "
    pieces.own += "}]" if actors else f"{before}]"


def _rest(report: Report) -> str:
    """What Go's detector never tells."""
    if not (report.location or report.locks or report.cycle or report.facts):
        return _NO_REST
    return f", {json.dumps(serialization.location_and_locks_to_wire(report), ensure_ascii=False)[1:-1]}"


def _causes(pieces: _Pieces, causes: tuple[Cause, ...]) -> None:
    before = ', "causes": ['
    for cause in causes:
        pieces.string(f'{before}{{"cause": ', cause.cause)
        pieces.strings(f', "confidence": {cause.confidence}, "evidence": ', cause.evidence)
        before = "}, "
    pieces.own += "}]" if causes else f"{before}]"
