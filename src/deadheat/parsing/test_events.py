"""Parses the events in the output of `go test`: which tests began, ended, failed and raced.

The lines of events are found by literals; other lines are not looked at."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat.text.prefilter import make_searcher

if TYPE_CHECKING:
    from collections.abc import Iterator


RACE_PHRASE = b"race detected during execution of test"
# "=== RUN   TestX/sub", "    --- FAIL: TestX/sub (0.01s)", "ok  \texample.com/p\t0.01s",
# "FAIL\texample.com/p [build failed]", "panic: boom",
# "    testing.go:1490: race detected during execution of test"
_EVENT_LINE = re.compile(
    rb"=== (?P<word>RUN|PAUSE|CONT|NAME) +(?P<began>\S+)"
    rb"|--- (?P<how>PASS|FAIL|SKIP): (?P<ended>\S+) \("
    rb"|(?P<raced>race detected during execution of test)"
    rb"|^(?:ok  |FAIL)\t(?P<over>\S+)(?P<broken> \[(?:build|setup) failed\])?"
    rb"|^(?P<panic>panic: )"
)
# '{"Time":"2024-05-01T12:00:00.1Z","Action":"run","Package":"example.com/p","Test":"TestX"}'
_JSON_EVENT = re.compile(rb'\{[^\n]{0,100}?"Action":"([\w-]{1,20})"')
# '{"Time":"2024-05-01T12:00:00.1Z","Action":"pass","Package":"example.com/p","Test":"TestX","Elapsed":0.1}'
_PLAIN_TEST_EVENT = re.compile(
    rb'\{"Time":"[\w:.+-]{1,40}","Action":"[a-z]{3,5}","Package":"([^"\\\x00-\x1f\x80-\xff]{0,500})"'
    rb',"Test":"([^"\\\x00-\x1f\x80-\xff]{0,500})"(?:,"Elapsed":\d{1,9}(?:\.\d{1,9})?)?\}'
)
_STOP_ACTIONS = frozenset(("pause", "pass", "skip"))
# the line of an event contains one of these
_EVENT_LITERALS: Final = (
    *(b"=== RUN", b"=== PAUSE", b"=== CONT", b"=== NAME", b"--- PASS: ", b"--- FAIL: ", b"--- SKIP: "),
    *(b"ok  \t", b"FAIL\t", b"panic: ", RACE_PHRASE, b'"FailedBuild"', b'"Action":"build-fail'),
    # without the quote at the end, with which the next literal could begin
    *(b'"Action":"%s' % action for action in (b"run", b"cont", b"fail", b"pause", b"pass", b"skip")),
)
# longer lines are ignored
MAX_EVENT_LINE = 1 << 12


class GoTestEvent(NamedTuple):
    """An event: `run`, `stop`, `fail`, `raced`, `over` (end of a package) or `broken`."""

    offset: int  # start of its line
    end: int
    kind: str
    package: str = ""  # only in `-json` output
    test: str = ""
    named_at: int = 0  # where the test was named, possibly on an earlier line


class GoTestEventParser:
    """Parses events incrementally."""

    def __init__(self, offset: int = 0) -> None:
        self._rest = b""
        self._offset = offset
        self._current_test, self._named_at = "", 0  # the current test in text output

    def feed(self, block: bytes) -> Iterator[GoTestEvent]:
        text, base = self._rest + block, self._offset
        size, line_end = text.rfind(b"\n") + 1, 0
        self._rest, self._offset = text[size:], base + size
        for at, _ in make_searcher(_EVENT_LITERALS).find_hits(text, 0, size):
            if at < line_end:
                continue
            line_start = text.rfind(b"\n", line_end, at) + 1 or line_end
            line_end = text.find(b"\n", at) + 1
            line = text[line_start : line_end - 1]
            if len(line) <= MAX_EVENT_LINE or RACE_PHRASE in line:
                yield from self._parse_line(line, base + line_start)

    @property
    def has_open_phrase(self) -> bool:
        """Whether the line that has not ended contains `RACE_PHRASE`."""
        return RACE_PHRASE in self._rest

    def finish(self) -> Iterator[GoTestEvent]:
        """Parses the last line."""
        return self.feed(b"\n") if self._rest else iter(())

    def _parse_line(self, line: bytes, offset: int) -> Iterator[GoTestEvent]:
        end = offset + len(line) + 1
        if line[:2] == b'{"' and (record := _JSON_EVENT.match(line)) is not None:
            yield from _parse_json_event(line, record[1], offset, end)
        elif (match := _EVENT_LINE.search(line)) is None:
            return
        elif match["began"] is not None:
            self._current_test, self._named_at = _decode_name(match["began"]), offset
            if match["word"] != b"NAME":
                kind = "stop" if match["word"] == b"PAUSE" else "run"
                yield GoTestEvent(offset, end, kind, "", self._current_test, offset)
        elif match["ended"] is not None:
            self._current_test, self._named_at = _decode_name(match["ended"]), offset
            yield GoTestEvent(
                offset, end, "fail" if match["how"] == b"FAIL" else "stop", "", self._current_test, offset
            )
        elif match["raced"] is not None:
            yield GoTestEvent(offset, end, "raced", "", self._current_test, self._named_at)
        elif match["over"] is not None:
            self._current_test = ""
            yield GoTestEvent(offset, end, "over", named_at=offset)
            if match["broken"] is not None:
                yield GoTestEvent(offset, end, "broken", named_at=offset)
        else:
            yield GoTestEvent(offset, end, "broken", named_at=offset)


def _parse_json_event(line: bytes, action: bytes, offset: int, end: int) -> Iterator[GoTestEvent]:
    """Parses a line of `go test -json`."""
    is_panic = b'"Output":"panic: ' in line
    if action == b"output" and RACE_PHRASE not in line and not is_panic:
        return
    names = _json_event_names(line)
    if names is None:
        return
    package, test, has_failed_build = names
    action_name = action.decode()
    if is_panic or action_name == "build-fail" or has_failed_build:
        yield GoTestEvent(offset, end, "broken", package, named_at=offset)
    elif action_name == "output":
        yield GoTestEvent(offset, end, "raced", package, test, offset)
    elif test and action_name in ("run", "cont", "fail"):
        yield GoTestEvent(offset, end, "fail" if action_name == "fail" else "run", package, test, offset)
    elif test and action_name in _STOP_ACTIONS:
        yield GoTestEvent(offset, end, "stop", package, test, offset)


def _json_event_names(line: bytes) -> tuple[str, str, bool] | None:
    """The package and the test of an event, and whether it names a failed build; None if it is not JSON."""
    if (match := _PLAIN_TEST_EVENT.fullmatch(line)) is not None:  # ten times as fast as a JSON parser
        return match[1].decode(), match[2].decode(), False
    try:
        fields = json.loads(line)
        return str(fields.get("Package") or ""), str(fields.get("Test") or ""), bool(fields.get("FailedBuild"))
    except (ValueError, AttributeError, RecursionError):
        return None


class GoTestFailures:
    """The failures of a test run, and whether races explain them."""

    def __init__(self) -> None:
        self._event_parser = GoTestEventParser()
        self._package_index = 0  # in text output, packages are consecutive
        self._failed_tests: dict[str, set[str]] = {}
        self._raced_tests: dict[str, set[str]] = {}
        self.has_other_failure = False  # something other than a test failed

    def feed(self, block: bytes) -> None:
        for event in self._event_parser.feed(block):
            self._add_event(event)

    def finish(self) -> None:
        for event in self._event_parser.finish():
            self._add_event(event)
        self._event_parser = GoTestEventParser()
        self._package_index += 1

    def _add_event(self, event: GoTestEvent) -> None:
        package = event.package or f"#{self._package_index}"
        if event.kind == "over":
            self._package_index += 1
        elif event.kind == "broken":
            self.has_other_failure = True
        elif event.kind == "fail":
            self._failed_tests.setdefault(package, set()).add(event.test)
        elif event.kind == "raced":
            self._raced_tests.setdefault(package, set()).add(event.test)

    def unexplained_tests(self) -> set[str]:
        """The tests that failed for another reason than a race."""
        return {
            test
            for package, failed in self._failed_tests.items()
            for test in leaf_tests(failed) - self._raced_tests.get(package, set())
        }


def leaf_tests(tests: set[str]) -> set[str]:
    """The tests that are not a parent of another one."""
    parents = {test[:position] for test in tests for position, character in enumerate(test) if character == "/"}
    return tests - parents


def _decode_name(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
