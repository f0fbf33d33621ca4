"""Go tests: the test of a command, its binary with the race detector, and the process of one trial."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from deadheat.errors import DeadheatError
from deadheat.printable import visible_text
from deadheat.verification.go_toolchain import required_version
from deadheat.verification.processes import Limits, ProcessTask, make_temporary_folder, run_process

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deadheat.verification.go_toolchain import GoToolchain
    from deadheat.verification.processes import ProcessResult

_BUILD_SECONDS = 1800
_MAX_BUILD_MEMORY = 1 << 36
# "bazel test --… //pkg/executor:executor_test --test_filter=^TestX$ --runs_per_test=20"
_BAZEL_LABEL = re.compile(r"//([\w./-]*):[\w.-]+$")
_BUILD_OPTIONS = ("-tags", "-ldflags", "-gcflags", "-mod")  # of `go test`, with a value
# what the build says if go.mod or vendor/modules.txt would have to change, or go.sum lacks a line
_NEEDS_MOD = re.compile(rb"updates to go\.mod needed|inconsistent vendoring|missing go\.sum entry|-mod=mod")
# "go: github.com/x/y@v1.2.3: module lookup disabled by GOPROXY=off", "cannot find module providing package x"
_MISSING_MODULE = re.compile(
    rb"([\w./@!+-]{3,200}):? (?:module lookup disabled by GOPROXY|cannot find module providing package)"
    rb"|(?:cannot find module providing package|no required module provides package) ([\w./@-]{3,200})"
)
_MAX_MESSAGE_LINES = 8
_VENDORS_BY_DEFAULT = (1, 14)
# "^TestCart$", "^TestCart$/^empty$", "^(TestA|TestB)$": patterns of whole names
_NAMED_TESTS = re.compile(r"\^\(?((?:Test|Fuzz)\w{0,200}(?:\|Test\w{0,200}){0,9})\)?\$(?:/|\Z)")


class BuildError(DeadheatError):
    """A version cannot be built because of its code, whatever is installed."""


class GoTest(NamedTuple):
    """One test of a package, as `go test` would run it."""

    folder: str  # of the package, relative to the root of the repository: "./executor", "."
    pattern: str  # of -run; empty: all tests
    build_options: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()  # of the test binary: -test.bench, -check.f

    def binary_arguments(self) -> list[str]:
        return [*([f"-test.run={self.pattern}"] if self.pattern else []), *self.arguments]

    def names_missing_in(self, tree: Path) -> tuple[str, ...]:
        """The tests that the pattern names, if none of them is declared in the package."""
        names, missing = self._named_tests(tree)
        return names if names == missing else ()

    def some_missing_in(self, tree: Path) -> tuple[str, ...]:
        """The tests that the pattern names and the package does not declare."""
        return self._named_tests(tree)[1]

    def _named_tests(self, tree: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The tests that the pattern names, and those of them that the package does not declare."""
        match = _NAMED_TESTS.match(self.pattern)
        names = tuple(match[1].split("|")) if match else ()
        sources = [file.read_bytes() for file in (tree / self.folder).glob("*_test.go") if file.is_file()]
        missing = (name for name in names if not any(f"func {name}(".encode() in source for source in sources))
        return names, tuple(missing)


def test_file_patterns(folder: str) -> tuple[str, str]:
    """Patterns of git for the test files of a package, and for their data."""
    prefix = re.sub(r"([*?\[\\])", r"\\\1", folder.removeprefix(".").removeprefix("/"))
    prefix = f"{prefix.rstrip('/')}/" if prefix else ""
    return f"{prefix}*_test.go", f"{prefix}testdata/**"


