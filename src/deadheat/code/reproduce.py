"""The command that runs the test, or the program, in which a race was seen; read off the frames."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from deadheat.code import syntax
from deadheat.model import Frame, Origin
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from deadheat.model import Claim, Report

    Path = Callable[[Frame], str | None]
    Source = Callable[[Frame], bytes | None]

_TIMES = 20
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
# "executor_test.(*testSerialSuite).TestIssue28650"
_METHOD = re.compile(r"\.\(\*?(\w+)\)\.(Test\w*)$")


@dataclass(frozen=True, slots=True)
class Reproduction:
    """How to see a race again."""

    framework: str
    command: str
    claimed: bool = False  # the document's own steps, which nobody has tried


def reproduce(
    report: Report, path_of: Path | None = None, source_of: Source | None = None
) -> Reproduction | None:
    """The command for the framework that ran it; None if the frames do not tell.

    `path_of` gives the path of a frame's file in the repository, and `source_of` its content, where
    there is one at hand.
    """
    frames = _frames(report)
    where = path_of or (lambda frame: frame.file)
    test = _test(frames)
    if test is not None and source_of is not None and (source := source_of(test)):
        # the frames of the harness may be cut off; the test's file still says what it is
        frames = [*frames, *_imported(source)]
    for way in (_bazel, _gocheck, _testify, _ginkgo, _go_test, _binary):
        if found := way(frames, test, where):
            return _narrowed(found, report, source_of) if way is _go_test else found
    return None


def _narrowed(found: Reproduction, report: Report, source_of: Source | None) -> Reproduction:
    """The command for the sub-test alone, where its name is known."""
    names = _subtest(report, source_of) if source_of else []
    if report.test and "/" in report.test:
        names = report.test.split("/")[1:]
    exact = "".join(f"/^{re.escape(name.replace(' ', '_'))}$" for name in names)
    if not exact or "'" in exact:
        return found
    return Reproduction(found.framework, found.command.replace("$' ", f"${exact}' ", 1))


def _subtest(report: Report, source_of: Source) -> list[str]:
    """The names that `t.Run` was called with around the closure that the test's runner called."""
    for stack in (access.stack for access in report.accesses):
        for frame, below in pairwise(stack):
            own = go.test_name(frame.function) and not go.is_test(frame.function)
            if below.function == "testing.tRunner" and own and frame.line is not None:
                source = source_of(frame)
                return syntax.named_calls("go", source, b"Run", frame.line) if source else []
    return []


def stated(steps: Sequence[Claim]) -> Reproduction | None:
    """What the document says to do, in its order, each step with who is to take it."""
    rows = [row for step in steps if (row := _step(step))]
    roles = {step.role for step in steps if step.kind == "step"}
    if not roles:
        return None
    return Reproduction(roles.pop() if len(roles) == 1 else "steps", "\n".join(rows), True)


def _step(step: Claim) -> str:
    details = dict(step.details)
    if step.kind == "injection":
        return f"-- {step.role} {step.value}: {details.get('expression', '')}".rstrip(": ")
    session = f"/* {details['session']} */ " if details.get("session") else ""
    return f"{session}{step.value};" if step.role == "sql" else step.value


def _imported(source: bytes) -> list[Frame]:
    """The harnesses that a test file imports, as if one of their frames had been seen."""
    known = (*_GOCHECK, _TESTIFY, *_GINKGO)
    found = [name for name in known if f'"{name}"'.encode() in source]
    return [Frame("", name, "", None, Origin.TEST) for name in found]


def _frames(report: Report) -> list[Frame]:
    stacks = [*(a.stack for a in report.accesses), *(a.created_at for a in report.actors)]
    return [frame for stack in stacks for frame in stack]


def _test(frames: list[Frame]) -> Frame | None:
    """The test function itself if it is on a stack, else a closure of it."""
    tests = [
        f
        for f in frames
        if go.test_name(f.function)
        and f.file.endswith("_test.go")
        and ".TestMain" not in f.function
    ]
    return next((f for f in tests if go.is_test(f.function)), tests[0] if tests else None)


