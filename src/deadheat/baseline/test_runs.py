"""Searches logs for the results of `go test` that tell whether a known race is gone; only the gate does.

The lines are found by literals. What cannot be read as a result is no evidence.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat.baseline.absence import TestRunEvidence, origin_of
from deadheat.text.decoding import HEAD_SIZE, SINGLE_BYTE, detect_layout
from deadheat.text.prefilter import make_searcher
from deadheat.text.window import DocumentRange, OpenedDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from deadheat.baseline import KnownRace
    from deadheat.errors import UnreadableError

    ReadBytes = Callable[[int], bytes]

_LITERALS: Final = (
    *(b"ok  ", b"FAIL\t", b"FAIL\\t", b"FAIL  ", b"?   ", b'"FailedBuild"', b'"Action":"build-fail'),
    *(b"goos: ", b"-run", b"-skip", b"-list", b"test.run", b"test.skip", b"test.list"),
)
# a test that ended; searched only where a test of a known race did, because there may be millions
_PASS, _SKIP, _FAIL = b"--- PASS: ", b"--- SKIP: ", b"--- FAIL: "
_ALL_LITERALS: Final = (*_LITERALS, _PASS, _SKIP, _FAIL)
# of longer lines, only whether a command in them selects tests is read
_MAX_LINE: Final = 1 << 12
_BLOCK_SIZE: Final = 1 << 19
# a tab, as it is, in a JSON string, or as the spaces of a terminal
_GAP = rb"(?:\t|\\t| {1,8})"
# "ok  \texample.com/p\t1.234s", "ok  \texample.com/p\t(cached)\tcoverage: 5.0% of statements",
# "FAIL\texample.com/p\t0.01s", "FAIL\texample.com/p [build failed]", "?   \texample.com/p\t[no test files]";
# after a timestamp, a label, a colour or a mark, or as a string in a record, but not quoted in a message
_PACKAGE_END = re.compile(
    rb"(?:^|(?<=[\s\]>|:m\x07\xbf])|(?<=\":\"))(?:ok  |(?P<failed>FAIL)|(?P<none>\?   ))"
    + _GAP + rb"(?P<package>[^\s\"\\]+)" + _GAP +
    rb"(?:\d+(?:\.\d+)?s|(?P<cached>\(cached\))|(?P<broken>\[(?:build|setup) failed\])|\[no test files\])"
    rb"(?P<rest>[^\n]*)"
)  # fmt: skip
# "    --- PASS: TestX/sub#01 (0.01s)"
_TEST_END = re.compile(rb"--- (PASS|FAIL|SKIP): (\S+) \(")
# '{"Time":"…","Action":"output","Package":"example.com/p","Test":"TestX","Output":"--- PASS: TestX (0.01s)\\n"}'
_JSON_ACTION = re.compile(rb'"Action":"(fail|build-fail|output)"')
_JSON_NAMES = re.compile(rb'"Package":"([^"\\]*)"(?:,"Test":"([^"\\]*)")?[,}]')
# "go test -race -run TestX ./...", "./p.test -test.run='^TestX$'"; -list runs none
_SELECTION = re.compile(rb"(?:^|[\s'\"=])--?(?:test\.)?(?:run|skip|list)(?:[= ]|$)")
_MAX_SELECTION: Final = 32  # more bytes than a match


class RunEvent(NamedTuple):
    """One piece of evidence; `kind` is one of these.

    `document`: a document with the name `test` begins. `text`: it is not empty. `selected`: a command selects tests.
    `verbose`: the output names tests that passed. `test`: a test ended. `some`: perhaps only benchmarks ran.
    `end`, `json-end`: a package ended. Without a package, what comes before an `end` is of that package.
    """

    kind: str
    package: str = ""
    test: str = ""
    result: str = ""
    offset: int = 0


class TestRunWatcher:
    """Collects the evidence while documents are read, possibly in several processes."""

    __test__ = False  # not a test case

    def __init__(self, known: Iterable[KnownRace]) -> None:
        tests = {test for entry in known for test in origin_of(entry).tests}
        self._tests = {form: test for test in tests for form in (test.encode("utf-8", "replace"), _escape_json(test))}
        self._events: list[RunEvent] = []
        self.evidence = TestRunEvidence()

    def watch(
        self, documents: Iterable[OpenedDocument | DocumentRange | UnreadableError]
    ) -> Iterator[OpenedDocument | DocumentRange | UnreadableError]:
        """Yields the documents; what is read of them is searched."""
        for document in documents:
            if isinstance(document, DocumentRange):
                self._search_range(document)
                yield document
            elif isinstance(document, OpenedDocument) and detect_layout(document.head[:HEAD_SIZE]) is SINGLE_BYTE:
                self._events.append(RunEvent("document", test=document.uri))
                search = _EventSearch(self._events, self._tests)
                search.feed(document.head)
                yield document._replace(read=_watched_read(document.read, search))
                search.finish()
            else:
                self._events.append(RunEvent("text"))
                yield document

    def _search_range(self, document: DocumentRange) -> None:
        at, end = document.start, document.end
        if not at:
            self._events.append(RunEvent("document", test=document.uri))
        search = _EventSearch(
            self._events, self._tests, at, begins_line=not at or document.read_between(at - 1, at) == b"\n"
        )
        while end is None or at < end:
            block = document.read_between(at, at + _BLOCK_SIZE if end is None else min(at + _BLOCK_SIZE, end))
            if not block:
                break
            search.feed(block)
            at += len(block)
        if end is not None and at == end:  # the rest of the last line that begins in the range
            search.feed(document.read_between(end, end + _MAX_LINE).partition(b"\n")[0])
        search.finish()

    def take_events(self) -> list[RunEvent]:
        """The events of one or more documents, or of a part of one, for `evidence`."""
        events = self._events[:]
        self._events.clear()
        return events


def _escape_json(name: str) -> bytes:
    """The name as Go writes it in JSON."""
    escaped = json.dumps(name, ensure_ascii=False)[1:-1].encode("utf-8", "replace")
    return re.sub(b"[<>&]", lambda match: rb"\u%04x" % match[0][0], escaped)


def _watched_read(read: ReadBytes, search: _EventSearch) -> ReadBytes:
    def read_block(size: int) -> bytes:
        block = read(size)
        search.feed(block)
        return block

    return read_block


class _EventSearch:
    """Searches one document, or a part of it, for the ends of packages and of some tests."""

    def __init__(
        self, events: list[RunEvent], tests: dict[bytes, str], offset: int = 0, begins_line: bool = True
    ) -> None:
        self._events, self._tests, self._offset = events, tests, offset
        self._rest = b""
        self._skips_line = not begins_line  # up to the next line end
        self._is_empty = True
        self._is_verbose = False  # whether a test of this package passed or was skipped
        self._package_start = 0  # in the current text
        self._results: set[bytes] = set()  # of tests of this package, to count repeated ones once

    def feed(self, block: bytes) -> None:
        if self._is_empty and block.strip():
            self._is_empty = False
            self._add("text")
        text, base, line_end = self._rest + block, self._offset, 0
        if self._skips_line:
            line_end = text.find(b"\n") + 1
            self._skips_line = not line_end
            self._parse_long_line(text[: line_end or len(text)])
            if self._skips_line:
                self._keep_end(text, base)
                return
        size = text.rfind(b"\n") + 1
        self._rest, self._offset = text[size:], base + size
        if len(self._rest) > _MAX_LINE:
            self._skips_line = True
            self._parse_long_line(self._rest)
            self._keep_end(text, base)
        self._package_start = 0
        names_tests = bool(self._tests) and b"--- " in text
        literals = _ALL_LITERALS if names_tests and self._has_known_test(text) else _LITERALS
        for at, _ in make_searcher(literals).find_hits(text, line_end, size):
            if at >= line_end:
                line_start = text.rfind(b"\n", line_end, at) + 1 or line_end
                line_end = text.find(b"\n", at) + 1
                if line_end - line_start <= _MAX_LINE:
                    self._parse_line(text, line_start, line_end - 1, base)
                else:
                    self._parse_long_line(text[line_start:line_end])
        if names_tests:
            self._note_verbose(text, size)

    def _parse_long_line(self, piece: bytes) -> None:
        if _SELECTION.search(piece) is not None:
            self._add("selected")

    def _keep_end(self, text: bytes, base: int) -> None:
        """Keeps the end of a piece of a long line, where an option may begin."""
        self._rest = text[-_MAX_SELECTION:]
        self._offset = base + len(text) - len(self._rest)

    def finish(self) -> None:
        """Parses the last line."""
        if self._rest:
            self.feed(b"\n")

    def _has_known_test(self, text: bytes) -> bool:
        """Whether a test of a known race ended in this text. Splitting is several times as fast as a search."""
        return any(
            piece[: piece.find(b" ")] in self._tests
            for literal in (_PASS, _SKIP, _FAIL)
            for piece in text.split(literal)[1:]
        )

    def _note_verbose(self, text: bytes, end: int) -> None:
        """Notes whether the lines of the current package up to `end` name tests that did not fail."""
        if not self._is_verbose and any(text.find(phrase, self._package_start, end) >= 0 for phrase in (_PASS, _SKIP)):
            self._is_verbose = True
            self._add("verbose")

    def _parse_line(self, text: bytes, start: int, end: int, base: int) -> None:
        line = text[start:end]
        if b'"Action":"' in line and (action := _JSON_ACTION.search(line)) is not None:
            self._parse_json(line[line.find(b'{"') :], action[1])
        elif (ended := _TEST_END.search(line)) is not None:
            if ended[2] in self._tests and ended[0] not in self._results:
                self._results.add(ended[0])
                self._add("test", test=self._tests[ended[2]], result=ended[1].decode().lower())
        elif (over := _PACKAGE_END.search(line)) is not None:
            self._note_verbose(text, start)
            self._is_verbose, self._package_start = False, end
            self._results.clear()
            self._add("end", _decode(over["package"]), result=_package_result(over), offset=base + start)
        elif line.endswith(b"goos: ", 0, line.find(b"goos: ") + 6):
            self._add("some")
        elif _SELECTION.search(line) is not None and b"test" in line.lower():
            self._add("selected")

    def _parse_json(self, line: bytes, action: bytes) -> None:
        names = _JSON_NAMES.search(line)
        if names is not None and (names[2] or b'"Test":' not in line):
            package, test = _decode(names[1]), _decode(names[2] or b"")
        else:
            package, test = _json_names(line)
        if action == b"build-fail" or b'"FailedBuild"' in line:
            self._add("json-end", package, result="broken")
        elif not package:
            return
        elif test:
            if (ended := _TEST_END.search(line)) is not None and self._tests.get(ended[2]) == test:
                self._add("test", package, test, ended[1].decode().lower())
        elif (over := _PACKAGE_END.search(line)) is not None and _decode(over["package"]) == package:
            self._add("json-end", package, result=_package_result(over))

    def _add(self, kind: str, package: str = "", test: str = "", result: str = "", offset: int = 0) -> None:
        self._events.append(RunEvent(kind, package, test, result, offset))


def _json_names(line: bytes) -> tuple[str, str]:
    """The package and the test of an event whose names are escaped, or in another order."""
    try:
        fields = json.loads(line)
        package = str(fields.get("Package") or fields.get("ImportPath") or "").partition(" ")[0]
        return package, str(fields.get("Test") or "")
    except (ValueError, AttributeError, RecursionError):
        return "", ""


def selects_tests(command: Iterable[str]) -> bool:
    """Whether a command runs only some tests of a package."""
    return any(_SELECTION.search(word.encode("utf-8", "replace")) is not None for word in command)


def lacks_race_detector(command: Sequence[str]) -> bool:
    """Whether a command is a `go test` that was built without the race detector."""
    is_go_test = any(a.rpartition("/")[2] == "go" and b == "test" for a, b in pairwise(command))
    return is_go_test and not any(word.lstrip("-").partition("=")[0] == "race" for word in command)


def _package_result(over: re.Match[bytes]) -> str:
    if over["broken"]:
        return "broken"
    if over["cached"]:
        return "cached"
    if over["none"]:
        return "skip"
    if over["failed"]:
        return "fail"
    return "none" if b"[no tests to run]" in over["rest"] else "pass"


def _decode(name: bytes) -> str:
    return name.decode("utf-8", "replace")
