"""What the output of a Go test binary says: which tests ran, were skipped, failed; and how it ended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.printable import shorten, visible_text

if TYPE_CHECKING:
    from collections.abc import Iterable

# "    --- SKIP: TestCart/empty (0.00s)", also behind output without a line end
_RESULT_LINE = re.compile(rb"--- (PASS|FAIL|SKIP|BENCH): (\S{1,500}) ?\(")
# "BenchmarkCart-2   	      20	     52341 ns/op": it has no other line if it prints nothing
_BENCHMARK_LINE = re.compile(rb"^(Benchmark\S{0,500})[ \t]+\d+[ \t]+[\d.]+ ns/op", re.MULTILINE)
# "=== RUN   TestCart/empty"
_RUN_LINE = re.compile(rb"^=== RUN   (\S{1,500})", re.MULTILINE)
_PANIC_LINE = re.compile(rb"^(panic: [^\n]{1,300}|fatal error: [^\n]{1,300})", re.MULTILINE)
_NO_TESTS = b"testing: warning: no tests to run"
_RACE_FAILURE = b"race detected during execution of test"
# "OK: 3 passed, 1 skipped": gocheck
_GOCHECK_NONE = re.compile(rb"^OK: 0 passed(?:, \d+ skipped)?$", re.MULTILINE)
_MAX_TEXT = 200


class GoTestOutput(NamedTuple):
    """The tests of one process by result."""

    passed: frozenset[str]
    failed: frozenset[str]
    skipped: frozenset[str]
    started: frozenset[str]
    panic: str  # its first line; empty if there is none
    blames_race: bool  # the test runner says that a race was detected
    ran_none: bool  # no test ran

    def is_vacuous(self, pattern: str) -> bool:
        """Whether no test that the pattern selects ran to its end."""
        if self.ran_none or not self.started:
            return True
        depth = _depth(pattern)
        results = [name for name in self.passed | self.failed if name.count("/") + 1 >= depth]
        if results:
            return False
        # unfinished tests are no skipped ones
        return all(name in self.skipped or name.count("/") + 1 < depth for name in self.started)

    @property
    def failure(self) -> str:
        """What went wrong, apart from races; empty if nothing did."""
        if self.panic:
            return self.panic
        if self.failed and not self.blames_race:
            return f"{', '.join(sorted(self.failed)[:3])} failed"
        return ""


def _depth(pattern: str) -> int:
    """The number of elements of a pattern for -run: `^TestCart$/^empty$` has two."""
    return len(re.split(r"/(?![^\[]*\])", pattern)) if pattern else 1


def read_go_output(output: bytes) -> GoTestOutput:
    """Read the output of a test binary that ran with -test.v."""
    results: dict[bytes, set[str]] = {b"PASS": set(), b"FAIL": set(), b"SKIP": set(), b"BENCH": set()}
    for kind, name in _RESULT_LINE.findall(output):
        results[kind].add(_text(name))
    results[b"BENCH"].update(_text(name) for name in _BENCHMARK_LINE.findall(output))
    started = {_text(name) for name in _RUN_LINE.findall(output)}
    panic = _PANIC_LINE.search(output)
    return GoTestOutput(
        frozenset(results[b"PASS"] | results[b"BENCH"]),
        frozenset(results[b"FAIL"]),
        frozenset(results[b"SKIP"]),
        frozenset(started | results[b"BENCH"]),
        shorten(visible_text(panic[1].decode("utf-8", "replace")), _MAX_TEXT) if panic else "",
        _RACE_FAILURE in output,
        _NO_TESTS in output or _GOCHECK_NONE.search(output) is not None,
    )


def _text(name: bytes) -> str:
    return visible_text(name.decode("utf-8", "replace"))


def describe_names(names: Iterable[str], limit: int = 3) -> str:
    """The first names, and how many others there are."""
    ordered = sorted(names)
    more = f" and {len(ordered) - limit} others" if len(ordered) > limit else ""
    return f"{', '.join(ordered[:limit])}{more}"
