"""Commands that run Go tests and programs again, for the test framework in the frames."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from typing import TYPE_CHECKING

from deadheat.code import syntax
from deadheat.code.command import TIMES, Reproduction
from deadheat.model import Frame, Origin
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.code.command import At
    from deadheat.model import Report

# "bazel-out/k8-fastbuild/bin/executor/tiflashtest/tiflashtest_test_/testmain.go"
_BAZEL_MAIN = re.compile(r"bazel-out/[^/]{1,100}/bin/(?:(.{1,300})/)?([^/]{1,200})_/testmain\.go$")
_GOCHECK = (
    "github.com/pingcap/check",
    "gopkg.in/check.v1",
    "launchpad.net/gocheck",
    "github.com/go-check/check",
)
_TESTIFY = "github.com/stretchr/testify/suite"
_GINKGO = ("github.com/onsi/ginkgo", "github.com/onsi/ginkgo/v2")
# functions that declare Ginkgo specs, including focused and pending ones
_SPECS = tuple(
    f"{mark}{word}".encode()
    for word in ("Describe", "Context", "When", "It", "Specify", "DescribeTable", "Entry")
    for mark in ("", "F", "P", "X")
)
# the call with which a test function runs a suite
_HANDS_OVER = {
    "gocheck": re.compile(rb"\bTestingT\("),
    "testify": re.compile(rb"\bsuite\.Run\("),
    "ginkgo": re.compile(rb"\bRunSpecs(?:WithDefaultAndCustomReporters|WithCustomReporters)?\("),
}
# "func TestSuite(t *testing.T) {"
_TEST_FUNCTION = re.compile(rb"^func (Test\w*)\(\w+ \*testing\.T\) \{", re.MULTILINE)
# "executor_test.(*testSerialSuite).TestIssue28650"
_METHOD = re.compile(r"\.\(\*?(\w+)\)\.(Test\w*)$")


def run(report: Report, at: At) -> Reproduction | None:
    """The command for the test framework; None if the frames do not show it."""
    return _Run(report, at).command()


class _Run:
    def __init__(self, report: Report, at: At) -> None:
        self._report, self._at = report, at
        stacks = [*(a.stack for a in report.accesses), *(a.created_at for a in report.actors)]
        self._frames = [frame for stack in stacks for frame in stack]
        self._test = _test(self._frames)
        own = self._test or self._in_tests()
        if own is not None and (source := at.source(own)):
            # frames of the framework may be cut off; the imports of the test file still show it
            self._frames += _imported(source)

    def command(self) -> Reproduction | None:
        return (
            self._bazel()
            or self._gocheck()
            or self._testify()
            or self._ginkgo()
            or self._go_test()
            or self._told_test()
            or self._binary()
        )

    def _in_tests(self) -> Frame | None:
        return next((f for f in self._frames if f.file.endswith("_test.go")), None)

    def _folder(self, frame: Frame) -> str | None:
        path = self._at.path(frame) or frame.file
        if path.startswith("/") or path[1:2] == ":":
            return None
        return f"./{folder}" if (folder := path.rpartition("/")[0]) else "."

    def _bazel(self) -> Reproduction | None:
        main = next((m for f in self._frames if (m := _BAZEL_MAIN.search(f.path))), None)
        label = f"//{main[1] or ''}:{main[2]}" if main else None
        if label is None and self._test is not None:
            label = _label(self._test, self._frames)
        if label is None:
            return None
        only = f" --test_filter={shlex.quote(_exactly(self._test))}" if self._test else ""
        race = "--@io_bazel_rules_go//go/config:race"
        command = f"bazel test {race} {label}{only} --runs_per_test={TIMES}"
        return Reproduction("bazel", command)

    def _gocheck(self) -> Reproduction | None:
        told = self._method(_GOCHECK)
        if told is None:
            return None
        folder, suite, method = told
        run = self._entry("gocheck")
        command = f"go test -race {folder}{run} -check.f '{suite}.{method}$' -count={TIMES}"
        return Reproduction("gocheck", command)

    def _testify(self) -> Reproduction | None:
        told = self._method((_TESTIFY,))
        if told is None:
            return None
        folder, suite, method = told
        run = self._entry("testify", suite)
        command = f"go test -race {folder}{run} -testify.m '^{method}$' -count={TIMES}"
        return Reproduction("testify", command)

    def _method(self, packages: Iterable[str]) -> tuple[str, str, str] | None:
        """The folder, suite and method of a test that one of these frameworks ran."""
        if self._test is None or not self._runs(packages):
            return None
        told = _METHOD.search(go.parent(self._test.function))
        folder = self._folder(self._test)
        return (folder, told[1], told[2]) if told and folder is not None else None

    def _ginkgo(self) -> Reproduction | None:
        own = self._in_tests() if self._runs(_GINKGO) else None
        folder = self._folder(own) if own else None
        if folder is None:
            return None
        command = f"go test -race {folder}{self._entry('ginkgo')}"
        if texts := self._specs():
            focus = shlex.quote(re.escape(" ".join(texts)).replace("\\ ", " "))
            return Reproduction("ginkgo", f"{command} -ginkgo.focus={focus} -count={TIMES}")
        note = (
            "The frames do not show which spec it was, or its text is not a literal: all specs run."
        )
        return Reproduction("ginkgo", f"{command} -count={TIMES}", note=note)

    def _specs(self) -> list[str]:
        """The texts of the specs around a line, outermost first; the longest list of all frames."""
        found: list[str] = []
        for frame in self._frames:
            source = self._at.source(frame) if frame.file.endswith("_test.go") else None
            if source and frame.line is not None:
                texts = syntax.named_calls("go", source, _SPECS, frame.line)
                found = max(found, texts, key=len)
        return found

    def _go_test(self) -> Reproduction | None:
        folder = self._folder(self._test) if self._test else None
        if self._test is None or folder is None:
            return None
        return Reproduction(
            "go-test", self._tested(folder, go.test_name(self._test.function) or "")
        )

    def _tested(self, folder: str, name: str) -> str:
        if name.startswith("Benchmark"):
            only = f"-run '^$' -bench '^{name}$'"
        else:
            only = f"-run '^{name}${self._narrowed()}'"
        return f"go test -race {folder} {only} -count={TIMES}"

    def _told_test(self) -> Reproduction | None:
        """The test named in the text around the report, if it is declared next to one of the frames."""
        name = (self._report.test or "").partition("/")[0]
        paths = [p for f in self._frames if f.origin is Origin.USER and (p := self._at.path(f))]
        for path in dict.fromkeys(paths) if self._test is None and name.isidentifier() else ():
            files = self._at.beside(path).items()
            declared = f"\nfunc {name}(".encode()
            own = [f for f, source in files if f.endswith("_test.go") and declared in source]
            if own:
                folder = f"./{own[0].rpartition('/')[0]}" if "/" in own[0] else "."
                note = "The test is known from the text around the report, not from a frame."
                return Reproduction("go-test", self._tested(folder, name), note=note)
        return None

    def _narrowed(self) -> str:
        """The filter for the subtest, if its name is known: `/^two_words$`."""
        names = self._subtest()
        if self._report.test and "/" in self._report.test:
            names = self._report.test.split("/")[1:]
        exact = "".join(f"/^{re.escape(name.replace(' ', '_'))}$" for name in names)
        return "" if "'" in exact else exact

    def _subtest(self) -> list[str]:
        """The names in the `t.Run` calls around the closure that the test runner called."""
        for stack in (access.stack for access in self._report.accesses):
            for frame, below in pairwise(stack):
                own = go.test_name(frame.function) and not go.is_test(frame.function)
                if below.function == "testing.tRunner" and own and frame.line is not None:
                    source = self._at.source(frame)
                    return syntax.named_calls("go", source, (b"Run",), frame.line) if source else []
        return []

    def _binary(self) -> Reproduction | None:
        main = next((f for f in self._frames if go.parent(f.function) == "main.main"), None)
        if main is None or main.path.endswith(("_testmain.go", "testmain.go")):
            return None
        folder = self._folder(main)
        return Reproduction("binary", f"go run -race {folder}") if folder else None

    def _runs(self, packages: Iterable[str]) -> bool:
        """Whether a frame is in one of these packages or below."""
        own = {f.package.rpartition("/vendor/")[2] for f in self._frames}
        return any(f"{name}/".startswith(tuple(f"{p}/" for p in packages)) for name in own)

    def _entry(self, harness: str, suite: str = "") -> str:
        """The filter for the test function that runs a suite: ` -run '^TestT$'`."""
        for frame in self._frames:
            name = go.test_name(frame.function)
            is_plain = go.is_test(frame.function) and "(" not in frame.function
            if name and is_plain and name != "TestMain":
                return f" -run '^{name}$'"
        own = self._test or self._in_tests()
        path = self._at.path(own) if own else None
        files = self._at.beside(path) if path else {}
        found = {
            name
            for file, source in files.items()
            if file.endswith("_test.go")
            for name in _handing_over(source, _HANDS_OVER[harness], suite.encode())
        }
        return f" -run '^{found.pop().decode()}$'" if len(found) == 1 else ""


def _handing_over(source: bytes, way: re.Pattern[bytes], suite: bytes) -> Iterable[bytes]:
    """The tests of a file that run a suite, only the named one if there is a name."""
    for told in _TEST_FUNCTION.finditer(source):
        end = source.find(b"\n}", told.end())
        body = source[told.end() : end if end >= 0 else len(source)]
        if way.search(body) and suite in body:
            yield told[1]


def _imported(source: bytes) -> list[Frame]:
    """A frame for each test framework that a test file imports."""
    known = (*_GOCHECK, _TESTIFY, *_GINKGO)
    found = [name for name in known if f'"{name}"'.encode() in source]
    return [Frame("", name, "", None, Origin.TEST) for name in found]


def _test(frames: list[Frame]) -> Frame | None:
    """The frame of the test function, else of a closure in it."""
    tests = [
        f
        for f in frames
        if go.test_name(f.function)
        and f.file.endswith("_test.go")
        and ".TestMain" not in f.function
    ]
    return next((f for f in tests if go.is_test(f.function)), tests[0] if tests else None)


def _label(test: Frame, frames: list[Frame]) -> str | None:
    """Bazel compiles the tests of `a/b` as package `a/b/b_test`, external ones as `a/b/b_test_test`."""
    folder, _, name = test.package.rpartition("/")
    if not any("external/" in f.path[:20] or f.path.startswith("bazel-out/") for f in frames):
        return None
    if not folder or test.file.rpartition("/")[0] != folder:
        return None
    base = folder.rpartition("/")[2]
    return f"//{folder}:{base}_test" if name in (f"{base}_test", f"{base}_test_test") else None


def _exactly(test: Frame | None) -> str:
    name = go.test_name(test.function) if test else None
    return f"^{name}$"
