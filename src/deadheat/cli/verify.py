"""`deadheat verify`: runs old and new code, and says whether a fix holds."""

from __future__ import annotations

import argparse
import secrets
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.cli import kept_verifications, race_runs
from deadheat.cli.progress import show_progress
from deadheat.cli.spark_and_lake import run_with_spark_errors
from deadheat.cli.trial_hosts import add_trial_spark_options, open_trial_hosts
from deadheat.errors import DeadheatError
from deadheat.printable import format_json

if TYPE_CHECKING:
    from deadheat.cli.progress import ProgressLine
    from deadheat.cli.race_runs import RaceUnderTest
    from deadheat.cli.trial_hosts import TrialHosts
    from deadheat.repo.clone import Clone
    from deadheat.repo.racing_lines import RacingLine
    from deadheat.verification.campaign import Campaign
    from deadheat.verification.code_under_test import CodeBuilder
    from deadheat.verification.comparison import Comparison
    from deadheat.verification.racing_line_proof import LineProof
    from deadheat.verification.record import CodeVersions
    from deadheat.verification.sequential import FixVerdict
    from deadheat.verification.sought_race import RenamedSearch
    from deadheat.verification.statement import FixVerification, StatementContext
    from deadheat.verification.trials import Configuration, TrialCode

    JsonDict = dict[str, Any]

EXIT_FIXED, EXIT_NOT_FIXED, EXIT_NOT_KNOWN = 0, 1, 4
# to choose the configuration: this share of the time at most, and so many sightings
_SHARE_TO_CHOOSE, _SIGHTINGS_TO_CHOOSE = 0.2, 10

_EXAMPLES = """examples:
  deadheat verify issue.md --repo . --fix 4b1f0c2
  deadheat verify ci.log --repo . --patch fix.diff --time 30m
  deadheat verify 47d9f89a --lake races-lake --repo . --worktree --format markdown

exit status: 0 fixed, 1 it still races or another race instead, 4 inconclusive or vacuous, 2 wrong usage,
3 the environment failed
"""


def add_verify_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "verify",
        help="run old and new code, and say whether a fix of a race holds",
        description="Builds the code before and after a fix, and runs both in random order until the verdict is proven:"
        " fixed, still races, another race instead, vacuous (the test or the racing lines no longer run), or"
        " inconclusive.",
        epilog=_EXAMPLES,
    )
    race_runs.add_race_arguments(command)
    which = command.add_mutually_exclusive_group()
    which.add_argument("--fix", metavar="COMMIT", help="the new code is this commit, the old one its first parent")
    which.add_argument("--patch", metavar="FILE", help="the new code is HEAD, or --at, with this patch")
    which.add_argument("--worktree", action="store_true", help="the new code is the work tree with what is uncommitted")
    command.add_argument(
        "--confidence", type=parse_confidence, default=0.99, metavar="P",
        help="that fixed must have, such as 0.95; default: 0.99",
    )  # fmt: skip
    race_runs.add_trial_options(command)
    add_trial_spark_options(command)
    command.set_defaults(run=run_verify, parser=command)


