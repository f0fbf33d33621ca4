"""JUnit XML: each test case is a document, and its name the test of its reports."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from deadheat.documents import Draft, Passage
from deadheat.documents.placed import Placed

if TYPE_CHECKING:
    Pieces = list[tuple[bytes, int, int]]

_OUTPUT = frozenset(("system-out", "system-err", "failure", "error", "skipped", "rerunFailure"))
_SUITES = frozenset(("testsuite", "testsuites"))
_DEPTH = 200


class _RefusedError(Exception):
    """Entities or deep nesting, which no test runner writes and which only cost memory."""


class _Case:
    """A test case, or a suite without its cases."""

    def __init__(self, name: str, owner: str, written: str) -> None:
        self.name, self.owner, self.written = name, owner, written
        self.texts: list[Pieces] = []


class _Handler:
    """Collects the text of test cases with offsets, as called by expat."""

    def __init__(self) -> None:
        self.cases: list[_Case] = []
        self.root = ""
        self._open: list[tuple[str, _Case | None]] = []
        self._pieces: Pieces | None = None
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = False
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._refuse
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def _refuse(self, *_: Any) -> None:
        raise _RefusedError

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= _DEPTH:
            raise _RefusedError
        self.root = self.root or tag
        case = self._open[-1][1] if self._open else None
        if tag == "testcase" or tag in _SUITES:
            name, owner = attributes.get("name", ""), attributes.get("classname", "")
            case = _Case(name if tag == "testcase" else "", owner, attributes.get("timestamp", ""))
            self.cases.append(case)
        elif tag in _OUTPUT and case is not None:
            self._pieces = []
            case.texts.append(self._pieces)
            # a short message is an attribute, located at its tag
            if message := attributes.get("message", ""):
                at = self.parser.CurrentByteIndex
                self._pieces.append((f"{message}\n".encode("utf-8", "replace"), at, at))
        self._open.append((tag, case))

    def _end(self, tag: str) -> None:
        self._open.pop()
        if tag in _OUTPUT:
            self._pieces = None

    def _text(self, text: str) -> None:
        if self._pieces is not None:
            said, at = text.encode("utf-8", "replace"), self.parser.CurrentByteIndex
            self._pieces.append((said, at, at + len(said)))


class Junit:
    name = "junit"
    rank = 3

    def split(self, data: bytes, uri: str) -> list[Draft] | None:
        handler = _Handler()
        try:
            handler.parser.Parse(data, True)
        except (expat.ExpatError, _RefusedError, ValueError, LookupError):
            return None  # LookupError: unknown encoding
        if handler.root not in _SUITES:
            return None
        names = Counter(case.name for case in handler.cases)
        told = [case for case in handler.cases if any(case.texts)]
        return [_draft(case, repeated=names[case.name] > 1) for case in told] or None


def _draft(case: _Case, repeated: bool) -> Draft:
    name = f"{case.owner}.{case.name}" if repeated and case.owner else case.name
    return Draft(
        name,
        tuple(Passage(_placed(pieces), "output") for pieces in case.texts if pieces),
        title=case.name,
        id=f"{case.owner}.{case.name}".strip("."),
        written=case.written,
        test=case.name,
    )


def _placed(pieces: Pieces) -> Placed:
    placed = Placed()
    placed.put(pieces)
    return placed


SHAPE = Junit()
