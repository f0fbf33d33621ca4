"""Proves that the racing lines of a Go race run: in a test binary whose racing lines report that they did.

The source of a racing line gets a statement in front of it that prints a mark once. The changed files are given to the
build with `-overlay`; the work tree stays as it is. A line that the new code no longer has is replaced by
the first statement of the function that contained it. If that function is gone, the line is searched in
the functions that are new in its package.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from deadheat.errors import DeadheatError
from deadheat.repo.pinning import line_claims
from deadheat.repo.syntax.statements import Statement, go_functions, innermost_statement, statements_between
from deadheat.verification.processes import ProcessPool, remove_folder
from deadheat.verification.rates import clean_probability
from deadheat.verification.trials import GoTestCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from deadheat.repo.racing_lines import RacingLine
    from deadheat.verification.code_under_test import CodeBuilder
    from deadheat.verification.trials import Configuration, TrialLimits

RUNS = 8  # of each version
MAX_RUNS = 24  # if a racing line was not seen to run
_SURE = 0.01  # probability that a line which runs as often as before is not seen


class SiteState(Enum):
    """What is known about a racing line of one version."""

    RAN = "ran"
    DID_NOT_RUN = "did not run"
    GONE = "its function is gone or empty"
    UNKNOWN = "not known"


class RacingSite(NamedTuple):
    """A racing line, to be found again in other versions."""

    function: str  # as it is declared: "(*Cart).Add"
    path: str
    text: str  # of the line

    @property
    def description(self) -> str:
        return f"{self.function} in {self.path}"


class SiteRuns(NamedTuple):
    """How many instrumented runs executed a racing line."""

    site: RacingSite
    state: SiteState
    ran: int
    runs: int
    is_line: bool  # the line itself; else the function that contained it


class _Mark(NamedTuple):
    """A statement to insert."""

    offset: int
    site: int
    is_line: bool


def racing_sites(lines: Iterable[RacingLine]) -> list[RacingSite]:
    """The racing lines of Go code."""
    sites = []
    for line in lines:
        function = line_claims.declaration_name(line.frame.function, "go") if line.is_go else ""
        if function:
            sites.append(RacingSite(function, line.path, line.text.decode("utf-8", "replace").strip()))
    return sites


@dataclass
class InstrumentedBuild:
    """The test binary of one version with marks at the racing lines."""

    builder: CodeBuilder
    sites: Sequence[RacingSite]
    jobs: int = 1
    _known: set[bytes] = field(default_factory=set)  # functions of the first version, the old one
    token: str = field(default_factory=lambda: f"deadheat-{secrets.token_hex(8)}")

    def count_runs(self, name: str, tree: Path, configuration: Configuration, limits: TrialLimits) -> list[SiteRuns]:
        """Run the instrumented test some times, and count in how many runs each racing line ran."""
        marks = self._place_marks(tree)
        ran = [0] * len(self.sites)
        runs = 0
        if marks:
            try:
                code = self._build(name, tree, marks)
            except DeadheatError:
                return [SiteRuns(site, SiteState.UNKNOWN, 0, 0, is_line=False) for site in self.sites]
            placed = {mark.site for found in marks.values() for mark in found}
            while runs < RUNS or (runs < MAX_RUNS and not all(ran[number] for number in placed)):
                for output in self._outputs(code, configuration, limits):
                    runs += 1
                    for number in range(len(self.sites)):
                        ran[number] += self._mark_text(number).encode() in output
        is_line = {mark.site: mark.is_line for found in marks.values() for mark in found}
        return [
            SiteRuns(site, _state_of(number in is_line, ran[number]), ran[number], runs, is_line.get(number, False))
            for number, site in enumerate(self.sites)
        ]

    def _mark_text(self, number: int) -> str:
        return f"{self.token}-{number};"

    def _place_marks(self, tree: Path) -> dict[Path, list[_Mark]]:
        """The marks by file. A function may have moved to another file of its package, or may have another name."""
        marks: dict[Path, list[_Mark]] = {}
        is_first = not self._known
        for number, site in enumerate(self.sites):
            folder = (tree / site.path).parent
            sources = {
                file: file.read_bytes()
                for file in sorted(folder.glob("*.go"))
                if file.is_file() and not file.is_symlink()
            }
            if is_first:
                self._known.update(each.header for source in sources.values() for each in go_functions(source))
            spans = {file: line_claims.go_function_lines(site.function, source) for file, source in sources.items()}
            # several files may declare it, for different systems
            found = {file: _find_statements(sources[file], site, number, span) for file, span in spans.items() if span}
            if not any(spans.values()):
                found = {file: self._find_renamed(source, site, number) for file, source in sources.items()}
            for file, placed in found.items():
                if placed:
                    marks.setdefault(file, []).extend(placed)
        return marks

    def _find_renamed(self, source: bytes, site: RacingSite, number: int) -> list[_Mark]:
        """Where marks go if the function has another name now: at the text of the racing line in new functions."""
        new = [function for function in go_functions(source) if function.header not in self._known]
        return [
            mark
            for function in new
            for mark in _marks_at_line(source, site, number, statements_between(source, function.first, function.last))
        ]

    def _build(self, name: str, tree: Path, marks: dict[Path, list[_Mark]]) -> GoTestCode:
        build = self.builder.go_build(name, tree)
        overlay = {}
        for index, (file, found) in enumerate(marks.items()):
            changed = build.scratch / f"marked-{index}.go"
            changed.write_bytes(self._insert_marks(file.read_bytes(), found, index))
            overlay[file] = changed
        # with the detector, as the trials: without it the test is faster, and other lines run before it ends
        binary = build.build(f"{name}-marked", overlay=overlay)
        return GoTestCode(binary, build.test)

    def _insert_marks(self, source: bytes, marks: Sequence[_Mark], index: int) -> bytes:
        for mark in sorted(set(marks), reverse=True):
            flag = f"deadheatSite{mark.site}File{index}"
            statement = f'if {flag} == 0 {{ {flag} = 1; println("{self._mark_text(mark.site)}") }}; '
            source = source[: mark.offset] + statement.encode() + source[mark.offset :]
        flags = sorted({f"deadheatSite{mark.site}File{index}" for mark in marks})
        return source + "".join(f"\nvar {flag} int\n" for flag in flags).encode()

    def _outputs(self, code: GoTestCode, configuration: Configuration, limits: TrialLimits) -> Iterable[bytes]:
        with ProcessPool(self.builder.isolation) as pool:
            started = 0
            while started < RUNS or len(pool):
                while started < RUNS and len(pool) < self.jobs:
                    scratch = self.builder.trees.folder / f"marked-{secrets.token_hex(8)}"
                    pool.start(code.task(configuration, limits, scratch))
                    started += 1
                for task, result in pool.wait_any():
                    remove_folder(task.scratch)
                    yield result.output


def _state_of(is_placed: bool, ran: int) -> SiteState:
    if not is_placed:
        return SiteState.GONE
    return SiteState.RAN if ran else SiteState.DID_NOT_RUN


def _find_statements(source: bytes, site: RacingSite, number: int, span: tuple[int, int]) -> list[_Mark]:
    """Where marks go: in front of the statements of the racing line, else of the first one of its function."""
    first, last = span
    statements = statements_between(source, first, last)
    if marks := _marks_at_line(source, site, number, statements):
        return marks
    return [_Mark(statements[0].offset, number, is_line=False)] if statements else []


def _marks_at_line(source: bytes, site: RacingSite, number: int, statements: list[Statement]) -> list[_Mark]:
    text = site.text.encode()
    if not text or not statements:
        return []
    lines = source.split(b"\n")
    first, last = statements[0].first, max(each.last for each in statements)
    same = [line for line in range(first, min(last, len(lines)) + 1) if lines[line - 1].strip() == text]
    found = (innermost_statement(statements, line) for line in same)
    return [_Mark(each.offset, number, is_line=True) for each in found if each is not None]


class LineProof(NamedTuple):
    """Whether the racing lines of the new code run."""

    old: tuple[SiteRuns, ...]
    new: tuple[SiteRuns, ...]

    @property
    def missing(self) -> list[RacingSite]:
        """The racing lines that are in the new code and were not seen to run."""
        return [runs.site for runs in self.new if runs.state is SiteState.DID_NOT_RUN]

    @property
    def is_vacuous(self) -> bool:
        """Whether a racing line surely runs less often than before: chance does not explain that it never did."""
        pairs = zip(self.old, self.new, strict=True)
        return any(
            new.state is SiteState.DID_NOT_RUN and old.runs and clean_probability(old.ran, old.runs, new.runs) <= _SURE
            for old, new in pairs
        )

    @property
    def is_proven(self) -> bool:
        """Whether all racing lines that the new code still has were seen to run, and there is one."""
        states = {runs.state for runs in self.new}
        return SiteState.RAN in states and states <= {SiteState.RAN, SiteState.GONE}

    @property
    def is_gone(self) -> bool:
        """Whether the new code has none of the functions that raced, so that nothing tells what its test still runs."""
        return bool(self.new) and all(runs.state is SiteState.GONE for runs in self.new)