def parse_confidence(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.5 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be at least 0.5 and below 1, such as 0.99")
    return value


def run_verify(args: argparse.Namespace) -> int:
    if not (args.fix or args.patch or args.worktree):
        args.parser.error("the new code is missing: --fix COMMIT, --patch FILE or --worktree")
    return race_runs.run_interruptibly(lambda: run_with_spark_errors(args, lambda: _verify(args)))


def _verify(args: argparse.Namespace) -> int:
    from deadheat.verification import record, statement
    from deadheat.verification.code_under_test import CodeBuilder
    from deadheat.verification.worktrees import WorkTrees

    with ExitStack() as stack, show_progress(args.quiet, "reading the clone") as progress:
        race = race_runs.open_race(args, stack, progress)
        plan = race_runs.choose_race_plan(args, race)
        versions = _choose_versions(args, race.clone)
        with progress.paused():
            if not race_runs.ask_to_run(plan, versions.old_commit, args):
                return cli.EXIT_INTERRUPTED
        trees = stack.enter_context(WorkTrees(race.clone.git))
        builder = CodeBuilder(trees, plan, race.sought.report)
        session = _Session(args, race, versions, builder, progress, stack)
        stack.callback(session.close)
        result = session.verify()
        code = versions.code_versions(args, race.clone)
    content = statement.verification_to_json(result)
    _write_result(result, content, args.format)
    if args.lake:
        kept_verifications.keep_result(args, content, record.row_of_fix, code)
    return exit_status(result.judgement.verdict)


def exit_status(verdict: FixVerdict) -> int:
    from deadheat.verification.sequential import FixVerdict

    if verdict is FixVerdict.FIXED:
        return EXIT_FIXED
    return EXIT_NOT_FIXED if verdict in (FixVerdict.STILL_RACES, FixVerdict.ANOTHER_RACE) else EXIT_NOT_KNOWN


@dataclass(frozen=True, slots=True)
class _Versions:
    """What is compared."""

    old_commit: str
    old_text: str
    new_commit: str  # empty: the old commit with a patch, or the work tree
    new_text: str

    def code_versions(self, args: argparse.Namespace, clone: Clone) -> CodeVersions:
        change = "patch" if args.patch else "work tree" if args.worktree else "commit"
        patch = kept_verifications.patch_digest(args.patch) if args.patch and args.lake else None
        return kept_verifications.code_versions(clone, self.old_commit, self.new_commit, change, patch)


def _choose_versions(args: argparse.Namespace, clone: Clone) -> _Versions:
    if args.fix:
        fix = race_runs.resolve_commit(clone, args.fix, "--fix")
        parent = clone.git.object_ids([f"{fix}^"])[0]
        old = race_runs.resolve_commit(clone, args.at, "--at") if args.at else parent
        if old is None:
            is_cut = fix in clone.git.shallow
            what = "the parent of the fix is not in the clone, which is shallow" if is_cut else "the fix has no parent"
            hint = "run `git fetch --unshallow`, or give" if is_cut else "give"
            raise DeadheatError(what, args.fix, f"{hint} the old code with --at")
        how = f"given with --at {args.at}" if args.at else "the parent of the fix"
        return _Versions(old, f"commit {old[:12]}, {how}", fix, f"commit {fix[:12]}")
    if args.worktree:
        _require_work_tree(clone)
    base = race_runs.resolve_commit(clone, args.at or "HEAD", "--at" if args.at else "the clone")
    base_text = f"commit {base[:12]}, {f'given with --at {args.at}' if args.at else 'HEAD'}"
    if args.patch:
        return _Versions(base, base_text, "", f"commit {base[:12]} with {Path(args.patch).name}")
    return _Versions(base, base_text, "", "the work tree with what is uncommitted")


def _require_work_tree(clone: Clone) -> None:
    path, hint = clone.git.clone_path, "give the new code with --fix or --patch"
    if not (Path(path) / ".git").exists():
        raise DeadheatError("the repository is bare: it has no work tree", path, hint)
    if not clone.git.head_commit:
        raise DeadheatError("the branch of the work tree has no commit yet", path, hint)


@dataclass
class _Session:
    """One verification with its temporary trees."""

    args: argparse.Namespace
    race: RaceUnderTest
    versions: _Versions
    builder: CodeBuilder
    progress: ProgressLine
    stack: ExitStack
    hosts: TrialHosts = field(init=False)
    _clones: list[Clone] = field(default_factory=list)

    def close(self) -> None:
        for clone in self._clones:
            clone.close()

    def verify(self) -> FixVerification:
        from deadheat.verification.comparison import judge_fix
        from deadheat.verification.statement import FixVerification

        old_tree, new_tree = self._check_out()
        self.progress.start_phase("building")
        old, new = self.builder.build("old", old_tree, self.versions.old_text), self.builder.build("new", new_tree)
        self.hosts = open_trial_hosts(self.args, self.builder, self.stack, self.progress)
        campaign = self._choose_configuration(old)
        if campaign.was_interrupted:
            raise KeyboardInterrupt
        best = campaign.best
        configuration = campaign.configuration_named(best.arm.name) if best else campaign.configurations[0]
        self.progress.start_phase("examining the racing lines")
        proof = self._prove_lines(old_tree, new_tree, configuration)
        if proof is not None and proof.is_vacuous:
            return FixVerification(self._context(), judge_fix(None, proof), None, proof)
        comparison = self._compare(old, new, old_tree, new_tree, campaign, configuration)
        go_test = self.builder.plan.go_test
        missing = go_test.some_missing_in(new_tree) if go_test else ()
        judgement = judge_fix(comparison.verification.conclude(), proof, missing)
        return FixVerification(self._context(), judgement, comparison, proof)

    def _check_out(self) -> tuple[Path, Path]:
        trees, versions, args = self.builder.trees, self.versions, self.args
        old_tree = trees.check_out(versions.old_commit, "old")
        head = self.race.clone.resolve_revision("HEAD") or versions.old_commit
        new_tree = trees.check_out(versions.new_commit or (head if args.worktree else versions.old_commit), "new")
        if args.patch:
            trees.apply_patch("new", Path(args.patch))
        elif args.worktree:
            trees.copy_uncommitted("new")
        return old_tree, new_tree

    def _choose_configuration(self, old: TrialCode) -> Campaign:
        """Run the old code until the configuration is known that shows the race most often per second."""
        from deadheat.verification.campaign import Budget

        budget = Budget(self.args.time * _SHARE_TO_CHOOSE, sightings=_SIGHTINGS_TO_CHOOSE)
        return race_runs.run_campaign(self.race, self.builder, old, budget, self.progress, self.hosts)

    def _prove_lines(self, old_tree: Path, new_tree: Path, configuration: Configuration) -> LineProof | None:
        from deadheat.verification.racing_line_proof import InstrumentedBuild, LineProof, racing_sites

        if self.builder.plan.go_test is None:
            return None
        sites = racing_sites(self._racing_lines())
        if not sites:
            return LineProof((), ())
        cores = race_runs.core_count()
        jobs = min(self.hosts.jobs, cores) if self.args.master else self.hosts.jobs  # it runs here in any case
        build = InstrumentedBuild(self.builder, sites, jobs)
        limits = race_runs.trial_limits(self.args, jobs)
        old, new = (
            tuple(build.count_runs(name, tree, configuration, limits))
            for name, tree in (("old", old_tree), ("new", new_tree))
        )
        return LineProof(old, new)

    def _racing_lines(self) -> list[RacingLine]:
        """The racing lines; those in tests from the commit whose tests run."""
        from deadheat.repo.racing_lines import find_racing_lines

        race, tests = self.race, self.builder.plan.tests
        lines = {(line.access.actor, line.access.op): line for line in race.dossier.racing_lines}
        if tests is not None:
            found = find_racing_lines(race.clone, race.clone.tree_at(tests.commit), race.sought.report)
            in_tests = [line for line in found if line.path.endswith("_test.go")]
            lines |= {(line.access.actor, line.access.op): line for line in in_tests}
        return list(lines.values())

    def _compare(
        self, old: TrialCode, new: TrialCode, old_tree: Path, new_tree: Path, campaign: Campaign, chosen: Configuration
    ) -> Comparison:
        from deadheat.verification import sequential
        from deadheat.verification.comparison import Comparison, VersionUnderTest

        args, versions = self.args, self.versions
        old_search = _LazyRenaming(self, "old", old_tree, versions.old_commit)
        new_search = _LazyRenaming(self, "new", new_tree, versions.new_commit)
        sides = {
            sequential.Version.OLD: VersionUnderTest(old, old_search),
            sequential.Version.NEW: VersionUnderTest(new, new_search),
        }
        verification = sequential.Verification(sequential.Rule(args.confidence), secrets.randbits(32))
        seconds = max(1.0, args.time - campaign.elapsed)
        self.progress.start_phase("comparing", seconds, race_runs.format_seconds)
        known = frozenset(campaign.counts.other_races)
        with self.hosts.start_executor(chosen.processes_per_core) as executor:
            comparison = Comparison(self.race.sought, sides, chosen, executor, verification, seconds, self._show, known)
            comparison.run()
        self.progress.prefix = ""
        return comparison

    def _show(self, comparison: Comparison) -> None:
        old, new = comparison.verification.old, comparison.verification.new
        self.progress.prefix = f"old {old.sightings} of {old.runs}, new {new.sightings} of {new.runs}  "
        self.progress.show_done(comparison.elapsed)

    def open_tree(self, name: str) -> Clone:
        """The files of a work tree as a clone."""
        from deadheat.repo.clone import Clone

        clone = Clone(str(self.builder.trees.as_repository(name)))
        self._clones.append(clone)
        return clone

    def _context(self) -> StatementContext:
        from deadheat.verification.statement import StatementContext

        builder, place = self.builder, self.hosts.place()
        return StatementContext(
            self.race.sought.id,
            self.race.sought.title,
            self.versions.old_text,
            self.versions.new_text,
            builder.plan,
            builder.toolchain.version_text if builder.toolchain else "",
            place,
            self.args.confidence,
            (*builder.plan.notes, *dict.fromkeys(builder.trees.notes), *place.notes),
        )


@dataclass
class _LazyRenaming:
    """Makes a search for the race under another name only when it is needed."""

    session: _Session
    name: str
    tree: Path
    commit: str
    _search: RenamedSearch | None = None

    def __call__(self) -> RenamedSearch | None:
        from deadheat.verification.sought_race import RenamedSearch

        if self._search is None:
            race = self.session.race
            is_commit = self.commit and self.session.builder.plan.tests is None
            clone = race.clone if is_commit else self.session.open_tree(self.name)
            commit = self.commit if is_commit else clone.resolve_revision("HEAD") or ""
            self._search = RenamedSearch(race.dossier, clone, commit, self.tree)
        return self._search


def _write_result(result: FixVerification, content: JsonDict, output_format: str) -> None:
    from deadheat.verification import statement

    if output_format == "json":
        print(format_json(content, indent=1))
    elif output_format == "markdown":
        print(statement.verification_markdown(result), end="")
    else:
        print("\n".join(statement.verification_lines(result)))
