"""Parses `go test` output, as text or `-json`: which test ran when, and which raced.

Go prints a report when the race occurs, and names the test only when it ends. The line before a
report, or the test in its `-json` event, is that of the test that printed last.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

RACED = b"race detected during execution of test"
# "=== RUN   TestX/sub", "    --- FAIL: TestX/sub (0.01s)", "ok  \texample.com/p\t0.01s",
# "FAIL\texample.com/p [build failed]", "panic: boom",
# "    testing.go:1490: race detected during execution of test"
_TOLD = re.compile(
    rb"=== (?P<word>RUN|PAUSE|CONT|NAME) +(?P<began>\S+)"
    rb"|--- (?P<how>PASS|FAIL|SKIP): (?P<ended>\S+) \("
    rb"|(?P<raced>race detected during execution of test)"
    rb"|^(?:ok  |FAIL)\t(?P<over>\S+)(?P<broken> \[(?:build|setup) failed\])?"
    rb"|^(?P<panic>panic: )"
)
# '{"Time":"2024-05-01T12:00:00.1Z","Action":"run","Package":"example.com/p","Test":"TestX"}'
_RECORD = re.compile(rb'\{[^\n]{0,100}?"Action":"([\w-]{1,20})"')
_DONE = frozenset(("pause", "pass", "skip"))
# longer lines are ignored
_LONGEST = 1 << 12


class Event(NamedTuple):
    """An event: `run`, `stop`, `fail`, `raced`, `over` (end of a package) or `broken`."""

    offset: int  # start of its line
    end: int
    what: str
    package: str = ""  # only in `-json` output
    test: str = ""
    since: int = 0  # where the test was named, possibly on an earlier line


class Listener:
    """Parses events incrementally."""

    def __init__(self, at: int = 0) -> None:
        self._rest = b""
        self._at = at
        self._last, self._since = "", 0  # the current test in text output

    def feed(self, block: bytes) -> Iterator[Event]:
        *lines, self._rest = (self._rest + block).split(b"\n")
        for line in lines:
            if len(line) <= _LONGEST or RACED in line:
                yield from self._line(line)
            self._at += len(line) + 1

    def finish(self) -> Iterator[Event]:
        """Parses the last line."""
        return self.feed(b"\n") if self._rest else iter(())

    def _line(self, line: bytes) -> Iterator[Event]:
        at, end = self._at, self._at + len(line) + 1
        if line[:2] == b'{"' and (record := _RECORD.match(line)) is not None:
            yield from _recorded(line, record[1], at, end)
        elif (match := _TOLD.search(line)) is None:
            return
        elif match["began"] is not None:
            self._last, self._since = _text(match["began"]), at
            if match["word"] != b"NAME":
                what = "stop" if match["word"] == b"PAUSE" else "run"
                yield Event(at, end, what, "", self._last, at)
        elif match["ended"] is not None:
            self._last, self._since = _text(match["ended"]), at
            yield Event(at, end, "fail" if match["how"] == b"FAIL" else "stop", "", self._last, at)
        elif match["raced"] is not None:
            yield Event(at, end, "raced", "", self._last, self._since)
        elif match["over"] is not None:
            self._last = ""
            yield Event(at, end, "over", since=at)
            if match["broken"] is not None:
                yield Event(at, end, "broken", since=at)
        else:
            yield Event(at, end, "broken", since=at)


def _recorded(line: bytes, action: bytes, at: int, end: int) -> Iterator[Event]:
    """Parses a line of `go test -json`."""
    panics = b'"Output":"panic: ' in line
    if action == b"output" and RACED not in line and not panics:
        return
    try:
        told = json.loads(line)
        package, test = str(told.get("Package") or ""), str(told.get("Test") or "")
    except (ValueError, AttributeError, RecursionError):
        return
    word = action.decode()
    if panics or word == "build-fail" or told.get("FailedBuild"):
        yield Event(at, end, "broken", package, since=at)
    elif word == "output":
        yield Event(at, end, "raced", package, test, at)
    elif test and word in ("run", "cont", "fail"):
        yield Event(at, end, "fail" if word == "fail" else "run", package, test, at)
    elif test and word in _DONE:
        yield Event(at, end, "stop", package, test, at)


class Failures:
    """The failures of a test run, and whether races explain them."""

    def __init__(self) -> None:
        self._listener = Listener()
        self._part = 0  # in text output, packages are consecutive
        self._failed: dict[str, set[str]] = {}
        self._raced: dict[str, set[str]] = {}
        self.broken = False  # something other than a test failed

    def feed(self, block: bytes) -> None:
        for event in self._listener.feed(block):
            self._take(event)

    def finish(self) -> None:
        for event in self._listener.finish():
            self._take(event)
        self._listener = Listener()
        self._part += 1

    def _take(self, event: Event) -> None:
        package = event.package or f"#{self._part}"
        if event.what == "over":
            self._part += 1
        elif event.what == "broken":
            self.broken = True
        elif event.what == "fail":
            self._failed.setdefault(package, set()).add(event.test)
        elif event.what == "raced":
            self._raced.setdefault(package, set()).add(event.test)

    def unexplained(self) -> set[str]:
        """The tests that failed for another reason than a race."""
        return {
            test
            for package, failed in self._failed.items()
            for test in leaves(failed) - self._raced.get(package, set())
        }


def leaves(tests: set[str]) -> set[str]:
    """The tests that are not a parent of another one."""
    parents = {test[:at] for test in tests for at, c in enumerate(test) if c == "/"}
    return tests - parents


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
