"""The code that trials run: a version of a repository, and the test or command that shows the race in it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from deadheat.errors import DeadheatError
from deadheat.printable import shorten, visible_text
from deadheat.repo.reproduction import MISSING_TEST
from deadheat.shell import ShellSyntax, format_command
from deadheat.verification.go_tests import BuildError, GoBuild, GoTest, module_of, parse_go_test, test_file_patterns
from deadheat.verification.go_toolchain import find_toolchain, version_in_paths
from deadheat.verification.processes import (
    Limits,
    ProcessTask,
    find_isolation,
    make_temporary_folder,
    passed_environment,
    run_process,
)
from deadheat.verification.trials import CommandCode, GoTestCode

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deadheat.model import Report
    from deadheat.repo.dossier import Dossier
    from deadheat.verification.go_toolchain import GoToolchain
    from deadheat.verification.processes import Isolation
    from deadheat.verification.trials import Configuration, TrialCode
    from deadheat.verification.worktrees import WorkTrees

_BUILD_SECONDS = 3600
_BUILD_MEMORY = 1 << 36
_MAX_MESSAGE = 400
_NO_COMMAND = "give it after --, for example: -- go test -race ./pkg -run '^TestX$'"


class RunPlan(NamedTuple):
    """What to run in each version."""

    command: str  # as it is shown
    go_test: GoTest | None
    words: tuple[str, ...] = ()  # of a command that is no Go test
    build: str = ""  # a shell command before the first trial
    is_from_user: bool = False
    note: str = ""
    tests: TestsOfCommit | None = None

    @property
    def notes(self) -> list[str]:
        """What a reader of the result has to know about the command."""
        tests = [f"the tests are those of commit {self.tests.commit[:12]}, in all versions"] if self.tests else []
        return [*([self.note] if self.note else []), *tests]


class TestsOfCommit(NamedTuple):
    """The files of a commit that replace those of the code under test."""

    commit: str
    patterns: tuple[str, ...] = ()  # of git; in addition to the test files of the package


def choose_plan(dossier: Dossier, words: Sequence[str], build: str = "", tests: TestsOfCommit | None = None) -> RunPlan:
    """The command of the user, else that of the dossier."""
    if words:
        text = shlex.join(words)
        go_test = None if build else parse_go_test(text)
        if tests and not go_test and not tests.patterns:
            what = "--tests-from knows the test files of `go test` of one package only"
            raise DeadheatError(what, visible_text(text), "name the files with --tests-path")
        return RunPlan(text, go_test, tuple(words), build, is_from_user=True, tests=tests)
    found = dossier.reproduction
    if found is None or found.command is None:
        why = found.note if found and found.note else "the frames do not show which test ran"
        raise DeadheatError(f"no command is known that shows this race: {why}", "", _NO_COMMAND)
    go_test = None if found.from_document else parse_go_test(found.command)
    if go_test is None:
        what = f"the command of this race cannot be run by itself: {shorten(visible_text(found.command), _MAX_MESSAGE)}"
        raise DeadheatError(what, "", _NO_COMMAND)
    note = "" if tests and (found.note or "").endswith(MISSING_TEST) else found.note or ""
    return RunPlan(found.command, go_test, note=note, tests=tests)


@dataclass
class CodeBuilder:
    """Builds versions of a repository for trials."""

    trees: WorkTrees
    plan: RunPlan
    report: Report
    isolation: Isolation = field(default_factory=find_isolation)
    toolchain: GoToolchain | None = None  # of the latest build

    def build(self, name: str, tree: Path, version_text: str = "") -> TrialCode:
        """Build a version once. It is an error if a version with a text lacks the test."""
        self._replace_tests(name)
        if version_text:
            self._require_test(tree, version_text)
        if self.plan.go_test is None:
            return self._prepare_command(name, tree)
        build = self.go_build(name, tree)
        return GoTestCode(build.build(name), self.plan.go_test)

    def _replace_tests(self, name: str) -> None:
        plan = self.plan
        if plan.tests is None:
            return
        patterns = [*plan.tests.patterns, *(test_file_patterns(plan.go_test.folder) if plan.go_test else ())]
        if not self.trees.replace_files(name, plan.tests.commit, patterns):
            what = f"no file of commit {plan.tests.commit[:12]} matches {', '.join(patterns)}"
            raise DeadheatError(visible_text(what), "--tests-from", "is it the commit with the test?")

    def _require_test(self, tree: Path, version_text: str) -> None:
        test = self.plan.go_test
        missing = test.names_missing_in(tree) if test else ()
        if test and missing:
            what = f"{' and '.join(missing)} is not in {version_text}"
            hint = "take the tests of the commit that has it, such as the fix: --tests-from COMMIT"
            raise BuildError(what, visible_text(test.folder), hint)

    def go_build(self, name: str, tree: Path) -> GoBuild:
        """How Go test binaries of a version are built."""
        assert self.plan.go_test is not None
        _, go_mod = module_of(tree, self.plan.go_test.folder)
        paths = [frame.path for access in self.report.accesses for frame in access.stack]
        self.toolchain = find_toolchain(go_mod, version_in_paths(paths))
        scratch = self.trees.folder / f"{name}-build"
        scratch.mkdir(exist_ok=True)
        return GoBuild(tree, self.plan.go_test, self.toolchain, scratch)

    def _prepare_command(self, name: str, tree: Path) -> TrialCode:
        environment = passed_environment()
        if self.plan.build:
            scratch = self.trees.folder / f"{name}-build"
            task = ProcessTask(
                ("/bin/sh", "-c", self.plan.build), tree, environment | {"TMPDIR": make_temporary_folder(scratch)},
                Limits(_BUILD_SECONDS, _BUILD_MEMORY), scratch,
            )  # fmt: skip
            result = run_process(task, self.isolation)
            if result.exit_code or result.stopped:
                text = result.output[-_MAX_MESSAGE:].decode("utf-8", "replace")
                reason = result.stopped or visible_text(" ".join(text.split()))
                fault = DeadheatError if result.stopped else BuildError
                raise fault(f"the build failed: {reason}", visible_text(self.plan.build), "does it work by hand?")
        return CommandCode(self.plan.words, tree, environment)


def command_for(plan: RunPlan, configuration: Configuration) -> str | None:
    """The command that runs one trial of a configuration, to be copied; None if a name in it cannot be shown."""
    variables = [ShellSyntax(f"{name}={value}") for name, value in configuration.environment]
    if plan.go_test is None:
        return _many_at_once(format_command(*variables, *plan.words), configuration)
    test = plan.go_test
    count = next((a.partition("=")[2] for a in configuration.arguments if a.startswith("-test.count=")), "1")
    options = [f"-{a.removeprefix('-test.')}" for a in configuration.arguments if not a.startswith("-test.count=")]
    selection = ["-run", test.pattern] if test.pattern else []
    others = [a.replace("-test.", "-", 1) if a.startswith("-test.") else a for a in test.arguments]
    if configuration.processes_per_core > 1:
        return _many_binaries(test, configuration)
    return format_command(
        *variables, "go", "test", "-race", *test.build_options, test.folder, *selection, *others, "-vet=off",
        f"-count={count}", *options,
    )  # fmt: skip


def _many_binaries(test: GoTest, configuration: Configuration) -> str | None:
    """Builds once, then runs several processes at once, in the folder of the package as `go test` does."""
    build = format_command("go", "test", "-race", "-c", "-vet=off", *test.build_options, "-o", "race.test", test.folder)
    run = format_command("./race.test", *test.binary_arguments(), "-test.count=1")
    if build is None or run is None:
        return None
    back = "" if test.folder == "." else f"mv race.test {shlex.quote(test.folder)} && cd {shlex.quote(test.folder)} && "
    many = _many_at_once(run, configuration)
    return f"{build} && {back}{many}"


def _many_at_once(command: str | None, configuration: Configuration) -> str | None:
    if command is None or configuration.processes_per_core == 1:
        return command
    count = f"$(({configuration.processes_per_core} * $(nproc)))"
    return f'seq "{count}" | xargs -P "{count}" -I@N@ {command}'
