"""What `go test` says of its tests, plainly or with `-json`: who ran when, and who was racing.

Go prints a report when it happens, and tells which test it was only when that test ends; the line
before a report, or the test that `-json` puts it under, is that of whoever printed last. Knows text,
never reports.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import NamedTuple

# "=== RUN   TestX/sub", "    --- FAIL: TestX/sub (0.01s)", "ok  \texample.com/p\t0.01s",
# "FAIL\texample.com/p [build failed]", "panic: boom",
# "    testing.go:1490: race detected during execution of test", '{"Time":"…","Action":"run",…}'
_TOLD = re.compile(
    rb'=== (?:RUN|PAUSE|CONT|NAME) +(?P<began>[^\s"\\]+)'
    rb'|--- (?P<how>PASS|FAIL|SKIP): (?P<ended>[^\s"\\]+) \('
    rb"|(?P<raced>race detected during execution of test)"
    rb"|\n(?P<over>ok  |FAIL)\t(?P<package>[^\s\"\\]+)(?P<broken> \[(?:build|setup) failed\])?"
    rb"|\n(?P<panic>panic: )"
)
# '{"Time":"2024-05-01T12:00:00.1Z","Action":"run","Package":"example.com/p","Test":"TestX"}'
_ACTION = re.compile(
    rb'^\{[^\n]{0,80}?"Action":"(?:run|pause|cont|pass|fail|skip|build-fail)"[^\n]*', re.MULTILINE
)
_RACED = b"race detected during execution of test"
# without one of these, a stretch of text tells nothing of who ran or raced
_SIGNS = (b'"Action":"', b"=== RUN", b"--- FAIL", b"=== CONT", b"=== NAME")
_STARTS = {"run": True, "cont": True, "pause": False, "pass": False, "fail": False, "skip": False}
# a longer log has its tests told apart by stacks alone
_MOST = 200_000
# no line that matters is longer
_LONGEST = 1 << 12


class _Event(NamedTuple):
    offset: int
    test: str
    runs: bool  # from here on


class Package:
    """The tests of one package, in one run of it."""

    def __init__(self) -> None:
        self.events: list[_Event] = []
        self.raced: set[str] = set()
        self.failed: set[str] = set()

    def running(self, offset: int) -> set[str]:
        """The tests that ran at some place of the text."""
        now: dict[str, bool] = {}
        at = bisect_right(self.events, offset, key=lambda event: event.offset)
        for event in self.events[:at]:
            now[event.test] = event.runs
        return {test for test, runs in now.items() if runs}


class Harness:
    """Listens to a text as it goes by; if `keen`, also for what else failed in it."""

    def __init__(self, keen: bool = False) -> None:
        self._keen = keen
        self._rest = b"\n"
        self._at = -1  # the offset of that rest
        self._count = 0
        self._last = ""  # the test whose lines these are, in plain text
        self._plain: list[tuple[int, Package]] = [(-1, Package())]
        self._packages: dict[str, Package] = {}
        self.broken = False  # something failed that is no test

    @property
    def heard(self) -> bool:
        """Is this the output of `go test`?"""
        return bool(self._count)

    def feed(self, block: bytes) -> None:
        """Takes the next bytes."""
        text = self._rest + block
        end = text.rfind(b"\n") + 1
        if self._count < _MOST and (self._keen or any(sign in text for sign in _SIGNS)):
            self._hear(text[: end or len(text)], self._at)
        self._rest = text[end - 1 :] if end and len(text) - end < _LONGEST else text[-_LONGEST:]
        self._at += len(text) - len(self._rest)

    def finish(self) -> None:
        """The text is over."""
        if len(self._rest) > 1:
            self.feed(b"\n")

    def _hear(self, text: bytes, at: int) -> None:
        if b'"Action":' in text:
            self.broken = self.broken or b'"Output":"panic: ' in text
            for match in _ACTION.finditer(text):
                self._record(match[0], at + match.start())
            found = -1
            while (found := text.find(_RACED, found + 1)) >= 0:
                begin, end = text.rfind(b"\n", 0, found) + 1, text.find(b"\n", found)
                self._record(text[begin : end if end >= 0 else len(text)], at + begin)
            return
        for match in _TOLD.finditer(text):
            self._count += 1
            self._line(match, at + match.start())

    def _line(self, match: re.Match[bytes], offset: int) -> None:
        package = self._plain[-1][1]
        if match["began"] is not None:
            word = match[0][4:8]
            if word != b"NAME":
                package.events.append(_Event(offset, _text(match["began"]), word != b"PAUS"))
            self._last = _text(match["began"])
        elif match["ended"] is not None:
            self._last = _text(match["ended"])
            package.events.append(_Event(offset, self._last, False))
            if match["how"] == b"FAIL":
                package.failed.add(self._last)
        elif match["raced"] is not None:
            if self._last:
                package.raced.add(self._last)
        elif match["over"] is not None:
            self.broken = self.broken or match["broken"] is not None
            self._plain.append((offset, Package()))
            self._last = ""
        else:
            self.broken = True

    def _record(self, line: bytes, offset: int) -> None:
        try:
            told = json.loads(line)
            action, test = str(told["Action"]), str(told.get("Test") or "")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return
        self._count += 1
        package = self._packages.setdefault(str(told.get("Package") or ""), Package())
        if action == "output":
            package.raced.add(test)
        elif test:
            package.events.append(_Event(offset, test, _STARTS.get(action, False)))
            if action == "fail":
                package.failed.add(test)
        elif action == "build-fail" or told.get("FailedBuild"):
            self.broken = True

    def package(self, offset: int, lane: str | None) -> Package:
        """The package whose tests ran where something was printed."""
        if self._packages and lane:
            names = [name for name in self._packages if name and lane.endswith(name)]
            if names:
                return self._packages[max(names, key=len)]
        ends = [end for end, _ in self._plain]
        return self._plain[max(0, bisect_right(ends, offset) - 1)][1]

    def unexplained(self) -> set[str]:
        """The tests that failed, and not because of a race."""
        everyone = [*self._packages.values(), *(package for _, package in self._plain)]
        return {
            test for p in everyone for test in leaves(p.failed) - {r for r in p.raced if r} if test
        }


def leaves(tests: set[str]) -> set[str]:
    """The tests among these that are no other's parent."""
    parents = {test[:at] for test in tests for at, c in enumerate(test) if c == "/"}
    return tests - parents


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