def parse_go_test(command: str) -> GoTest | None:
    """The test of a command `go test -race FOLDER -run PATTERN …`, or of the same for Bazel; None if it is another."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if words[:2] == ["bazel", "test"]:
        return _parse_bazel_test(words[2:])
    return _parse_words(words[2:]) if words[:2] == ["go", "test"] else None


def _parse_bazel_test(words: list[str]) -> GoTest | None:
    labels = [match for word in words if (match := _BAZEL_LABEL.match(word))]
    filters = [word.partition("=")[2] for word in words if word.startswith("--test_filter=")]
    if len(labels) != 1:
        return None
    return GoTest(f"./{labels[0][1]}" if labels[0][1] else ".", filters[0] if filters else "")


def _parse_words(words: list[str]) -> GoTest | None:
    folders, pattern = [], ""
    build_options: list[str] = []
    arguments: list[str] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            folders.append(word)
            continue
        name, has_value, value = word.partition("=")
        name = f"-{name.lstrip('-')}"
        if name in ("-race", "-v", "-json", "-c", "-failfast", "-x"):
            continue
        if name in ("-short", "-args"):
            arguments += ["-test.short"] if name == "-short" else []
            continue
        if not has_value and (value := next(rest, "")) == "":
            return None
        if name == "-run":
            pattern = value
        elif name in _BUILD_OPTIONS:
            build_options.append(f"{name}={value}")
        elif name not in ("-count", "-vet", "-timeout", "-cpu", "-p", "-parallel", "-o", "-exec"):
            # "-bench", "-benchtime" are options of the binary; "-check.f" and "-testify.m" already have their prefix
            arguments.append(f"{name if '.' in name else f'-test.{name[1:]}'}={value}")
    if len(folders) > 1 or any("..." in folder or folder.startswith(("/", "..")) for folder in folders):
        return None
    folder = folders[0] if folders else "."
    is_folder = folder == "." or folder.startswith("./")
    return GoTest(folder, pattern, tuple(build_options), tuple(arguments)) if is_folder else None


class GoTestBinary(NamedTuple):
    """A test binary, and the folder in which `go test` would run it."""

    path: Path
    package_folder: Path
    toolchain: GoToolchain
    tree: Path  # of the repository


def module_of(tree: Path, folder: str) -> tuple[Path, str]:
    """The folder of the module that a package belongs to, and its go.mod."""
    package_folder = (tree / folder).resolve()
    if not package_folder.is_relative_to(tree.resolve()) or not package_folder.is_dir():
        raise BuildError("the package is not in this commit", visible_text(folder), "give the command after --")
    for parent in (package_folder, *package_folder.parents):
        if (parent / "go.mod").is_file():
            return parent, (parent / "go.mod").read_text(errors="replace")
        if parent == tree.resolve():
            break
    raise BuildError("no go.mod is above the package", visible_text(folder), "give the command after --")


class GoBuild(NamedTuple):
    """How test binaries of a work tree are built."""

    tree: Path
    test: GoTest
    toolchain: GoToolchain
    scratch: Path

    def build(
        self, name: str, options: tuple[str, ...] = ("-race",), overlay: Mapping[Path, Path] | None = None
    ) -> GoTestBinary:
        """Build the test binary; `overlay` replaces files by others."""
        module, go_mod = module_of(self.tree, self.test.folder)
        package_folder = (self.tree / self.test.folder).resolve()
        binary = self.scratch / f"{name}.test"
        package = "./" + package_folder.relative_to(module).as_posix()
        # go itself ignores the vendor folder of a module that asks for an older version
        is_vendored = required_version(go_mod) < _VENDORS_BY_DEFAULT and (module / "vendor" / "modules.txt").is_file()
        mod_option = ["-mod=vendor"] if is_vendored else []
        words = [self.toolchain.go, "test", "-c", "-vet=off", *options, *mod_option, *self.test.build_options]
        if overlay:
            replaced = {str(old): str(new) for old, new in overlay.items()}
            overlay_file = self.scratch / f"{name}.overlay.json"
            overlay_file.write_text(json.dumps({"Replace": replaced}))
            words.append(f"-overlay={overlay_file}")
        words += ["-o", str(binary)]
        result = self._run(name, [*words, package], module)
        if result.exit_code and _NEEDS_MOD.search(result.output):
            result = self._run(name, [*words, "-mod=mod", package], module)
        if result.exit_code or result.stopped:
            raise _build_error(result, self.test.folder)
        if not binary.is_file():
            hint = (
                "is it the right commit? If its tests need a build tag, give the command after --: go test -tags TAG …"
            )
            raise BuildError("the package has no tests", visible_text(self.test.folder), hint)
        return GoTestBinary(binary, package_folder, self.toolchain, self.tree.resolve())

    def _run(self, name: str, words: list[str], folder: Path) -> ProcessResult:
        limits = Limits(_BUILD_SECONDS, _MAX_BUILD_MEMORY)
        scratch = self.scratch / f"{name}-build"
        # a build that is killed leaves files behind
        environment = self.toolchain.environment | {"TMPDIR": make_temporary_folder(scratch), "GOTMPDIR": ""}
        return run_process(ProcessTask(words, folder, environment, limits, scratch))


def _build_error(result: ProcessResult, folder: str) -> DeadheatError:
    text = result.output
    if match := _MISSING_MODULE.search(text):
        module = (match[1] or match[2]).decode("ascii", "replace")
        what = f"the dependency {module} is not in the module cache, and nothing is downloaded"
        return DeadheatError(what, folder, "run `go mod download` in a clone at this commit first")
    if b"requires cgo" in text or b"C compiler" in text:
        return DeadheatError("go test -race needs cgo and a C compiler", folder, "install gcc or clang")
    if b"no space left on device" in text:
        what = "no space was left on the disk during the build"
        return DeadheatError(what, visible_text(folder), "make space, or set TMPDIR to a folder on another disk")
    lines = [line for line in text.decode("utf-8", "replace").splitlines() if line.strip()][:_MAX_MESSAGE_LINES]
    reason = result.stopped or "; ".join(visible_text(line.strip()) for line in lines)
    fault = DeadheatError if result.stopped else BuildError
    return fault(f"the test does not build: {reason}", visible_text(folder), "does it build with `go test -c`?")
