"""JUnit XML: each test case is a document, and its name the test of its reports."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple
from xml.parsers import expat

from deadheat.bug_reports import BugReportDraft, BugReportFormat, DraftPassage, OffsetText, TextPiece

_OUTPUT_TAGS = frozenset(("system-out", "system-err", "failure", "error", "skipped", "rerunFailure"))
_SUITE_TAGS = frozenset(("testsuite", "testsuites"))
_MAX_DEPTH = 200


class _RefusedXmlError(Exception):
    """Entities or deep nesting, which no test runner writes and which only cost memory."""


class _JunitCase(NamedTuple):
    """A test case, or a suite without its cases."""

    name: str
    class_name: str
    timestamp: str
    outputs: list[list[TextPiece]]


class _JunitHandler:
    """Collects the text of test cases with offsets, as called by expat."""

    def __init__(self) -> None:
        self.cases: list[_JunitCase] = []
        self.root = ""
        self._open: list[tuple[str, _JunitCase | None]] = []
        self._pieces: list[TextPiece] | None = None
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = False
        self.parser.StartElementHandler = self._start_element
        self.parser.EndElementHandler = self._end_element
        self.parser.CharacterDataHandler = self._add_text
        self.parser.EntityDeclHandler = self._refuse_entity
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def _refuse_entity(self, *_: Any) -> None:
        raise _RefusedXmlError

    def _start_element(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= _MAX_DEPTH:
            raise _RefusedXmlError
        self.root = self.root or tag
        case = self._open[-1][1] if self._open else None
        if tag == "testcase" or tag in _SUITE_TAGS:
            name = attributes.get("name", "") if tag == "testcase" else ""
            case = _JunitCase(name, attributes.get("classname", ""), attributes.get("timestamp", ""), [])
            self.cases.append(case)
        elif tag in _OUTPUT_TAGS and case is not None:
            self._pieces = []
            case.outputs.append(self._pieces)
            # a short message is an attribute, located at its tag
            if message := attributes.get("message", ""):
                offset = self.parser.CurrentByteIndex
                self._pieces.append((f"{message}\n".encode("utf-8", "replace"), offset, offset))
        self._open.append((tag, case))

    def _end_element(self, tag: str) -> None:
        self._open.pop()
        if tag in _OUTPUT_TAGS:
            self._pieces = None

    def _add_text(self, text: str) -> None:
        if self._pieces is not None:
            encoded, offset = text.encode("utf-8", "replace"), self.parser.CurrentByteIndex
            self._pieces.append((encoded, offset, offset + len(encoded)))


def _split_junit(data: bytes, uri: str) -> list[BugReportDraft] | None:
    handler = _JunitHandler()
    try:
        handler.parser.Parse(data, True)
    except (expat.ExpatError, _RefusedXmlError, ValueError, LookupError):
        return None  # LookupError: unknown encoding
    if handler.root not in _SUITE_TAGS:
        return None
    names = Counter(case.name for case in handler.cases)
    cases_with_output = [case for case in handler.cases if any(case.outputs)]
    return [_case_draft(case, is_repeated=names[case.name] > 1) for case in cases_with_output] or None


def _case_draft(case: _JunitCase, is_repeated: bool) -> BugReportDraft:
    name = f"{case.class_name}.{case.name}" if is_repeated and case.class_name else case.name
    return BugReportDraft(
        name,
        tuple(DraftPassage(OffsetText(pieces), "output") for pieces in case.outputs if pieces),
        title=case.name,
        id=f"{case.class_name}.{case.name}".strip("."),
        written=case.timestamp,
        test=case.name,
    )


FORMAT = BugReportFormat("junit", 3, _split_junit)
