"""Finds the command that runs the test or program in which a race occurred, from the frames."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from deadheat.model import Frame, Origin
from deadheat.printable import visible_text
from deadheat.repo.syntax import parser
from deadheat.shell import ShellSyntax, format_command, unprintable_word
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deadheat.model import Claim, Report
    from deadheat.repo.clone import CommitSnapshot

RUN_COUNT = 20  # a race may not occur in every run
MISSING_TEST = "is not in this commit; the report is from a changed or later tree."  # the end of a note


@dataclass(frozen=True, slots=True)
class Reproduction:
    """How to reproduce a race."""

    framework: str
    command: str | None  # for a POSIX shell; None if a name in it cannot be pasted
    from_document: bool = False  # the steps of the document, not verified
    note: str | None = None  # what is missing in the command, and why
    is_vague: bool = False  # less useful than the steps of the document


def _run_words(
    framework: str, *words: str | ShellSyntax, note: str | None = None, is_vague: bool = False
) -> Reproduction:
    """The command of these words, or why there is none."""
    if (word := unprintable_word(*words)) is None:
        return Reproduction(framework, format_command(*words), note=note, is_vague=is_vague)
    note = f"No command is given: {visible_text(word)} contains characters that cannot be pasted."
    return Reproduction(framework, None, note=note, is_vague=True)


# "bazel-out/k8-fastbuild/bin/executor/tiflashtest/tiflashtest_test_/testmain.go"
_BAZEL_TEST_MAIN = re.compile(r"bazel-out/[^/]{1,100}/bin/(?:(.{1,300})/)?([^/]{1,200})_/testmain\.go$")
_GOCHECK_PACKAGES = (
    "github.com/pingcap/check",
    "gopkg.in/check.v1",
    "launchpad.net/gocheck",
    "github.com/go-check/check",
)
_TESTIFY_PACKAGE = "github.com/stretchr/testify/suite"
_GINKGO_PACKAGES = ("github.com/onsi/ginkgo", "github.com/onsi/ginkgo/v2")
# functions that declare Ginkgo specs, including focused and pending ones
_GINKGO_CALLS = tuple(
    f"{mark}{word}"
    for word in ("Describe", "Context", "When", "It", "Specify", "DescribeTable", "Entry")
    for mark in ("", "F", "P", "X")
)
# the call with which a test function runs a suite
_SUITE_CALLS = {
    "gocheck": re.compile(rb"\bTestingT\("),
    "testify": re.compile(rb"\bsuite\.Run\("),
    "ginkgo": re.compile(rb"\bRunSpecs(?:WithDefaultAndCustomReporters|WithCustomReporters)?\("),
}
# "func TestSuite(t *testing.T) {"
_TEST_FUNCTION = re.compile(rb"^func (Test\w*)\(\w+ \*testing\.T\) \{", re.MULTILINE)
# "executor_test.(*testSerialSuite).TestIssue28650"
_TEST_METHOD = re.compile(r"\.\(\*?(\w+)\)\.(Test\w*)$")


class _GoTestRun:
    """Finds the command for the test framework of a Go report; without a snapshot, paths are those of the report."""

    def __init__(self, report: Report, snapshot: CommitSnapshot | None) -> None:
        self._report, self._snapshot = report, snapshot
        self._frames = list(_all_frames(report))
        self._test_frame = _find_test_frame(self._frames)
        test_frame = self._test_frame or self._test_file_frame()
        if test_frame is not None and (source := self._source_of(test_frame)):
            # frames of the framework may be cut off; the imports of the test file still show it
            known = (*_GOCHECK_PACKAGES, _TESTIFY_PACKAGE, *_GINKGO_PACKAGES)
            imported = [name for name in known if f'"{name}"'.encode() in source]
            self._frames += [Frame("", name, "", None, Origin.TEST) for name in imported]

    def find_reproduction(self) -> Reproduction | None:
        return (
            self._bazel_command()
            or self._suite_command()
            or self._ginkgo_command()
            or self._go_test_command()
            or self._reported_test_command()
            or self._go_run_command()
        )

    def _path_of(self, frame: Frame) -> str | None:
        return self._snapshot.path_of(frame) if self._snapshot else frame.file

    def _source_of(self, frame: Frame) -> bytes | None:
        return self._snapshot.source_of(frame) if self._snapshot else None

    def _test_files(self, path: str | None) -> dict[str, bytes]:
        """The test files in the folder of a file."""
        files = self._snapshot.tree.folder_contents(path) if self._snapshot and path else {}
        return {name: source for name, source in files.items() if name.endswith("_test.go")}

    def _test_file_frame(self) -> Frame | None:
        return next((f for f in self._frames if f.file.endswith("_test.go")), None)

    def _package_folder(self, frame: Frame) -> str | None:
        path = self._path_of(frame) or frame.file
        if path.startswith("/") or path[1:2] == ":":
            return None
        return f"./{folder}" if (folder := path.rpartition("/")[0]) else "."

    def _bazel_command(self) -> Reproduction | None:
        main = next((m for f in self._frames if (m := _BAZEL_TEST_MAIN.search(f.path))), None)
        label = f"//{main[1] or ''}:{main[2]}" if main else None
        if label is None and self._test_frame is not None:
            label = _bazel_label(self._test_frame, self._frames)
        if label is None:
            return None
        name = go.enclosing_test(self._test_frame.function) if self._test_frame else None
        options = [f"--test_filter=^{name}$"] if self._test_frame else []
        race = "--@io_bazel_rules_go//go/config:race"
        return _run_words("bazel", "bazel", "test", race, label, *options, f"--runs_per_test={RUN_COUNT}")

    def _suite_command(self) -> Reproduction | None:
        """The command for a method of a gocheck or testify suite."""
        is_gocheck, is_testify = self._uses_package(_GOCHECK_PACKAGES), self._uses_package((_TESTIFY_PACKAGE,))
        if self._test_frame is None or not (is_gocheck or is_testify):
            return None
        match = _TEST_METHOD.search(go.source_function(self._test_frame.function))
        folder = self._package_folder(self._test_frame)
        if match is None or folder is None:
            return None
        suite, method = match.groups()
        if is_gocheck:
            options = [*self._suite_filter("gocheck"), "-check.f", f"{suite}.{method}$"]
        else:
            options = [*self._suite_filter("testify", suite), "-testify.m", f"^{method}$"]
        return _go_test("gocheck" if is_gocheck else "testify", folder, *options)

    def _ginkgo_command(self) -> Reproduction | None:
        test_frame = self._test_file_frame() if self._uses_package(_GINKGO_PACKAGES) else None
        folder = self._package_folder(test_frame) if test_frame else None
        if folder is None:
            return None
        options = self._suite_filter("ginkgo")
        if texts := self._spec_texts():
            focus = re.escape(" ".join(texts)).replace("\\ ", " ")
            return _go_test("ginkgo", folder, *options, f"-ginkgo.focus={focus}")
        note = "The frames do not show which spec it was, or its text is not a literal: all specs run."
        return _go_test("ginkgo", folder, *options, note=note)

    def _spec_texts(self) -> list[str]:
        """The texts of the specs around a line, outermost first; the longest list of all frames."""
        longest: list[str] = []
        for frame in self._frames:
            source = self._source_of(frame) if frame.file.endswith("_test.go") else None
            if source and frame.line is not None:
                texts = parser.enclosing_call_names("go", source, _GINKGO_CALLS, frame.line)
                longest = max(longest, texts, key=len)
        return longest

    def _go_test_command(self) -> Reproduction | None:
        folder = self._package_folder(self._test_frame) if self._test_frame else None
        if self._test_frame is None or folder is None:
            return None
        name = go.enclosing_test(self._test_frame.function) or ""
        note = self._missing_test_note(name)
        if other := self._other_test(name):
            pattern = f"^({re.escape(name)}|{re.escape(other)})$"
            return _go_test("go-test", folder, "-run", pattern, note=note)
        return self._run_test(folder, name, note)

    def _other_test(self, name: str) -> str | None:
        """The other test of the same package, if each side of the race runs in or was started by another one."""
        package = self._test_frame.package if self._test_frame else ""
        tests = [f for f in self._frames if f.package == package and f.file.endswith("_test.go")]
        names = {
            test for f in tests if not f.stale and (test := go.enclosing_test(f.function)) not in (None, "TestMain")
        }
        others = sorted(names - {name})
        is_plain = not name.startswith("Benchmark") and all(other.startswith("Test") for other in others)
        return others[0] if len(others) == 1 and is_plain else None

    def _missing_test_note(self, name: str) -> str | None:
        """A note if the commit has the package of a test but not the test."""
        path = self._path_of(self._test_frame) if self._test_frame else None
        files = self._test_files(path or (self._test_frame.file if self._test_frame else None))
        declared = f"func {name}(".encode()
        if self._snapshot is None or any(declared in source for source in files.values()):
            return None
        return f"{name} {MISSING_TEST}"

    def _run_test(self, folder: str, name: str, note: str | None = None) -> Reproduction:
        if name.startswith("Benchmark"):
            return _go_test("go-test", folder, "-run", "^$", "-bench", go.run_pattern(name), note=note)
        pattern = go.run_pattern("/".join([name, *self._subtests()]))
        return _go_test("go-test", folder, "-run", pattern, note=note)

    def _reported_test_command(self) -> Reproduction | None:
        """The test named in the text around the report, if it is declared next to one of the frames."""
        name = (self._report.test or "").partition("/")[0]
        paths = [p for f in self._frames if f.origin is Origin.USER and (p := self._path_of(f))]
        for path in dict.fromkeys(paths) if self._test_frame is None and name.isidentifier() else ():
            declared = f"\nfunc {name}(".encode()
            test_files = [file for file, source in self._test_files(path).items() if declared in source]
            if test_files:
                folder = f"./{test_files[0].rpartition('/')[0]}" if "/" in test_files[0] else "."
                note = "The test is known from the text around the report, not from a frame."
                return self._run_test(folder, name, note)
        return None

    def _subtests(self) -> list[str]:
        """The names of the subtest and those around it, if they are known."""
        return (self._report.test or "").split("/")[1:] or self._subtest_names()

    def _subtest_names(self) -> list[str]:
        """The names in the `t.Run` calls around the closure that the test runner called."""
        for stack in (access.stack for access in self._report.accesses):
            for frame, below in pairwise(stack):
                is_closure = go.enclosing_test(frame.function) and not go.is_test_function(frame.function)
                if below.function == "testing.tRunner" and is_closure and frame.line is not None:
                    source = self._source_of(frame)
                    return parser.enclosing_call_names("go", source, ("Run",), frame.line) if source else []
        return []

    def _go_run_command(self) -> Reproduction | None:
        main = next((f for f in self._frames if go.source_function(f.function) == "main.main"), None)
        if main is None or main.path.endswith(("_testmain.go", "testmain.go")):
            return None
        folder = self._package_folder(main)
        return _run_words("binary", "go", "run", "-race", folder) if folder else None

    def _uses_package(self, packages: Iterable[str]) -> bool:
        """Whether a frame is in one of these packages or below."""
        packages_seen = {f.package.rpartition("/vendor/")[2] for f in self._frames}
        return any(f"{name}/".startswith(tuple(f"{p}/" for p in packages)) for name in packages_seen)

    def _suite_filter(self, harness: str, suite: str = "") -> list[str]:
        """The option that selects the test function that runs a suite: `-run ^TestT$`."""
        for frame in self._frames:
            name = go.enclosing_test(frame.function)
            is_function = go.is_test_function(frame.function) and "(" not in frame.function
            if name and is_function and name != "TestMain":
                return ["-run", go.run_pattern(name)]
        test_frame = self._test_frame or self._test_file_frame()
        files = self._test_files(self._path_of(test_frame) if test_frame else None)
        entry_names = {
            name for source in files.values() for name in _suite_tests(source, _SUITE_CALLS[harness], suite.encode())
        }
        return ["-run", go.run_pattern(entry_names.pop().decode())] if len(entry_names) == 1 else []


def _go_test(framework: str, folder: str, *options: str, note: str | None = None) -> Reproduction:
    # what `go vet` says is no part of a race, and a newer one rejects old code
    ending = "-vet=off", f"-count={RUN_COUNT}"
    return _run_words(framework, "go", "test", "-race", folder, *options, *ending, note=note)


def _suite_tests(source: bytes, call_pattern: re.Pattern[bytes], suite: bytes) -> Iterable[bytes]:
    """The tests of a file that run a suite, only the named one if there is a name."""
    for match in _TEST_FUNCTION.finditer(source):
        end = source.find(b"\n}", match.end())
        body = source[match.end() : end if end >= 0 else len(source)]
        if call_pattern.search(body) and suite in body:
            yield match[1]


def _find_test_frame(frames: list[Frame]) -> Frame | None:
    """The frame of the test function, else of a closure in it."""
    tests = [f for f in frames if f.file.endswith("_test.go") and go.enclosing_test(f.function)]
    tests = [f for f in tests if ".TestMain" not in f.function]
    return next((f for f in tests if go.is_test_function(f.function)), tests[0] if tests else None)


def _bazel_label(test: Frame, frames: list[Frame]) -> str | None:
    """Bazel compiles the tests of `a/b` as package `a/b/b_test`, external ones as `a/b/b_test_test`."""
    folder, _, name = test.package.rpartition("/")
    if not any("external/" in f.path[:20] or f.path.startswith("bazel-out/") for f in frames):
        return None
    if not folder or test.file.rpartition("/")[0] != folder:
        return None
    base = folder.rpartition("/")[2]
    return f"//{folder}:{base}_test" if name in (f"{base}_test", f"{base}_test_test") else None


# "__x64_sys_write", "__se_sys_openat", "__do_sys_bpf", "___sys_sendmsg", "ksys_read", "sys_close"
_SYSTEM_CALL = re.compile(r"(?:__(?:x64|ia32|arm64|s390x?|riscv|se|do)_(?:compat_)?sys_|_{2,3}sys_|k?sys_)(\w{2,40})$")
# "reported on": "CPU: 1 PID: 2214 Comm: relayd Not tainted 6.1.0-rc4+ #7"
_TASK_NAME = re.compile(r"Comm: (\S{1,64})")
# "ledger::tests::shared", "it::adds::{closure#0}", "<shop::Cart>::add"
_RUST_TEST = re.compile(r"(?:\w{1,100}::)((?:\w{1,100}::){0,8}\w{1,100})(?:::\{closure#?\d*\})*$")
# "test::run_test", "test::__rust_begin_short_backtrace": the test harness of cargo
_RUST_HARNESS = re.compile(r"test::(?:run_test|__rust_begin_short_backtrace|test_main)\b")
# "src/bin/load.rs", "examples/pool.rs", "src/main.rs"
_CARGO_TARGET = re.compile(r"(?:^|/)(?:src/bin|(examples))/(\w[\w-]{0,80})(?:/main)?\.rs$")
# "shop-1f3a9c0d2b": a test binary of cargo
_CARGO_TEST_BINARY = re.compile(r"-[0-9a-f]{6,16}$")
_HOST_TARGET = ShellSyntax("--target \"$(rustc -vV | sed -n 's/^host: //p')\"")


def _tsan_reproduction(report: Report) -> Reproduction | None:
    if any(f.file.endswith(".rs") for f in _all_frames(report)):
        return _cargo_reproduction(report)
    program = dict(report.facts).get("program")
    command = [f"./{program}" if program else "PROGRAM"]
    notes = [] if program else ["the report does not name the program (PROGRAM)"]
    notes.append("the program must be built with -fsanitize=thread -g")
    return _run_program(report, command, notes, is_vague=not program, repeat=[f"--gtest_repeat={RUN_COUNT}"])


def _valgrind_reproduction(report: Report) -> Reproduction | None:
    program = next((p for f in _all_frames(report) if (p := _program_path(f))), None)
    command = ["valgrind", f"--tool={report.detector}", program or "PROGRAM"]
    notes = [] if program else ["the frames do not name the program (PROGRAM)"]
    return _run_program(report, command, notes, is_vague=not program)


def _run_program(
    report: Report, command: list[str], notes: list[str], is_vague: bool, repeat: Iterable[str] = ()
) -> Reproduction:
    """A program, or one test in it if the test is one of GoogleTest."""
    if report.test and any("_Test::TestBody(" in frame.function for frame in _all_frames(report)):
        filtered = [*command, f"--gtest_filter={report.test}", *repeat]
        return _run_words("googletest", *filtered, note=_join_notes(notes))
    return _run_words("program", *command, note=_join_notes([*notes, "its arguments are unknown"]), is_vague=is_vague)


def _program_path(frame: Frame) -> str | None:
    """The program of a frame without symbols: `??? (in /home/ci/shop)`."""
    is_program = frame.line is None and frame.origin is Origin.USER and frame.path.startswith("/")
    return frame.path if is_program and ".so" not in frame.path and "." not in frame.file else None


def _miri_reproduction(report: Report) -> Reproduction | None:
    """A test or a program run in Miri."""
    flags = ShellSyntax(f'MIRIFLAGS="-Zmiri-many-seeds=0..{RUN_COUNT}"')
    miri = flags, "cargo", "+nightly", "miri"
    if test := _rust_test(report):
        return _run_words("cargo-miri", *miri, "test", test)
    target = _rust_target(report)
    if target is not None:
        return _run_words("cargo-miri", *miri, "run", *target)
    note = "the frames do not show which test or program ran"
    return _run_words("cargo-miri", *miri, "test", note=_join_notes([note]), is_vague=True)


def _cargo_reproduction(report: Report) -> Reproduction:
    cargo = ShellSyntax("RUSTFLAGS=-Zsanitizer=thread"), "cargo", "+nightly"
    options = "-Zbuild-std", _HOST_TARGET
    if test := _rust_test(report):
        return _run_words("cargo-test", *cargo, "test", *options, test)
    target = _rust_target(report)
    if target is not None:
        return _run_words("cargo-run", *cargo, "run", *options, *target)
    program = dict(report.facts).get("program", "")
    if _CARGO_TEST_BINARY.search(program) or any(_RUST_HARNESS.search(f.function) for f in _all_frames(report)):
        note = "the frames do not show which test ran"
    else:
        note = "the frames do not show whether a test or a program ran"
    return _run_words("cargo-test", *cargo, "test", *options, note=_join_notes([note]), is_vague=True)


def _kcsan_reproduction(report: Report) -> Reproduction | None:
    """A kernel with KCSAN, and the system calls that reach the racing code."""
    calls = list(dict.fromkeys(m[1] for f in _all_frames(report) if (m := _SYSTEM_CALL.match(f.function))))
    task = _TASK_NAME.search(dict(report.facts).get("reported on", ""))
    notes = ["the kernel must be built with CONFIG_KCSAN=y"]
    if calls:
        plural = "s" if len(calls) > 1 else ""
        notes.append(f"the racing code is reached through the system call{plural} {', '.join(calls)}")
    else:
        notes.append("no system call is among the frames")
    if task:
        notes.append(f"`{task[1]}` ran; its input is unknown")
    build = ShellSyntax("scripts/config --enable KCSAN && make olddefconfig && make")
    return _run_words("kcsan", build, note=_join_notes(notes), is_vague=True)


def _all_frames(report: Report) -> Iterator[Frame]:
    for stack in (*(a.stack for a in report.accesses), *(a.created_at for a in report.actors)):
        yield from stack


def _rust_test(report: Report) -> str | None:
    """The test name for libtest, without the crate: `tests::shared`."""
    if report.test and (match := re.fullmatch(r"[\w:]{1,300}", report.test)):
        return match[0]
    for frame in _all_frames(report):
        is_test = "::tests::" in frame.function or frame.path.startswith("tests/")
        if is_test and frame.origin is Origin.USER and (name := _RUST_TEST.match(frame.function)):
            return name[1]
    return None


def _rust_target(report: Report) -> list[str] | None:
    """The option of cargo: none for src/main.rs, `--bin load`, `--example pool`."""
    for frame in _all_frames(report):
        if not re.match(r"(?:\w{1,100}::)?main(?:::\{closure#?\d*\})*$", frame.function):
            continue
        if target_match := _CARGO_TARGET.search(frame.path):
            return ["--example" if target_match[1] else "--bin", target_match[2]]
        if frame.path.endswith("src/main.rs"):
            return []
    return None


def _join_notes(parts: list[str]) -> str | None:
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else None


_FINDERS_BY_DETECTOR = {
    "tsan": _tsan_reproduction,
    "helgrind": _valgrind_reproduction,
    "drd": _valgrind_reproduction,
    "miri": _miri_reproduction,
    "kcsan": _kcsan_reproduction,
}


def find_reproduction(report: Report, snapshot: CommitSnapshot | None = None) -> Reproduction | None:
    """The command for the detector and test framework; None if the frames do not show it."""
    if finder := _FINDERS_BY_DETECTOR.get(report.detector):
        return finder(report)
    return _GoTestRun(report, snapshot).find_reproduction()


def choose_reproduction(
    reproduction: Reproduction | None, steps: Sequence[Claim], source_files: Iterable[bytes] | None = None
) -> Reproduction | None:
    """The command, or the steps of the document, in order, if these are more useful.

    `source_files`: the files around the race at the commit to run. An injection that they do not name is told.
    """
    roles = {step.role for step in steps if step.kind == "step"}
    if not roles or (reproduction and not reproduction.is_vague):
        return reproduction
    rows = [row for step in steps if (row := _format_step(step))]
    note = None
    if source_files is not None:
        sources = list(source_files)
        names = [step.value for step in steps if step.kind == "injection"]
        absent = [name for name in names if not _is_named(name.rpartition("/")[2], sources)]
        if absent:
            note = f"The code around the race does not name {', '.join(absent)} at this commit."
    return Reproduction(roles.pop() if len(roles) == 1 else "steps", "\n".join(rows), True, note=note)


def _is_named(name: str, sources: Iterable[bytes]) -> bool:
    return any(name.encode("utf-8", "replace") in source for source in sources)


def _format_step(step: Claim) -> str:
    details = dict(step.details)
    if step.kind == "injection":
        return f"-- {step.role} {step.value}: {details.get('expression', '')}".rstrip(": ")
    session = f"/* {details['session']} */ " if details.get("session") else ""
    return f"{session}{step.value};" if step.role == "sql" else step.value