def _folder(frame: Frame, where: Path) -> str | None:
    path = where(frame) or frame.file
    if path.startswith("/") or path[1:2] == ":":
        return None
    return f"./{folder}" if (folder := path.rpartition("/")[0]) else "."


def _bazel(frames: list[Frame], test: Frame | None, where: Path) -> Reproduction | None:
    label = next(
        (f"//{m[1] or ''}:{m[2]}" for f in frames if (m := _BAZEL_MAIN.search(f.path))), None
    )
    if label is None and test is not None:
        label = _label(test, frames)
    if label is None:
        return None
    only = f" --test_filter={shlex.quote(_exactly(test))}" if test else ""
    return Reproduction(
        "bazel",
        f"bazel test --@io_bazel_rules_go//go/config:race {label}{only} --runs_per_test={_TIMES}",
    )


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


def _gocheck(frames: list[Frame], test: Frame | None, where: Path) -> Reproduction | None:
    if test is None or not _runs(frames, _GOCHECK):
        return None
    method = _METHOD.search(go.parent(test.function))
    folder = _folder(test, where)
    if not method or folder is None:
        return None
    entry = _entry(frames)
    run = f" -run '^{entry}$'" if entry else ""
    command = f"go test -race {folder}{run} -check.f '{method[1]}.{method[2]}$'"
    return Reproduction("gocheck", f"{command} -count={_TIMES}")


def _testify(frames: list[Frame], test: Frame | None, where: Path) -> Reproduction | None:
    if test is None or not _runs(frames, (_TESTIFY,)):
        return None
    method = _METHOD.search(go.parent(test.function))
    folder = _folder(test, where)
    if not method or folder is None:
        return None
    entry = _entry(frames)
    run = f" -run '^{entry}$'" if entry else ""
    command = f"go test -race {folder}{run} -testify.m '^{method[2]}$'"
    return Reproduction("testify", f"{command} -count={_TIMES}")


def _ginkgo(frames: list[Frame], test: Frame | None, where: Path) -> Reproduction | None:
    if not _runs(frames, _GINKGO):
        return None
    own = next((f for f in frames if f.file.endswith("_test.go")), None)
    folder = _folder(own, where) if own else None
    if folder is None:
        return None
    entry = _entry(frames)
    run = f" -run '^{entry}$'" if entry else ""
    return Reproduction("ginkgo", f"go test -race {folder}{run} -count={_TIMES}")


def _go_test(frames: list[Frame], test: Frame | None, where: Path) -> Reproduction | None:
    folder = _folder(test, where) if test else None
    if test is None or folder is None:
        return None
    name = go.test_name(test.function) or ""
    if name.startswith("Benchmark"):
        command = f"go test -race {folder} -run '^$' -bench '^{name}$'"
    else:
        command = f"go test -race {folder} -run '^{name}$'"
    return Reproduction("go-test", f"{command} -count={_TIMES}")


def _binary(frames: list[Frame], test: Frame | None, where: Path) -> Reproduction | None:
    main = next((f for f in frames if go.parent(f.function) == "main.main"), None)
    if main is None or main.path.endswith(("_testmain.go", "testmain.go")):
        return None
    folder = _folder(main, where)
    return Reproduction("binary", f"go run -race {folder}") if folder else None


def _runs(frames: list[Frame], packages: Iterable[str]) -> bool:
    """Is a frame in one of these packages, or below it?"""
    own = {f.package.rpartition("/vendor/")[2] for f in frames}
    return any(f"{name}/".startswith(tuple(f"{p}/" for p in packages)) for name in own)


def _entry(frames: list[Frame]) -> str | None:
    """The plain test function that hands over to a suite: `TestT`."""
    for frame in frames:
        name = go.test_name(frame.function)
        if name and go.is_test(frame.function) and "(" not in frame.function and name != "TestMain":
            return name
    return None
